"""Lines of a text: `\\n`, `\\r\\n` and `\\r` all end one."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


def letters_of(text: str) -> bytes:
    """One byte for each character: a question mark for what is not ASCII."""
    return text.encode("ascii", "replace")


class Lines:
    """Where each line starts. Lines count from 0 here; documents count them from 1."""

    def __init__(self, text: str, letters: bytes | None = None) -> None:
        self.length = len(text)
        # As bytes, one for each character: `str.splitlines` knows other line ends too.
        lines = (letters_of(text) if letters is None else letters).splitlines(keepends=True)
        self.starts = list(accumulate(map(len, lines), initial=0))
        if lines and lines[-1][-1] not in b"\r\n":
            self.starts.pop()

    def at(self, offset: int) -> int:
        """The line that the character at `offset` stands in."""
        return bisect_right(self.starts, offset) - 1

    def range(self, first: int, last: int) -> tuple[int, int]:
        """Offsets of lines `first` to `last`, the last one's end included."""
        end = self.starts[last + 1] if last + 1 < len(self.starts) else self.length
        return self.starts[first], end
