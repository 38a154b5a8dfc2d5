"""A selection, as a browser hands it over, cut into parts and sentences. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from functions.answer.context import Context, Sentence
from functions.book.chunks.chunk import ChunkPart, ChunkSentence
from functions.book.document import BlockKind
from functions.book.sentences.split import sentence_spans
from functions.selected.tables import is_table, read_rows

MOST_FOR_THE_WRITER = 10_000
"""Characters of a selection that reach the writer."""
LEAST_OF_SENTENCE = 25
"""What a sentence counts as at least: sentences are compared with each other."""

_WORD = re.compile(r"[^\W_]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT_LINE = re.compile(r"\s*(?:#|//)")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦]|\d{1,2}[.)])\s+\S")
_ITEM_END = re.compile(r"[.!?:;)][)\"'”’]?$")
LEAST_ITEMS = 2
"""Lines that may be the items of a list without marks, as a browser hands it over."""
MOST_WORDS_OF_ITEM = 8
"""Words of such an item that ends without a full stop."""
_CODE_LINE = re.compile(
    r"^\s*(?:</?[A-Za-z][\w:-]*(?:\s|>|/)|<!--|(?:def|class|import|from|return|if|for|while|else|elif"
    r"|fn|let|pub|use|impl|const|var|function|public|private|static|void|int|#include|@\w+)\b"
    r"|[{}()\[\]];?\s*$|//|/\*|\$ |>>> )|[;{}]\s*$|^\s*[\w.\[\]]+\s*(?:=|\+=|-=|:=)\s*\S"
    r"|^\s*[\w-]+:\s*(?:\S+)?$|^\s*[\w.]+\(.*\)\s*;?$|/>\s*$"
)


def count_words(text: str) -> int:
    """Runs of letters or digits, so that code counts."""
    return len(_WORD.findall(text))


def split_selection(text: str) -> tuple[ChunkPart, ...]:
    """The parts of a selection: paragraphs, lists, tables and code, numbered from 1.

    Lines count from 1 in the selection. In code each line is a sentence, in a table each row; a
    paragraph's sentences may run over line ends, as rendered text does.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    parts: list[ChunkPart] = []
    for first, last, kind in _stretches(lines):
        read = {"code": _code_lines, "table": read_rows, "list": _items}.get(kind, _sentences)
        if sentences := read(lines[first : last + 1], first + 1):
            number = len(parts) + 1
            parts.append(ChunkPart(number, kind, 0, 0, number, "", tuple(sentences)))
    return tuple(parts)


def cut_context(context: Context, scores: Sequence[float]) -> tuple[Context, bool]:
    """What of a selection reaches the writer, and whether anything was left out.

    At most `MOST_FOR_THE_WRITER` characters, the best parts first, in the selection's order; a
    part is taken whole or, when it alone is too long, up to its last sentence that fits.
    """
    if sum(map(_size, context.sentences)) <= MOST_FOR_THE_WRITER:
        return context, False
    best: dict[int, float] = {}
    blocks: dict[int, list[Sentence]] = {}
    for sentence, score in zip(context.sentences, scores, strict=True):
        best[sentence.block] = max(score, best.get(sentence.block, 0.0))
        blocks.setdefault(sentence.block, []).append(sentence)
    kept: set[str] = set()
    room = MOST_FOR_THE_WRITER
    for block in sorted(best, key=lambda block: -best[block]):
        members = blocks[block]
        length = sum(map(_size, members))
        if length > room and (kept or members[0].kind == "code"):
            continue
        for sentence in members:
            if _size(sentence) > room:
                break
            kept.add(sentence.id)
            room -= _size(sentence)
    chosen = tuple(sentence for sentence in context.sentences if sentence.id in kept)
    return replace(context, sentences=chosen), True


def _size(sentence: Sentence) -> int:
    return max(len(sentence.text) + 1, LEAST_OF_SENTENCE)


def _stretches(lines: list[str]) -> list[tuple[int, int, BlockKind]]:
    """Ranges of lines (from 0, last included) that belong together."""
    found: list[tuple[int, int, BlockKind]] = []
    first: int | None = None
    fence = ""
    for at, line in enumerate([*lines, ""]):
        mark = _FENCE.match(line)
        if fence:
            if at == len(lines) or (mark and mark.group(1).startswith(fence)):
                found.append((first or 0, at - 1, "code"))
                first, fence = None, ""
        elif mark:
            if first is not None:
                found.append((first, at - 1, _kind(lines[first:at])))
            first, fence = at + 1, mark.group(1)
        elif line.strip():
            first = at if first is None else first
        elif first is not None:
            found.append((first, at - 1, _kind(lines[first:at])))
            first = None
    return _joined_code(found)


def _joined_code(found: list[tuple[int, int, BlockKind]]) -> list[tuple[int, int, BlockKind]]:
    """Blank lines inside code do not end it."""
    joined: list[tuple[int, int, BlockKind]] = []
    for first, last, kind in found:
        if joined and kind == "code" and joined[-1][2] == "code":
            joined[-1] = (joined[-1][0], last, "code")
        else:
            joined.append((first, last, kind))
    return joined


def _kind(lines: list[str]) -> BlockKind:
    if is_table(lines):
        return "table"
    stated = [line for line in lines if not _COMMENT_LINE.match(line)]
    code = sum(1 for line in stated if _CODE_LINE.search(line) or line.startswith(("    ", "\t")))
    if code * 2 > len(stated):
        return "code"
    return "list" if _is_list(lines) else "paragraph"


def _is_list(lines: Sequence[str]) -> bool:
    """Whether lines are items: marked, or each one a short or a finished text that begins as one.
    A line that ends with a colon may introduce them."""
    first = lines[1:] if lines[0].rstrip().endswith(":") else lines
    if first and _ITEM.match(first[0]):
        return sum(1 for line in first if _ITEM.match(line)) > 1
    texts = [line.strip() for line in lines]
    return len(texts) >= LEAST_ITEMS and all(
        not text[0].islower()
        and (_ITEM_END.search(text) or len(text.split()) <= MOST_WORDS_OF_ITEM)
        for text in texts
    )


def _items(lines: list[str], first: int) -> list[ChunkSentence]:
    """The sentences of each item. Where items are marked, the lines between go on with one."""
    marked = [at for at, line in enumerate(lines) if _ITEM.match(line)]
    starts = sorted({0, *marked}) if len(marked) > 1 else range(len(lines))
    found: list[ChunkSentence] = []
    for start, end in pairwise([*starts, len(lines)]):
        found += _sentences(lines[start:end], first + start)
    return found


def _code_lines(lines: list[str], first: int) -> list[ChunkSentence]:
    return [
        ChunkSentence(line.rstrip(), first + at, first + at)
        for at, line in enumerate(lines)
        if line.strip()
    ]


def _sentences(lines: list[str], first: int) -> list[ChunkSentence]:
    text = "\n".join(lines)
    found = []
    begins, at = first, 0
    for start, end in sentence_spans(text):
        words = " ".join(text[start:end].split())
        begins += text.count("\n", at, start)
        at = start
        if _WORD.search(words):  # stops alone state nothing
            found.append(ChunkSentence(words, begins, begins + text.count("\n", start, end)))
    return found
