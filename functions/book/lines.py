"""Lines of a text: `\\n`, `\\r\\n` and `\\r` all end one."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

_LINE_END = re.compile("\r\n|\n|\r")


class Lines:
    """Where each line starts. Lines count from 0 here; documents count them from 1."""

    def __init__(self, text: str) -> None:
        self.length = len(text)
        if "\r" in text:
            self.starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        else:
            self.starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
            self.starts.pop()

    def at(self, offset: int) -> int:
        """The line that the character at `offset` stands in."""
        return bisect_right(self.starts, offset) - 1

    def range(self, first: int, last: int) -> tuple[int, int]:
        """Offsets of lines `first` to `last`, the last one's end included."""
        end = self.starts[last + 1] if last + 1 < len(self.starts) else self.length
        return self.starts[first], end


@lru_cache(maxsize=2)
def lines_of(text: str) -> Lines:
    """The lines of a text; reading and cutting one document ask for the same ones in turn."""
    return Lines(text)


def byte_line_starts(text: str) -> list[int]:
    """Where each line starts, in UTF-8 bytes."""
    if text.isascii():
        return lines_of(text).starts
    data = text.encode()
    return [0, *(found.end() for found in re.finditer(rb"\r\n|\n|\r", data))]
