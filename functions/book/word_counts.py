"""Counting the words of blocks, most often without parting them."""

from __future__ import annotations

from collections.abc import Sequence

from functions.book.documents import ATOMIC, Block
from functions.book.packing import count_words

_MARKS = "-/_"
_INSIDE_WORDS = bytes(
    code for code in range(128) if chr(code) not in _MARKS + "?" and not chr(code).isspace()
)
"""What parts no words. What is not ASCII may, and is shown as a question mark."""
_LONG = 7
"""Stretches with more characters than that for each word that fits are not looked at."""


class WordCounter:
    """Counts the words of stretches of one source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._marks = [mark for mark in _MARKS if mark in source]

    def count(self, block: Block, text: str) -> int:
        """Words of a block. Code is counted by runs of letters too; in prose marks nearly do."""
        if block.kind in ATOMIC:
            return count_words(text)
        words = len(text.split())
        for mark in self._marks:
            words += text.count(mark)
        return words

    def fits(self, section: Sequence[Block], max_words: int) -> bool:
        """Whether the blocks, of one span each, surely have `max_words` at most together."""
        first, end = section[0].spans[0].start, section[-1].spans[0].end
        if end - first > _LONG * max_words:
            return False
        most = _count_most(self._source[first:end])
        atomic: list[tuple[str, int]] = []
        for block in section:
            if block.kind in ATOMIC:
                text = self._source[block.spans[0].start : block.spans[0].end]
                rough = len(text) // 2 + 1
                most += rough - _count_most(text)
                atomic.append((text, rough))
        if most > max_words and atomic:
            most += sum([count_words(text) - rough for text, rough in atomic])
        return most <= max_words


def _count_most(text: str) -> int:
    """At least the words of prose: one more than what may part them."""
    return len(text.encode("ascii", "replace").translate(None, _INSIDE_WORDS)) + 1
