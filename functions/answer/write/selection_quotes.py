"""Quotes a selection for a task that names nothing of its own ("explain this"): its key sentences,
its definitions, its code, or the sentences that give a reason, a drawback, both sides. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain
from statistics import fmean

from functions.answer.context import PROSE_KINDS, Context, Sentence
from functions.answer.deadline import Deadline
from functions.answer.selection_task import WHOLE, Task
from functions.answer.text.anaphora import opens_with_anaphor
from functions.answer.text.vectors import cosine, cosines
from functions.answer.text.words import STOP_WORDS, term_set, terms_of
from functions.answer.write.excerpts import CODE_KINDS, joined, next_of, unit_of
from functions.answer.write.prompts import spell_out
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, DraftClaim, Writer

MOST_SENTENCES = 3
MOST_WORDS = 70
"""Of a summary; an explanation has `MOST_DEFINITIONS` more sentences."""
MOST_DEFINITIONS = 2
MOST_WORDS_OF_LIST = 105
"""Of the first sentences of a list's items, which are its summary."""
SHORT_ITEM = 6
"""Words of an item's first sentence that needs the next one to be an explanation."""
HEADING = 8
"""Words of the longest line without a full stop that is taken for a heading."""
MOST_CODE_LINES = 25
"""Lines of code that are quoted whole; of longer code, what it says of itself and its names."""
FIRST_OF_ALL, FIRST_OF_BLOCK = 0.3, 0.25
"""What the first sentence of a selection and of a paragraph has beside its centrality."""
ALIKE = 0.5
"""What likeness to a sentence that is quoted already takes from another."""
GUIDING = 0.4
"""What a sentence that guides the reader through the book has less."""
LEAST_CUE = 0.3
MOST_COMPARED, MOST_PAIRED = 60, 200
"""Sentences that are compared with each other: for their centrality, and for two sides."""
OPENING = 5
"""Words of a sentence that name its subject."""

_DEFINES = re.compile(
    r"\b(?:(?:is|are) (?:called|known as|termed|defined as)|means|refers? to|denotes?|stands for)\b"
    r"|^(?:(?:an?|the) )?[\w-]+(?: [\w-]+){0,3}(?: \([^)]{1,30}\))? (?:is|are) (?:an?|any|one)\b",
    re.IGNORECASE,
)
_GUIDES = re.compile(
    r"^note\b|\bwe (?:should|will|saw|have seen|discuss(?:ed)?|need to)\b|"
    r"\b(?:this|the (?:next|previous|last)) (?:chapter|section|page)\b|"
    r"\b(?:listing|figure|chapter|table) \d|\b(?:we|you)['’]ll\b|\blet['’]?s\b|\bremember\b",
    re.IGNORECASE,
)
_PRONOUN_SOON = re.compile(
    r"(?:[\w'’-]+,? ){1,3}(?:it|its|they|their|them|this|these|those|such)\b", re.IGNORECASE
)
_PERSON = r"(?-i:(?<=[a-z,;)] )[A-Z][a-z]+|[A-Z][a-z]+ [A-Z][a-z]+)"
_CUES: Mapping[Task, tuple[str, str]] = {
    "reason": (
        r"because|reasons?|causes?|caused|due to|owing to|that is why|this is why|thanks to",
        r"since|so|in order to|as a result|results? (?:in|from)|leads? to|led to|therefore|"
        r"thus|hence|to (?:avoid|keep|prevent|protect|reduce|save|ensure)|otherwise",
    ),
    "drawback": (
        r"price|downsides?|drawbacks?|disadvantages?|weakness\w*|limit(?:s|ations?)|shortcomings?|"
        r"trade-?offs?|pitfalls?|caveats?|risks?|dangers?|problems?|costs?|at the expense",
        r"cannot|can['’]t|unable|lacks?|no longer|fails?|failures?|errors?|loses?|lost|blind\w*|"
        r"expensive|slow\w*|hard(?:er)? to|difficult|worse|too|however|but|although|only|except|"
        r"not",
    ),
    "benefit": (
        r"advantages?|benefits?|strengths?|upsides?|gains?|improvements?|improved?",
        r"faster|cheaper|easier|simpler|safer|better|saves?|allows?|lets?|enables?|robust|"
        r"reliabl[ey]|without|no need|avoids?|prevents?|guarantees?|at once|can",
    ),
    "example": (
        r"for example|for instance|e\.g\.|examples?|illustrat\w+",
        r"such as|imagine|suppose|consider|like an?|including",
    ),
    "person": (_PERSON, r"he|she|his|her"),
    "date": (r"(?:1\d|20)\d\d|\d+(?:st|nd|rd|th) century", r"century|decade|yesterday|year"),
    "comparison": (
        r"whereas|unlike|in contrast|by contrast|on the other hand|differs?|differences?|"
        r"compared (?:to|with)|rather than|one .{1,60} the other",
        r"while|than|instead|but|both|either",
    ),
}  # fmt: skip
"""For what is asked for: words that a sentence gives it with, and words that it may have."""
_COMMENT = re.compile(r"\s*(?:#(?!\[|!|include)|//|/\*|\*(?!\*)|--\s|<!--|\"\"\"|''')")
_DOC_MARK = re.compile(r"\"\"\"|'''")
_NAMES = re.compile(
    r"\s*(?:@\w|(?:pub(?:\(\w+\))? |export |default |public |private |protected |static |async "
    r"|abstract |final )*(?:def|class|fn|func|function|struct|enum|trait|impl|interface)\b)"
)


