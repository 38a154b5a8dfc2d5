"""Names topics: the heading most of a topic's questions concern, and the words that set its
questions apart from those of other topics. Pure.

Only distinct questions count towards the words, however often each is asked. Each topic is one
text, so terms shared by many topics weigh little (c-TF-IDF), as do common English words. Words
keep the form that readers write, because stems make poor names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from functions.answer.text.words import STOP_WORDS, WORD, fold, stem, weight

NAME_TERMS = 3
BESIDE_HEADING = 2
KEPT_TERMS = 8
LONGEST = 3
"""Words of a term."""
ALONE = 0.2
"""What a word of a single question counts, where there are others."""
FEW = 2
"""Questions of which no word can be expected to come back."""
LEADING, LEAST_LEADING = 0.5, 0.25
"""Shares of a topic's questions: a heading with more leads; failing that, a chapter does."""
ASKING = frozenset(
    """ask asked asking book chapter section page paragraph text question answer please
    thanks thank mean means meaning say says said get gets give gives given go goes going
    come comes use uses used using need needs needed work works working make makes made way
    ways thing things something anything want know understand difference example examples
    define definition good bad best better happen happens happened long much big lot try
    like look see show take takes keep keeps let lets put back first last new old times one
    two three four five hi hello hey based real fast change changes changing changed hard
    matter matters important kinds types sort part parts able always never still left right
    main different same""".split()
)
"""Words of asking, and words so general that they tell no topic from another."""

_UNTOLD = STOP_WORDS | ASKING
_NUMBERED = re.compile(r"^(?:\w+ )?\d[\d.]*\s*[:.–-]?\s+(?=\w)")
"""Before the title of "Chapter 3: Gaits" or "3.1 Gaits"."""

Term = tuple[str, ...]
"""Pairs of adjacent stems."""


def name_topics(topics: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The terms of each topic's questions, the most telling first, `KEPT_TERMS` at most. A topic
    whose questions have no word of their own gets no term."""
    shown: dict[str, Counter[str]] = {}
    counts = [_told(questions, shown) for questions in topics]
    spread = Counter(term for counted in counts for term in counted)
    everywhere: Counter[Term] = Counter()
    for counted in counts:
        everywhere.update(counted)
    return [
        tuple(" ".join(_written(word, shown) for word in term) for term in chosen)
        for chosen in (_best(counted, everywhere, spread, len(counts)) for counted in counts)
    ]


def leading_heading(found: Iterable[tuple[Sequence[str], int]]) -> str:
    """The heading nearest to the text under which most of what was asked stands. `found`: of each
    question the headings above what it found, the chapter's first, none where it found nothing; and
    how often it was asked."""
    under: Counter[tuple[str, ...]] = Counter()
    asked = 0
    for path, times in found:
        asked += times
        under.update({tuple(path[:depth]): times for depth in range(1, len(path) + 1)})
    leading = [path for path, times in under.items() if times > LEADING * asked]
    if not leading:
        leading = [p for p, times in under.items() if len(p) == 1 and times > LEAST_LEADING * asked]
    best = max(leading, key=lambda path: (len(path), under[path], path), default=("",))
    return _NUMBERED.sub("", best[-1])


def name_of(heading: str, terms: Sequence[str]) -> str:
    """The heading with the terms that it does not say itself: "Gaits: trot, stairs". Empty where
    there is neither."""
    if not heading:
        return ", ".join(terms[:NAME_TERMS])
    said = _stems(heading)
    more = [term for term in terms if not said & _stems(term)][:BESIDE_HEADING]
    return f"{heading}: {', '.join(more)}" if more else heading


def _stems(text: str) -> set[str]:
    return {stem(fold(match.group())) for match in WORD.finditer(text)}


def _best(
    counted: Mapping[Term, float], everywhere: Mapping[Term, float], spread: Counter[Term], of: int
) -> list[Term]:
    weights: dict[Term, float] = {}
    for term, count in counted.items():
        own = count / everywhere[term]  # 1 where no other topic has it
        rare = math.log1p(of / spread[term])
        says = sum(max(weight(word), 0.1) for word in term) / len(term)
        weights[term] = count * own * rare * says * (1 + 0.3 * (len(term) - 1))
    chosen: list[Term] = []
    # Of terms that weigh the same the one asked first is taken: `counted` is in that order.
    for term in sorted(weights, key=lambda term: -weights[term]):
        # "zero moment" adds nothing to "zero moment point".
        if not any(set(term) & set(other) for other in chosen):
            chosen.append(term)
        if len(chosen) == KEPT_TERMS:
            break
    return chosen


def _told(questions: Sequence[str], shown: dict[str, Counter[str]]) -> dict[Term, float]:
    """What each term weighs in one topic. A word of a single question counts little, several words
    not at all, but where there are hardly any questions."""
    distinct: dict[frozenset[str], list[list[str]]] = {}
    for question in questions:
        runs = _runs(question)
        # Asked in other words of asking, it is the same question.
        said = frozenset(stem(word) for run in runs for word in run)
        if said and said not in distinct:
            distinct[said] = runs
            for run in runs:
                for word in run:
                    shown.setdefault(stem(word), Counter())[word] += 1
    support: Counter[Term] = Counter()
    for runs in distinct.values():
        support.update(list(dict.fromkeys(term for run in runs for term in _terms(run))))
    few = len(distinct) <= FEW
    return {
        term: float(times) if few or times > 1 else ALONE
        for term, times in support.items()
        if few or times > 1 or len(term) == 1
    }


def _terms(run: Sequence[str]) -> list[Term]:
    stems = [stem(word) for word in run]
    return [
        tuple(stems[at : at + length])
        for length in range(1, LONGEST + 1)
        for at in range(len(stems) - length + 1)
    ]


def _written(word: str, shown: Mapping[str, Counter[str]]) -> str:
    """A stem as most questions write it."""
    return min(shown[word].items(), key=lambda each: (-each[1], len(each[0]), each[0]))[0]


def _runs(text: str) -> list[list[str]]:
    """The telling words of a text, apart wherever a word is left out or a mark stands."""
    runs: list[list[str]] = [[]]
    end = 0
    for match in WORD.finditer(text):
        if text[end : match.start()].strip(" -‐‑") and runs[-1]:
            runs.append([])
        end = match.end()
        word = fold(match.group())
        if word in _UNTOLD or len(word) < 2 or not any(map(str.isalpha, word)):
            if runs[-1]:
                runs.append([])
            continue
        runs[-1].append(word)
    return runs
