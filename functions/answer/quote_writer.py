"""The writer that needs no model: it picks the verbatim sentences that answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from functions.answer.context import Context, Sentence
from functions.answer.deadline import Deadline
from functions.answer.evidence import read_question, score_sentences
from functions.answer.writing import Draft, DraftClaim

CODE_KINDS = ("code", "mermaid", "math")
LONGEST_CODE = 15
"""Lines of code that are quoted whole; of longer blocks, the lines around the best one."""
AROUND = 4
CLOSE = 0.5
"""A further sentence is quoted when it scores at least this share of the best one: in a selection,
where few sentences compete."""
CLOSE_IN_BOOK = 0.8
"""The same among the many sentences of several chunks."""
_LEANS = re.compile(
    r"^(?:it|its|this|these|those|they|their|he|she|his|her|such|that|here|both|then|thus|"
    r"however|instead|moreover|for (?:example|instance))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuoteWriter:
    """Quotes at most `max_sentences` sentences, and what the first ones lean on."""

    max_sentences: int = 3

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        return self.pick(question, context)

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        """Without a model nothing that the rules flagged can be saved."""
        return [False] * len(pairs)

    def pick(self, question: str, context: Context) -> Draft:
        """The draft, in the order of the context's sources. Pure."""
        scores = score_sentences(read_question(question), context)
        ranked = sorted(range(len(scores)), key=lambda at: -scores[at])
        close = CLOSE if context.similarities else CLOSE_IN_BOOK
        units: list[tuple[Sentence, ...]] = []
        taken: set[str] = set()
        for at in ranked:
            if len(units) == self.max_sentences or scores[at] < close * scores[ranked[0]]:
                break
            sentence = context.sentences[at]
            if sentence.id in taken or not re.search(r"\w{2}", sentence.text):
                continue
            unit = _unit(sentence, context)
            taken.update(member.id for member in unit)
            units.append(unit)
        units = _with_leaned_on(units, context, self.max_sentences)
        units.sort(key=lambda unit: context.position[unit[0].id])
        claims = tuple(
            DraftClaim(_joined(unit), tuple(sentence.id for sentence in unit)) for unit in units
        )
        return Draft("full" if claims else "none", claims)


def _unit(sentence: Sentence, context: Context) -> tuple[Sentence, ...]:
    """A sentence alone, or the code block (or the lines around) that a line of code stands in."""
    if sentence.kind not in CODE_KINDS:
        return (sentence,)
    block = [
        other
        for other in context.sentences
        if (other.source, other.block) == (sentence.source, sentence.block)
    ]
    if len(block) <= LONGEST_CODE:
        return tuple(block)
    at = block.index(sentence)
    return tuple(block[max(0, at - AROUND) : at + AROUND + 1])


def _with_leaned_on(
    units: list[tuple[Sentence, ...]], context: Context, most: int
) -> list[tuple[Sentence, ...]]:
    """The units, best first, each that makes no sense alone ("It …") with the sentence before it.

    A unit is dropped rather than the sentence that a better one leans on.
    """
    kept: list[tuple[Sentence, ...]] = []
    taken: set[str] = set()
    for unit in units:
        if unit[0].id in taken:
            continue
        wanted = [unit]
        first = unit[0]
        at = context.position[first.id]
        before = context.sentences[at - 1] if at else None
        if (
            most > 1
            and before is not None
            and before.id not in taken
            and (before.source, before.block) == (first.source, first.block)
            and first.kind not in CODE_KINDS
            and _LEANS.match(first.text)
        ):
            wanted.insert(0, (before,))
        if kept and len(kept) + len(wanted) > most:
            continue
        kept += wanted
        taken.update(sentence.id for each in wanted for sentence in each)
    return kept


def _joined(unit: tuple[Sentence, ...]) -> str:
    separator = "\n" if unit[0].kind in CODE_KINDS else " "
    return separator.join(sentence.text for sentence in unit)