@dataclass(frozen=True, slots=True)
class TaskWriter:
    """A model that does a task; `quotes` stand in where it fails."""

    writer: Writer
    quotes: SelectionQuotes

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        asked = spell_out(self.quotes.task, question)
        return await self.writer.write(asked, context, deadline)

    @classmethod
    def of(cls, writer: Writer, quotes: SelectionQuotes) -> Writer:
        """The quotes in place of a writer that quotes, else the model with its task."""
        return quotes if isinstance(writer, QuoteWriter) else cls(writer, quotes)


@dataclass(frozen=True, slots=True)
class SelectionQuotes(QuoteWriter):
    """Quotes what a task asks for. `vectors` has the embeddings of sentences, by their text."""

    task: Task = "explain"
    vectors: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def pick(self, question: str, context: Context) -> Draft:
        text = _Text(context, self.vectors)
        is_whole = True
        if self.task == "code" or (self.task in WHOLE and not text.prose):
            groups = text.code_and_beside()
        elif self.task not in WHOLE:
            groups = text.cued(self.task)
        elif items := text.items(self.task == "explain"):
            shown = _first_words(items, MOST_WORDS_OF_LIST)
            groups, is_whole = text.runs(shown), len(shown) == len(items)
        else:
            groups = text.key_sentences(self.task == "explain")
        claims = tuple(DraftClaim(joined(run), tuple(each.id for each in run)) for run in groups)
        return Draft("full" if is_whole else "partial", claims) if claims else Draft("none", ())


Run = list[Sentence]


