"""What a topic is called: the words its questions have and others have not. Pure.

Each topic counts as one text, so that what many topics have says nothing (c-TF-IDF). Words stay as
readers write them: a stem is no name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from functions.answer.words import STOP_WORDS, WORD, fold

NAME_TERMS = 3
KEPT_TERMS = 8
ALONE = 0.2
ASKING = frozenset(
    """ask asked asking book chapter section page paragraph text question answer please thanks
    thank mean means meaning say says said get gets give gives given go goes going come comes use
    uses used using need needs needed work works working make makes made way ways thing things
    something anything want know understand difference example examples define definition good
    bad best better happen happens happened long much big lot try like look see show take takes
    keep keeps let lets put back first last new old one two three hi hello hey""".split()
)
"""Words of asking, and words so general that they tell no topic from another."""


def name_topics(texts: Sequence[Sequence[tuple[str, float]]]) -> list[tuple[str, ...]]:
    """The terms of each topic, the most telling first, `KEPT_TERMS` at most.

    `texts`: of each topic its questions, with how often each was asked. A topic whose questions
    have no word of their own gets no term.
    """
    counts = [_told(questions) for questions in texts]
    spread = Counter(term for counted in counts for term in counted)
    everywhere: dict[str, float] = {}
    for counted in counts:
        for term, weight in counted.items():
            everywhere[term] = everywhere.get(term, 0.0) + weight
    return [_best(counted, everywhere, spread, len(counts)) for counted in counts]


def _best(
    counted: Mapping[str, float], everywhere: Mapping[str, float], spread: Counter[str], topics: int
) -> tuple[str, ...]:
    weights: dict[str, float] = {}
    for term, count in counted.items():
        own = count / everywhere[term]  # 1 where no other topic has it
        rare = math.log1p(topics / spread[term])
        weights[term] = count * own * rare * (1.3 if " " in term else 1.0)
    chosen: list[str] = []
    for term in sorted(weights, key=lambda term: (-weights[term], term)):
        words = set(term.split())
        # "zero moment" adds nothing to "zero moment point", nor "joints" to "joint".
        if any(_says_the_same(words, set(other.split())) for other in chosen):
            continue
        chosen.append(term)
        if len(chosen) == KEPT_TERMS:
            break
    return tuple(chosen)


def _says_the_same(words: set[str], others: set[str]) -> bool:
    def bare(these: set[str]) -> set[str]:
        return {word[:-1] if word.endswith("s") else word for word in these}

    return bool(bare(words) & bare(others))


def _told(questions: Sequence[tuple[str, float]]) -> dict[str, float]:
    """What each term weighs in one topic. A word of a single question counts little, a pair of
    words not at all."""
    weights: dict[str, float] = {}
    support: Counter[str] = Counter()
    for question, times in questions:
        # A question that many ask must not alone decide what its topic is called.
        weight = 1 + math.log(max(1.0, times))
        terms: set[str] = set()
        for run in _runs(question):
            terms.update(run)
            terms.update(f"{a} {b}" for a, b in pairwise(run))
        support.update(terms)
        for term in terms:
            weights[term] = weights.get(term, 0.0) + weight
    return {
        term: weight * (1.0 if support[term] > 1 else ALONE)
        for term, weight in weights.items()
        if support[term] > 1 or " " not in term
    }


def _runs(text: str) -> list[list[str]]:
    """The telling words of a text, apart wherever a word is left out or a mark stands."""
    runs: list[list[str]] = [[]]
    end = 0
    for match in WORD.finditer(text):
        if text[end : match.start()].strip(" -‐‑") and runs[-1]:
            runs.append([])
        end = match.end()
        word = fold(match.group())
        if word in STOP_WORDS or word in ASKING or len(word) < 2 or not any(map(str.isalpha, word)):
            if runs[-1]:
                runs.append([])
            continue
        runs[-1].append(word)
    return runs
