"""Finds where markup may begin, and where code and mathematics end: they contain no markup."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from functools import lru_cache

_PREFIX = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*")
_FENCE = re.compile(r"(?:(`{3,})[^`\r\n]*|(~{3,})[^\r\n]*)(?=[\r\n]|\Z)")
_BLANK_REST = re.compile(r"[ \t]*(?=[\r\n]|\Z)")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t>]*(?=\r|\n)")
_INLINE_MATH = re.compile(r"\$(?![\s$])[^$\r\n]*+(?<![\s\\])\$(?!\d)")
_NOT_QUOTED = re.compile(r"\n(?![ \t]*>)")
_TICKS = re.compile("`+")
_INDENT = re.compile(r"[ \t>]*")

_CHARACTERS = b"`<{\\$"
_IS_MARK = bytes(code in _CHARACTERS for code in range(256))
_LONGER = {
    "~": re.compile("~(?=~~)"),
    ":": re.compile(":(?=::)"),
    "!": re.compile("!(?=!! )"),
    "?": re.compile(r"\?(?=\?\?\+? )"),
    "=": re.compile('=(?===[!+]? ")'),
    "\n": re.compile(r"\n(?:import|export)\b"),
}
"""Marks of several characters, by their first."""


def find_marks(source: str, letters: bytes) -> bytearray:
    """1 for each character of the source where markup may begin, 0 for every other.

    `letters` has one byte for each character. Marks are the characters above, three tildes or
    colons, what opens a box of Python-Markdown, and the line end before an import or an export.
    """
    # One search per mark is several times as fast as one search for all.
    marks = bytearray(letters.translate(_IS_MARK))
    for character, pattern in _LONGER.items():
        if character in source:
            for found in pattern.finditer(source):
                marks[found.start()] = 1
    return marks


@lru_cache(maxsize=64)
def _closing_fence(mark: str) -> re.Pattern[str]:
    return re.compile(rf"\n[ \t>]*{mark[0]}{{{len(mark)},}}[ \t]*(?=[\r\n]|\Z)")


class Literals:
    """Finds the ends of literals in one source, in linear time over all calls."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.fences: list[tuple[int, int, str]] = []
        """Ranges of lines, and the code fence that the parser gets instead."""
        self.warnings: list[str] = []
        self._ticks: dict[int, list[int]] = {}
        self._ticks_end = 0
        self._paragraph = (0, -1)
        self._absent: dict[str, int] = {}
        self._unclosed: dict[str, tuple[int, int]] = {}

    def line_start(self, at: int, reach: int = 160) -> int:
        """The start of the line of `at`; -1 if it is more than `reach` characters back."""
        low = max(0, at - reach)
        start = max(self.source.rfind("\n", low, at), self.source.rfind("\r", low, at)) + 1
        return start if start or not low else -1

    def line_prefix(self, at: int) -> str | None:
        """The text on the line before `at`, if it is only white space and container marks."""
        if at and self.source[at - 1] == "\n":
            return ""
        start = self.line_start(at)
        if start < 0:
            return None
        prefix = self.source[start:at]
        return prefix if _PREFIX.fullmatch(prefix) else None

    def blank_until(self, at: int) -> int:
        """The end of the line, if only white space follows `at` on it; else -1."""
        found = _BLANK_REST.match(self.source, at)
        return found.end() if found else -1

    def find(self, text: str, start: int) -> int:
        """`str.find`, remembering which texts no longer occur."""
        if self._absent.get(text, len(self.source) + 1) <= start:
            return -1
        found = self.source.find(text, start)
        if found < 0:
            self._absent[text] = start
        return found

    def warn(self, at: int, what: str) -> None:
        """Record a warning with its line; at most twenty per document."""
        if len(self.warnings) < 20:
            self.warnings.append(f"line {self.source.count(chr(10), 0, at) + 1}: {what}")

    def fence_end(self, at: int) -> int:
        """The end of the fenced code that opens at `at`; 0 if none does."""
        opening = _FENCE.match(self.source, at)
        if not opening or (prefix := self.line_prefix(at)) is None:
            return 0
        mark = opening.group(1) or opening.group(2)
        if found := self._find_closing(mark, opening.end()):
            return found.end()
        if ">" in prefix:
            after = _NOT_QUOTED.search(self.source, opening.end())
            return after.start() if after else len(self.source)
        self.warn(at, "a code fence is never closed")
        return len(self.source)

    def _find_closing(self, mark: str, start: int) -> re.Match[str] | None:
        """The closing of a fence; remembers which no longer occur: no longer one does either."""
        shortest, since = self._unclosed.get(mark[0], (0, 0))
        if shortest and len(mark) >= shortest and start >= since:
            return None
        found = _closing_fence(mark).search(self.source, start)
        if not found:
            self._unclosed[mark[0]] = len(mark), start
        return found

    def inline_code_end(self, at: int) -> int:
        """The end of the inline code that opens at `at`, else the end of its back-ticks."""
        if at >= self._ticks_end:
            self._index_ticks(at)
        run = 1
        while self.source.startswith("`", at + run):
            run += 1
        starts = self._ticks.get(run, [])
        closing = bisect_right(starts, at)
        if closing < len(starts) and self._may_span(at, starts[closing]):
            return starts[closing] + run
        return at + run

    def _index_ticks(self, at: int) -> None:
        """Index the runs of back-ticks from `at` to the end of the paragraph by their length."""
        self._ticks_end = self._paragraph_end(at)
        self._ticks = defaultdict(list)
        for found in _TICKS.finditer(self.source, at, self._ticks_end):
            self._ticks[found.end() - found.start()].append(found.start())

    def _may_span(self, at: int, closing: int) -> bool:
        """Inline code may span lines of a paragraph, but not cells of a table."""
        start = max(self.line_start(at, 1000), at - 1000, 0)
        line, between = self.source[start:at], self.source[at:closing]
        if line.lstrip(" \t>").startswith("|"):
            return "|" not in between.replace("\\|", "")
        return "|" not in line or "\n" not in between

    def _paragraph_end(self, at: int) -> int:
        start, end = self._paragraph
        if not start <= at <= end:
            found = _BLANK_LINE.search(self.source, at)
            end = found.start() if found else len(self.source)
            self._paragraph = (at, end)
        return end

    def math_end(self, at: int) -> int:
        """The end of the mathematics that a `$` at `at` opens, else the end of the mark.

        Display mathematics on its own lines may contain blank lines, and lines that look like
        lists or headings: the parser gets a code fence instead.
        """
        source = self.source
        if not source.startswith("$$", at):
            inline = _INLINE_MATH.match(source, at)
            return inline.end() if inline else at + 1
        closing = self.find("$$", at + 2)
        if closing < 0:
            return at + 2
        first_end, last_end = self.blank_until(at + 2), self.blank_until(closing + 2)
        if first_end < 0 or last_end < 0:
            return closing + 2 if closing < self._paragraph_end(at) else at + 2
        if closing > first_end and self.line_prefix(at) is not None:
            self.render_as_fence(at, first_end, closing, last_end, "math")
        return last_end

    def render_as_fence(self, start: int, first_end: int, inside: int, end: int, info: str) -> None:
        """Give the parser a code fence from the line of `start` to the line of `inside`."""
        low = (
            max(self.source.rfind("\n", start, inside), self.source.rfind("\r", start, inside)) + 1
        )
        prefix = _INDENT.match(self.source, low)
        self.fences.append((start, first_end, "~~~~~~ " + info))
        self.fences.append((prefix.end() if prefix else low, end, "~~~~~~"))
