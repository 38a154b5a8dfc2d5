"""Counting the words of blocks, most often without parting them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from functions.book.document import ATOMIC, Block

_MARKS = "-/_"
_INSIDE_WORDS = bytes(
    code for code in range(128) if chr(code) not in _MARKS + "?" and not chr(code).isspace()
)
"""What parts no words. What is not ASCII may, and is shown as a question mark."""
_LONG = 7
"""Stretches with more characters than that for each word that fits are not looked at."""


_RUN = re.compile(r"[^\W_]+")
_ASCII_RUNS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))


def count_words(text: str) -> int:
    """Words by white space or by runs of letters and digits, whichever are more."""
    return max(len(text.split()), count_runs(text))


def count_runs(text: str) -> int:
    """Runs of letters and digits."""
    if text.isascii():
        return len(text.translate(_ASCII_RUNS).split())
    return len(_RUN.findall(text))


class WordCounter:
    """Counts the words of blocks of one source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._marks = [mark for mark in _MARKS if mark in source]

    def count(self, blocks: Sequence[Block]) -> list[int]:
        """Words of each block. Code is counted by runs of letters too; in prose marks nearly do."""
        source, marks = self._source, self._marks
        counts: list[int] = []
        for block in blocks:
            spans = block.spans
            start, end = spans[0]
            text = source[start:end]
            if len(spans) > 1:
                text = "".join([source[start:end] for start, end in spans])
            if block.kind in ATOMIC:
                words = count_words(text)
            else:
                words = len(text.split())
                for mark in marks:
                    if mark in text:
                        words += text.count(mark)
            counts.append(words)
        return counts

    def fits(self, section: Sequence[Block], max_words: int) -> bool:
        """Whether the blocks, of one span each, surely have `max_words` at most together."""
        first, end = section[0].spans[0].start, section[-1].spans[0].end
        if end - first > _LONG * max_words:
            return False
        source = self._source
        most, at = 1, first
        atomic: list[tuple[str, int]] = []
        for block in section:
            if block.kind in ATOMIC:
                start, stop = block.spans[0]
                text = source[start:stop]
                rough = len(text) // 2 + 1
                most += _count_parting(source[at:start]) + rough
                atomic.append((text, rough))
                at = stop
        most += _count_parting(source[at:end])
        if most > max_words and atomic:
            most += sum([count_words(text) - rough for text, rough in atomic])
        return most <= max_words


def _count_parting(text: str) -> int:
    """How many characters may part words; prose has one word more at most."""
    return len(text.encode("ascii", "replace").translate(None, _INSIDE_WORDS))
