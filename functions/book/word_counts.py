"""Counting the words of blocks, most often without parting them."""

from __future__ import annotations

from collections.abc import Sequence

from functions.book.documents import ATOMIC, Block
from functions.book.packing import count_words

_MARKS = "-/_"
_ASCII_SPACES = "\t\v\f\r\x1c\x1d\x1e\x1f"
_OTHER_SPACES = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + (
    "".join(map(chr, range(0x2000, 0x200B)))
)
"""With these, all that `str.split` parts words at, besides the blank and the line feed."""


class WordCounter:
    """Counts the words of stretches of one source; most often without parting them."""

    def __init__(self, source: str) -> None:
        self._source = source
        possible = _ASCII_SPACES if source.isascii() else _ASCII_SPACES + _OTHER_SPACES
        spaces = [space for space in possible if space in source]
        self._has_plain_spaces = not spaces
        self._separators = [*_MARKS, " ", "\n", *spaces]

    def count(self, block: Block, text: str) -> int:
        """Words of a block. Code is counted by runs of letters too; in prose marks nearly do."""
        if block.kind in ATOMIC:
            return count_words(text)
        marks = text.count("-") + text.count("/") + text.count("_")
        if self._has_plain_spaces and "  " not in text and text[:1] != " ":
            lines = text.count("\n")  # the text ends with a word
            if not lines or not ("\n " in text or " \n" in text or "\n\n" in text):
                return text.count(" ") + lines + 1 + marks
        return len(text.split()) + marks

    def fits(self, section: Sequence[Block], max_words: int) -> bool:
        """Whether the blocks, of one span each, surely have `max_words` at most together."""
        first, end = section[0].spans[0].start, section[-1].spans[0].end
        most = self._separated(self._source[first:end]) + 1
        atomic: list[tuple[str, int]] = []
        for block in section:
            if block.kind in ATOMIC:
                text = self._source[block.spans[0].start : block.spans[0].end]
                rough = len(text) // 2 + 1
                most += rough - self._separated(text)
                atomic.append((text, rough))
        if most > max_words and atomic:
            most += sum([count_words(text) - rough for text, rough in atomic])
        return most <= max_words

    def _separated(self, text: str) -> int:
        return sum([text.count(mark) for mark in self._separators])
