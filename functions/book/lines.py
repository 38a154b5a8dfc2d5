"""Lines of a text: `\\n`, `\\r\\n` and `\\r` all end one."""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE_END = re.compile("\r\n|\n|\r")


class Lines:
    """Where each line starts. Lines count from 0 here; documents count them from 1."""

    def __init__(self, text: str) -> None:
        self.length = len(text)
        if "\r" in text:
            self.starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        else:
            self.starts = starts = [0]
            at = 0
            for line in text.split("\n")[:-1]:
                at += len(line) + 1
                starts.append(at)

    def at(self, offset: int) -> int:
        """The line that the character at `offset` stands in."""
        return bisect_right(self.starts, offset) - 1

    def range(self, first: int, last: int) -> tuple[int, int]:
        """Offsets of lines `first` to `last`, the last one's end included."""
        end = self.starts[last + 1] if last + 1 < len(self.starts) else self.length
        return self.starts[first], end


def byte_line_starts(text: str) -> list[int]:
    """Where each line starts, in UTF-8 bytes."""
    if text.isascii():
        return Lines(text).starts
    data = text.encode()
    return [0, *(found.end() for found in re.finditer(rb"\r\n|\n|\r", data))]
