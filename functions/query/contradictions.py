"""Finds contradictions between chapters, so that an answer can show both sides. Pure; English only.

Two sentences of different chapters contradict each other when they share enough terms and one
negates what the other asserts, uses an antonym, or calls optional what the other requires.
Contradictions in different words are not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from functions.answer.answers import Answer
from functions.answer.check.alignment import tokens_of, words_in
from functions.answer.check.operators import kinds_of, operators_of
from functions.answer.context import PROSE_KINDS, Context, Sentence, Source
from functions.answer.deadline import Deadline
from functions.answer.question import read_question
from functions.answer.relevance import score_sentences, sets_a_task
from functions.answer.text.synonyms import opposites
from functions.answer.text.words import LazyPattern, term_set, weight
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, DraftClaim, Writer
from functions.lifecycle.reply import Notice

SHARED = 0.65
"""The share of the shorter sentence's terms, by weight, that both must hold."""
SHARED_OF_LONGER = 0.5
"""The same share of the longer sentence: a short one is contained in many long ones."""
SHARED_ALONE = 0.75
"""The share of the shorter sentence's terms where only the modality differs."""
MIN_SHARED_TERMS = 2
MIN_RELATIVE_SCORE = 0.5
"""The other side is shown if its relevance to the question is this share of the best one's."""
_IS_OPEN = LazyPattern(r"^\W*(?:if|when|unless|where)\b|\?\W*$", re.I)
"""A question, or a statement for a case: another may hold for another case."""
_REQUIRED = LazyPattern(r"\b(?:must|always|every|all|has to|have to|required|essential)\b", re.I)
_OPTIONAL = LazyPattern(
    r"\b(?:need not|optional|not always|not every|not all|rarely|seldom|sometimes|not required|"
    r"not essential|does not have to|do not have to|doesn['’]t have to|don['’]t have to)\b",
    re.IGNORECASE,
)


def differ(one: str, other: str) -> bool:
    """Whether two sentences contradict each other."""
    left, right = term_set(one), term_set(other)
    if left.isdisjoint(right):
        return False
    shared = left & right
    if len(shared) < MIN_SHARED_TERMS or any(map(_IS_OPEN.search, (one, other))):
        return False
    smaller, larger = sorted((_mass(left), _mass(right)))
    share = _mass(shared) / smaller if smaller else 0.0
    if share < SHARED or _mass(shared) < SHARED_OF_LONGER * larger:
        return False
    if _denies(one, other, shared) or _denies(other, one, shared):
        return True
    contrary = opposites()
    only_right = right - left
    if any(contrary.get(word, frozenset()) & only_right for word in left - right):
        return True
    return share >= SHARED_ALONE and any(
        _OPTIONAL.search(a) and _REQUIRED.search(b) and not _OPTIONAL.search(b)
        for a, b in ((one, other), (other, one))
    )


def other_sides(
    ids: Sequence[str], context: Context, among: Iterable[Sentence] | None = None
) -> Iterator[tuple[str, str]]:
    """Pairs of (cited sentence, sentence of another chapter that contradicts it), by id.

    They are searched for `among` these sentences, else in the whole context.
    """
    chapters = [_chapter(source) for source in context.sources]
    within = context.sentences if among is None else among
    prose = [sentence for sentence in within if sentence.kind in PROSE_KINDS]
    for own in ids:
        cited = context.by_id.get(own)
        if cited is None or cited.kind not in PROSE_KINDS:
            continue
        chapter = chapters[cited.source]
        for sentence in prose:
            if (
                chapters[sentence.source] != chapter
                and differ(cited.text, sentence.text)
                and not sets_a_task(sentence, context)
            ):
                yield own, sentence.id


def with_other_side(draft: Draft, question: str, context: Context, most: int) -> Draft:
    """The draft, with a quote that contradicts one of its claims if a relevant one is missing.

    A draft of `most` claims loses its last claim that is not contradicted.
    """
    cited = [own for claim in draft.claims for own in claim.sentence_ids]
    sides = list(other_sides(cited, context))
    if not sides:
        return draft
    scores = score_sentences(read_question(question), context)
    best = max(scores[context.position[own]] for own in cited if own in context.by_id)
    for own, opposite in sides:
        if opposite in cited:
            return draft
        if scores[context.position[opposite]] < MIN_RELATIVE_SCORE * best:
            continue
        claim = DraftClaim(context.by_id[opposite].text, (opposite,))
        kept = list(draft.claims)
        if len(kept) >= most:
            last = max(
                (at for at, each in enumerate(kept) if own not in each.sentence_ids), default=None
            )
            if last is not None:
                kept.pop(last)
        side = next(at for at, each in enumerate(kept) if own in each.sentence_ids)
        kept.insert(side + 1, claim)
        return replace(draft, claims=tuple(kept))
    return draft


def differing_notices(answer: Answer, context: Context) -> list[Notice]:
    """A notice of the citations in an answer that contradict each other."""
    numbers: dict[str, tuple[int, ...]] = {}
    for shown, claim in zip(answer.shown, answer.claims, strict=True):
        numbers |= dict.fromkeys(shown.claim.sentence_ids, claim.citations)
    cited = [context.by_id[each] for each in numbers if each in context.by_id]
    for own, opposite in other_sides(list(numbers), context, cited):
        both = sorted({numbers[own][0], numbers[opposite][0]})
        if len(both) > 1:
            places = " and ".join(f"[{n}]" for n in both)
            return [Notice("differing_views", {"places": places})]
    return []


@dataclass(frozen=True, slots=True)
class BothSidesQuotes(QuoteWriter):
    """A QuoteWriter that adds a contradicting quote from another chapter."""

    def pick(self, question: str, context: Context) -> Draft:
        # slots=True makes a new class, which a bare super() would not know.
        draft = QuoteWriter.pick(self, question, context)
        return with_other_side(draft, question, context, self.max_quotes)


@dataclass(frozen=True, slots=True)
class BothSides:
    """A writer that adds a contradicting quote to drafts of `writer` without one."""

    writer: Writer
    most: int = 8

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        draft = await self.writer.write(question, context, deadline)
        return with_other_side(draft, question, context, self.most)


def _mass(terms: frozenset[str]) -> float:
    return sum(map(weight, terms))


def _denies(one: str, other: str, shared: frozenset[str]) -> bool:
    """Whether the first sentence negates words that the second asserts."""
    if any(kinds_of(words_in(tokens_of(text))) & {"hedge", "condition"} for text in (one, other)):
        return False
    denied = frozenset[str]().union(*_denied_terms(other))
    return any((words & shared) and not words & denied for words in _denied_terms(one))


def _denied_terms(text: str) -> Iterator[frozenset[str]]:
    """For each negation of a text, the stems of up to three content words after it."""
    tokens = tokens_of(text)
    places = [at for at, token in enumerate(tokens) if not token.is_sign]
    for operator in operators_of(words_in(tokens)):
        if operator.kind == "negation":
            clause = takewhile(lambda t: not t.is_sign, tokens[places[operator.at] + 1 :])
            yield frozenset(islice((token.key for token in clause if token.key), 3))


def _chapter(source: Source) -> object:
    if (chunk := source.chunk) is None:
        return None
    return chunk.chapter.id if chunk.chapter.number is None else chunk.chapter.number
