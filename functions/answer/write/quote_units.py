"""What is quoted together: whole code, a term with its definition, a sentence with its list, and a
sentence with the one it refers to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from functions.answer.context import Context, Sentence
from functions.answer.text.anaphora import continues

CODE_KINDS = ("code", "mermaid", "math")
LONGEST_CODE = 15
"""Lines of code that are quoted whole; of longer blocks, the lines around the best one."""
LONGEST_SELECTED_CODE = 8
"""The same in a selection, which the reader can see."""
AROUND = 4
LONGEST_DEFINITION = 4
"""Sentences of a term's definition that are quoted with the term."""
MOST_ANTECEDENTS = 3
_TERM = re.compile(r"\S.{0,60} : \S")
_ANNOUNCES = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|several|following)\b", re.IGNORECASE
)


def unit_of(sentence: Sentence, context: Context) -> tuple[Sentence, ...]:
    """What is read as one: a sentence; a code block (or the lines around the best one); a term with
    its definition; a sentence that announces ("The steps are:", "There are three kinds.") with the
    list it announces.

    A row of a table is a unit: its cells have their headers.
    """
    block = _block(sentence.source, sentence.block, context)
    if sentence.kind in CODE_KINDS:
        if len(block) <= (LONGEST_SELECTED_CODE if context.is_embedded else LONGEST_CODE):
            return block
        at = block.index(sentence)
        return block[max(0, at - AROUND) : at + AROUND + 1]
    if _TERM.match(block[0].text) and len(block) <= LONGEST_DEFINITION:
        return block
    if sentence == block[-1] and (next_one := next_of(sentence, context)):
        announced = _block(next_one.source, next_one.block, context)
        counted = next_one.kind == "list" and _ANNOUNCES.search(sentence.text)
        if (sentence.text.endswith(":") or counted) and len(announced) <= LONGEST_CODE:
            return (sentence, *announced)
    return (sentence,)


def next_of(sentence: Sentence, context: Context) -> Sentence | None:
    """The sentence after one, in the same source."""
    after = context.position[sentence.id] + 1
    if after == len(context.sentences) or context.sentences[after].source != sentence.source:
        return None
    return context.sentences[after]


def antecedent_of(sentence: Sentence, context: Context) -> Sentence | None:
    """The sentence before one that opens with an anaphor ("It …"), in the same block."""
    at = context.position[sentence.id]
    if not at or sentence.kind in CODE_KINDS or not continues(sentence.text):
        return None
    before = context.sentences[at - 1]
    same = (before.source, before.block) == (sentence.source, sentence.block)
    return before if same else None


def antecedents_of(sentence: Sentence, context: Context) -> list[Sentence]:
    """The sentences that one refers to, the nearest last: as `antecedent_of`, until one stands
    alone."""
    found: list[Sentence] = []
    while len(found) < MOST_ANTECEDENTS and (before := antecedent_of(sentence, context)):
        found.insert(0, before)
        sentence = before
    return found


def joined(unit: Sequence[Sentence]) -> str:
    """The text of sentences that follow each other."""
    text = unit[0].text
    for sentence in unit[1:]:
        text += ("\n" if sentence.kind in CODE_KINDS else " ") + sentence.text
    return text


def _block(source: int, block: int, context: Context) -> tuple[Sentence, ...]:
    return tuple(each for each in context.sentences if (each.source, each.block) == (source, block))