@dataclass(frozen=True)
class _Text:
    """A selection in the page's order."""

    context: Context
    vectors: Mapping[str, Sequence[float]]

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(sorted(self.context.sentences, key=self._place))

    @cached_property
    def at(self) -> dict[str, int]:
        return {sentence.id: at for at, sentence in enumerate(self.sentences)}

    @cached_property
    def prose(self) -> tuple[Sentence, ...]:
        """Sentences that state something, a table's rows among them; no headings, and nothing
        without a common word, such as a program's output, where there are others."""
        kinds = (*PROSE_KINDS, "table")
        found = [s for s in self.sentences if s.kind in kinds and terms_of(s.text)]
        found = [s for s in found if not s.text.endswith("?") and not self._is_heading(s)]
        worded = [
            each
            for each in found
            if each.kind != "paragraph" or not STOP_WORDS.isdisjoint(each.text.lower().split())
        ]
        return tuple(worded or found)

    def _is_heading(self, sentence: Sentence) -> bool:
        is_short = sentence.kind == "paragraph" and _length(sentence) <= HEADING
        is_alone = self._lengths[sentence.source, sentence.block] == 1
        return is_short and sentence.text[-1].isalnum() and is_alone

    @cached_property
    def _lengths(self) -> Counter[tuple[int, int]]:
        """The number of sentences of each block."""
        return Counter((each.source, each.block) for each in self.sentences)

    @cached_property
    def code(self) -> tuple[Sentence, ...]:
        return tuple(each for each in self.sentences if each.kind in CODE_KINDS)

    def key_sentences(self, explains: bool) -> list[Run]:
        """The most central sentences; to explain, also definitions."""
        half = math.ceil(len(self.prose) / 2)
        ranked = self._ranked()
        kept = self._within(ranked, min(half, MOST_SENTENCES), MOST_WORDS)
        if explains:
            defining = [each for each in ranked if _DEFINES.search(each.text)]
            most = len(kept) + MOST_DEFINITIONS
            kept = self._within([*kept, *defining], most, 2 * MOST_WORDS)
        return self.runs(kept)

    def cued(self, task: Task) -> list[Run]:
        """The one or two sentences that give what is asked for; none where there are no such."""
        scores = {each.id: self._cue(task, each) for each in self.prose}
        best = max(scores.values(), default=0.0)
        ranked = sorted(self.prose, key=lambda each: -scores[each.id])
        found = [each for each in ranked if scores[each.id] >= max(best - 0.5, LEAST_CUE)]
        if task == "comparison" and best < 2:
            found = [*self._sides(), *found]
        kept = self._within(found, 2, 2 * MOST_WORDS)
        announced = [unit_of(each, self.context)[1:] for each in kept if each.text.endswith(":")]
        return self.runs(dict.fromkeys([*kept, *chain.from_iterable(announced)]))

    def code_and_beside(self) -> list[Run]:
        """What the code says of itself, the sentences beside it, and the code; of long code its
        comments and names."""
        beside = self._within(self._beside_code(), 2, MOST_WORDS)
        code = list(self.code)
        if len(code) > MOST_CODE_LINES:
            doc = _documentation(code)
            telling = [each for each in code if each.id in doc or _NAMES.match(each.text)]
            code = (telling or code)[:MOST_CODE_LINES]
        return [*self.runs(beside), *self.runs(code)]

    def _place(self, sentence: Sentence) -> tuple[object, ...]:
        chunk = self.context.sources[sentence.source].chunk
        path = (chunk.version, chunk.source_path) if chunk else ("", "")
        return (*path, sentence.block, sentence.first_line, self.context.position[sentence.id])

    def items(self, explains: bool) -> list[Sentence]:
        """The first sentences of lists that are most of the selection, and what introduces them."""
        kinds = ("list", "table")
        items = [s for s in self.prose if s.kind in kinds and self._opens_item(s)]
        rest = [each for each in self.prose if each.kind not in kinds]
        if len(items) < 2 or len(rest) > len(items):
            return []
        lead = [*rest[:1], *(s for s in rest[1:] if s.text.endswith(":"))]
        above = [s for s in self.sentences if self._is_heading(s)]
        if explains:
            short = [each for each in items if _length(each) < SHORT_ITEM]
            after = [next_of(each, self.context) for each in short]
            items += [s for s in after if s and s.kind == "list" and not self._opens_item(s)]
        return sorted([*lead, *above, *items], key=lambda each: self.at[each.id])

    def _opens_item(self, sentence: Sentence) -> bool:
        at = self.at[sentence.id]
        before = self.sentences[at - 1] if at else None
        return before is None or before.last_line < sentence.first_line

    def _ranked(self) -> list[Sentence]:
        """The sentences, the most central first, each judged beside those before it."""
        scores = self._centrality()
        left, ranked = list(self.prose), list[Sentence]()
        while left and len(ranked) <= MOST_SENTENCES:
            best = max(left, key=lambda each: scores[each.id])
            left.remove(best)
            ranked.append(best)
            if len(ranked) <= MOST_SENTENCES:
                for other in left:
                    scores[other.id] -= ALIKE * self._likeness(best, other)
        return [*ranked, *sorted(left, key=lambda each: -scores[each.id])]

    def _centrality(self) -> dict[str, float]:
        """The mean likeness of each sentence to the others, as a share of the highest, with what
        its position counts."""
        prose = self.prose
        means = self._mean_likeness() if len(prose) <= MOST_COMPARED else self._likeness_to_all()
        highest = max(means, default=0.0) or 1.0
        scores = {s.id: mean / highest for s, mean in zip(prose, means, strict=True)}
        opens: dict[tuple[int, int], Sentence] = {}
        for number, sentence in enumerate(prose):
            first = opens.setdefault((sentence.source, sentence.block), sentence)
            is_note = first.text.lower().startswith("note")
            if is_note or _GUIDES.search(sentence.text):
                scores[sentence.id] -= GUIDING
            elif first is sentence:
                scores[sentence.id] += FIRST_OF_BLOCK if number else FIRST_OF_ALL
        return scores

    def _mean_likeness(self) -> list[float]:
        """Of each sentence to every other."""
        return [
            fmean([self._likeness(one, each) for each in self.prose if each is not one] or [1.0])
            for one in self.prose
        ]

    def _likeness_to_all(self) -> list[float]:
        """The same of many sentences, by the sum of them all: in linear time, likeness below zero
        counted too."""
        vectors = [self.vectors.get(each.text) for each in self.prose]
        if None not in vectors:
            units = [_unit(vector) for vector in vectors if vector is not None]
            return cosines([sum(column) for column in zip(*units, strict=True)], units)
        terms = [term_set(each.text) for each in self.prose]
        total: dict[str, float] = {}
        for own in terms:
            for term in own:
                total[term] = total.get(term, 0.0) + 1 / math.sqrt(len(own))
        return [math.fsum(map(total.__getitem__, own)) / math.sqrt(len(own)) for own in terms]

    def _likeness(self, one: Sentence, other: Sentence) -> float:
        left, right = self.vectors.get(one.text), self.vectors.get(other.text)
        if left is not None and right is not None:
            return max(0.0, cosine(left, right))
        mine, theirs = term_set(one.text), term_set(other.text)
        return len(mine & theirs) / math.sqrt(len(mine) * len(theirs))

    def _within(self, ranked: Iterable[Sentence], most: int, words: int) -> list[Sentence]:
        """The best sentences, each with those that it refers to, up to a number of sentences and
        words; none that refers to what is not selected, unless there are no others."""
        kept: dict[str, Sentence] = {}
        units = [self._with_antecedents(each) for each in ranked]
        for unit in [unit for unit, is_whole in units if is_whole] or [unit for unit, _ in units]:
            fresh = [each for each in unit if each.id not in kept]
            length = sum(_length(each) for each in [*kept.values(), *fresh])
            if not kept or (len(kept) + len(fresh) <= most and length <= words):
                kept |= {each.id: each for each in fresh}
        return list(kept.values())

    def _with_antecedents(self, sentence: Sentence) -> tuple[list[Sentence], bool]:
        """A sentence with those before it that it refers to, and whether they are all there."""
        unit = [sentence]
        while _refers(unit[0].text) and unit[0].kind not in CODE_KINDS:
            earlier = map(self.sentences.__getitem__, range(self.at[unit[0].id] - 1, -1, -1))
            before = next((s for s in earlier if not self._is_heading(s)), None)
            if before is None or before.kind in CODE_KINDS or len(unit) > MOST_SENTENCES:
                return unit, False
            unit.insert(0, before)
        return unit, True

    def _cue(self, task: Task, sentence: Sentence) -> float:
        """How plainly a sentence gives what is asked for (0: not at all), nearness to the question
        and to the end deciding between equals."""
        plain, possible = (
            len(re.findall(rf"\b(?:{cues})\b", sentence.text, re.IGNORECASE))
            for cues in _CUES[task]
        )
        if not plain and not possible:
            return 0.0
        return 2.0 * (plain > 0) + 0.5 * min(possible, 2) + 0.4 * (sentence.similarity or 0.0)

    def _sides(self) -> list[Sentence]:
        """Two sentences whose subjects are kinds of one thing ("A metric map …", "A topological
        map …")."""
        openings = [
            (each, term_set(" ".join(each.text.split()[:OPENING])))
            for each in self.prose[:MOST_PAIRED]
        ]
        pairs = [
            (len(one & other), [left, right])
            for at, (left, one) in enumerate(openings)
            for right, other in openings[at + 1 :]
            if one & other
            and one - other
            and other - one
            and _first_term(left) != _first_term(right)
        ]
        return max(pairs, key=lambda pair: pair[0])[1] if pairs else []

    def _beside_code(self) -> list[Sentence]:
        """The sentences nearest to the code, those that name what is in it first."""
        if not self.code:
            return list(self.prose)
        first, last = self.at[self.code[0].id], self.at[self.code[-1].id]
        named = frozenset().union(*(term_set(each.text) for each in self.code))

        def rank(sentence: Sentence) -> tuple[bool, int]:
            at = self.at[sentence.id]
            return (term_set(sentence.text).isdisjoint(named), min(abs(at - first), abs(at - last)))

        return sorted(self.prose, key=rank)

    def runs(self, sentences: Iterable[Sentence]) -> list[Run]:
        """Sentences in the page's order; those of one block that follow each other as one."""
        runs: list[Run] = []
        for sentence in sorted(sentences, key=lambda each: self.at[each.id]):
            last = runs[-1][-1] if runs else None
            if (
                last
                and self.at[sentence.id] == self.at[last.id] + 1
                and (last.source, last.block) == (sentence.source, sentence.block)
                and sentence.kind not in ("list", "table")
            ):
                runs[-1].append(sentence)
            else:
                runs.append([sentence])
        return runs


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector) or 1.0
    return [value / length for value in vector]


def _refers(text: str) -> bool:
    return opens_with_anaphor(text) or _PRONOUN_SOON.match(text) is not None


def _first_term(sentence: Sentence) -> str:
    return next(iter(terms_of(sentence.text)), "")


def _first_words(sentences: Sequence[Sentence], most: int) -> list[Sentence]:
    """The first sentences with at most so many words."""
    so_far = accumulate(map(_length, sentences))
    return [each for each, words in zip(sentences, so_far, strict=True) if words <= most]


def _length(sentence: Sentence) -> int:
    return len(sentence.text.split())


def _documentation(code: Sequence[Sentence]) -> frozenset[str]:
    """The lines of comments and documentation strings."""
    found: set[str] = set()
    inside = False
    for line in code:
        marks = len(_DOC_MARK.findall(line.text))
        if inside or _COMMENT.match(line.text):
            found.add(line.id)
        inside ^= marks % 2 == 1
    return frozenset(found)
