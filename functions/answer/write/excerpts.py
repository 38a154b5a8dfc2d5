"""Excerpts: the stretches of the book that are quoted as one. Pure.

A paragraph or the part of it that answers, a list or a table with the sentence that announces it,
a code block with the sentence before it. None opens with a word ("It …") whose meaning stands in a
sentence that is not quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from functions.answer.context import PROSE_KINDS, Context, Sentence
from functions.answer.layout import items_of
from functions.answer.text.anaphora import continues, opens_with_anaphor
from functions.answer.text.words import words_of

CODE_KINDS = ("code", "mermaid", "math")
LONGEST_SELECTED = 8
"""Lines of code of a selection, which the reader can see, that are quoted whole."""
LONGEST_CODE = 40
"""Lines of code that are quoted whole; of longer blocks, the definition around the best one."""
AROUND = 8
"""Lines before and after the best one, where it is in no definition that is short enough."""
LONGEST_WHOLE = 85
"""Words of a paragraph that is quoted whole."""
LONGEST_PART = 70
"""Words of the part that is quoted of a longer one."""
MOST_SENTENCES = 4
LONGEST_LIST = 120
"""Words of a list or a table that is quoted whole where it was not a list that was asked for."""
LONGEST_LIST_ASKED = 350
MOST_ANTECEDENTS = 3
MOST_ENTRIES = 3
"""Rows or items that are quoted of a longer table or list."""
CLOSE = 0.6
"""A sentence belongs to the part that answers if it scores this share of the best one."""
LABEL_WORDS = 4
_ANNOUNCES = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|several|following|these)\b|:\W*$",
    re.IGNORECASE,
)
_TERM = re.compile(r"\S.{0,60} : \S")
_CLOSES = re.compile(
    r"\s*(?:[)\]}]|(?:else|elif|elsif|except|finally|catch|rescue|ensure|then|fi|done|esac|end)\b|"
    r"</)"
)
"""A line that belongs to the one above that is indented alike."""
_HEADS = re.compile(r"\s*(?:@\w|#|//|/\*|\*|--\s|;|%)")
"""A comment or a decorator, which belongs to the line below."""


@dataclass(frozen=True, slots=True)
class Block:
    """The sentences of one block of a source. `lead` are those before it that announce it."""

    sentences: tuple[Sentence, ...]
    lead: tuple[Sentence, ...] = ()

    @property
    def kind(self) -> str:
        return self.sentences[0].kind

    @property
    def source(self) -> int:
        return self.sentences[0].source


def blocks_of(context: Context) -> tuple[Block, ...]:
    """The blocks of a context, in its order, each with its lead."""
    found: list[Block] = []
    for _, members in groupby(context.sentences, key=lambda s: (s.source, s.block)):
        sentences = tuple(members)
        before = found[-1] if found and found[-1].source == sentences[0].source else None
        found.append(Block(sentences, _lead_of(sentences, before, context)))
    return tuple(found)


def _lead_of(
    sentences: Sequence[Sentence], before: Block | None, context: Context
) -> tuple[Sentence, ...]:
    """The sentence before a list, a table or code, if it announces it, with its antecedents."""
    if before is None or before.kind != "paragraph":
        return ()
    last = before.sentences[-1]
    if sentences[0].kind in ("paragraph", "quote") and not last.text.endswith(":"):
        return ()
    if _labels(context, last) != _labels(context, sentences[0]):
        return ()
    if not (_ANNOUNCES.search(last.text) or sentences[0].kind == "code"):
        return ()
    lead = (*antecedents_of(last, context), last)
    can_stand = not opens_with_anaphor(lead[0].text)
    return lead if can_stand or (last.text.endswith(":") and sentences[0].kind != "code") else ()


def _labels(context: Context, sentence: Sentence) -> str:
    chunk = context.sources[sentence.source].chunk
    parts = chunk.parts if chunk else ()
    return next((part.label for part in parts if part.block == sentence.block), "")


def excerpt_of(
    block: Block, scores: Sequence[float], context: Context, *, whole: bool = False
) -> tuple[Sentence, ...]:
    """What to quote of a block for the question that gave the sentences their scores.

    `whole`: a list was asked for, so long ones are not cut.
    """
    if block.kind in CODE_KINDS:
        return (*block.lead, *_code(block.sentences, scores, context))
    if block.kind in ("list", "table"):
        return _listed(block, scores, context, whole)
    announced = _announced(block, context)
    if announced is not None and _best(block.sentences, scores, context) == block.sentences[-1]:
        return excerpt_of(announced, scores, context, whole=whole)
    prose = _prose(block.sentences, scores, context)
    return (*block.lead, *prose) if prose[0] == block.sentences[0] else prose


def _code(
    lines: tuple[Sentence, ...], scores: Sequence[float], context: Context
) -> tuple[Sentence, ...]:
    is_selected = context.sources[lines[0].source].kind == "selection"
    longest, around = (LONGEST_SELECTED, AROUND // 2) if is_selected else (LONGEST_CODE, AROUND)
    if len(lines) <= longest:
        return lines
    at = lines.index(_best(lines, scores, context))
    first, last = _definition(lines, at, longest) or (max(0, at - around), at + around)
    return lines[first : last + 1]


def _definition(lines: Sequence[Sentence], at: int, longest: int) -> tuple[int, int] | None:
    """The first and last line of the outermost definition around a line (a class, a function) that
    has at most `longest` lines, by indentation; None where there is none of more than a line."""
    depths = [len(line.text) - len(line.text.lstrip()) for line in lines]
    for depth in sorted({each for each in depths[: at + 1] if each <= depths[at]}):
        first = last = at
        while first and (depths[first] > depth or _CLOSES.match(lines[first].text)):
            first -= 1
        while last + 1 < len(lines) and (
            depths[last + 1] > depth or _CLOSES.match(lines[last + 1].text)
        ):
            last += 1
        while first and depths[first - 1] == depth and _HEADS.match(lines[first - 1].text):
            first -= 1
        if depths[first] == depth and 1 < last - first + 1 <= longest:
            return first, last
    return None


def _listed(
    block: Block, scores: Sequence[float], context: Context, whole: bool
) -> tuple[Sentence, ...]:
    """A list or table with its lead: whole if short, else its best entry and those beside it."""
    is_selected = context.sources[block.source].kind == "selection" and not whole
    longest = LONGEST_LIST_ASKED if whole else 0 if is_selected else LONGEST_LIST
    if _words(block.sentences) <= longest:
        return (*block.lead, *block.sentences)
    entries = [tuple(group) for _, group in items_of(block.sentences, context)]
    if block.kind == "table":
        entries = [(sentence,) for sentence in block.sentences]
    entries = entries or [block.sentences]
    values = [max(scores[context.position[s.id]] for s in entry) for entry in entries]
    first = last = max(range(len(entries)), key=values.__getitem__)
    least = CLOSE * values[first]
    most = len(entries) if whole else 1 if is_selected else MOST_ENTRIES
    while last - first + 1 < most and last + 1 < len(entries) and values[last + 1] >= least:
        last += 1
    while last - first + 1 < most and first and values[first - 1] >= least:
        first -= 1
    if first == last:
        return _prose(entries[first], scores, context)
    return tuple(sentence for entry in entries[first : last + 1] for sentence in entry)


def is_label(sentence: Sentence) -> bool:
    """Whether a sentence is a heading run in before its text ("Hip strategy.")."""
    return sentence.kind in PROSE_KINDS and len(words_of(sentence.text)) <= LABEL_WORDS


def _prose(
    sentences: tuple[Sentence, ...], scores: Sequence[float], context: Context
) -> tuple[Sentence, ...]:
    """A short paragraph of the book whole; of a longer one, and of a selection, which the reader
    has before him, the best sentence, what that refers to, and what follows on it."""
    first, last = 0, len(sentences) - 1
    is_selected = context.sources[sentences[0].source].kind == "selection"
    if is_selected or _words(sentences) > LONGEST_WHOLE:
        best = _best(sentences, scores, context)
        first = last = sentences.index(best)
        least = CLOSE * scores[context.position[best.id]]
        while first and (continues(sentences[first].text) or is_label(sentences[first - 1])):
            first -= 1
        while last + 1 < len(sentences) and last - first + 1 < MOST_SENTENCES:
            after = sentences[last + 1]
            wanted = continues(after.text) or scores[context.position[after.id]] >= least
            is_short = _words(sentences[first : last + 2]) <= LONGEST_PART
            if not is_label(sentences[last]) and not (wanted and is_short):
                break
            last += 1
    is_paragraph = sentences[0].kind in ("paragraph", "quote")
    before = antecedents_of(sentences[first], context) if first == 0 and is_paragraph else []
    answers = sentences.index(_best(sentences[first : last + 1], scores, context))
    if not before:  # what an anaphor refers to is no sentence: a heading, a figure
        some = range(first, answers + 1)
        stands = (at for at in some if not opens_with_anaphor(sentences[at].text))
        first = next(stands, first)
    return (*before, *sentences[first : last + 1])


def _announced(block: Block, context: Context) -> Block | None:
    """The list, table or code that the last sentence of a paragraph announces."""
    after = next_of(block.sentences[-1], context)
    if after is None:
        return None
    last = block.sentences[-1].text
    if not (last.endswith(":") or (after.kind == "list" and _ANNOUNCES.search(last))):
        return None
    body = tuple(s for s in context.sentences if (s.source, s.block) == (after.source, after.block))
    return Block(body, _lead_of(body, block, context))


def _best(sentences: Sequence[Sentence], scores: Sequence[float], context: Context) -> Sentence:
    return max(sentences, key=lambda s: scores[context.position[s.id]])


def _words(sentences: Sequence[Sentence]) -> int:
    return sum(len(words_of(s.text)) for s in sentences)


def next_of(sentence: Sentence, context: Context) -> Sentence | None:
    """The sentence after one, in the same source."""
    after = context.position[sentence.id] + 1
    if after == len(context.sentences) or context.sentences[after].source != sentence.source:
        return None
    return context.sentences[after]


def antecedent_of(sentence: Sentence, context: Context) -> Sentence | None:
    """The sentence before one that opens with an anaphor ("It …"), in the same paragraph or at the
    end of the one before."""
    at = context.position[sentence.id]
    if not at or sentence.kind in CODE_KINDS or not continues(sentence.text):
        return None
    before = context.sentences[at - 1]
    same = before.source == sentence.source and before.kind in PROSE_KINDS
    return before if same and sentence.block - before.block <= 1 else None


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


def unit_of(sentence: Sentence, context: Context) -> tuple[Sentence, ...]:
    """What is quoted for one sentence: itself, or with what it is read with: its code block, the
    term it defines, the list it announces."""
    block = tuple(
        s for s in context.sentences if (s.source, s.block) == (sentence.source, sentence.block)
    )
    if sentence.kind in CODE_KINDS:
        at = block.index(sentence)
        if len(block) <= LONGEST_CODE // 2:
            return block
        return block[max(0, at - AROUND // 2) : at + AROUND // 2 + 1]
    if _TERM.match(block[0].text) and len(block) <= MOST_SENTENCES:
        return block
    announced = _announced(Block(block), context) if sentence == block[-1] else None
    if announced and _words(announced.sentences) <= LONGEST_LIST:
        return (sentence, *announced.sentences)
    after = next_of(sentence, context) if is_label(sentence) else None
    return (sentence, after) if after and after.block == sentence.block else (sentence,)
