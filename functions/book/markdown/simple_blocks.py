"""Finds simple headings, paragraphs, lists and fenced code without the Markdown parser.

Most of a book is such text, recognised by how its lines begin. The parser gets the rest, with one
word in place of each run of simple blocks. Where it reports a paragraph there, the run is at the
top level, as assumed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from functions.book.document import BlockKind

_PROSE = r"(?:(?:[*_(\"'“‘]{1,3}|``?)?[^\W\d_]|!?\[[^\]\n^]*\]\().*"
_PARAGRAPH = re.compile(rf"{_PROSE}(?:\n(?:{_PROSE}|\[(?!\^).*))*+")
"""Lines that can be nothing but a paragraph."""
_LIST = re.compile(
    "|".join(
        rf"{mark} {_PROSE}(?:\n *+(?:{mark} )?{_PROSE})*+" for mark in ("-", r"\*", r"\d{1,9}\.")
    )
)
_FENCE = re.compile(r"(`{3,}(?=[^`\n]*\n)|~{3,})([^\n\\&]*)(?=\n)")
_FENCE_MARK = re.compile("```|~~~")
_OPENING = re.compile(r"([ \t]*)(([`~])\3\3)[^`~]*")
_HEADING = re.compile("#{1,6} ")
_BLANK = re.compile("\n\n")  # several times as fast as `str.find`
_RAW_HTML = re.compile(r"<(?:[!?]|pre|script|style|textarea)", re.IGNORECASE)
"""Raw HTML may continue over blank lines, and end inside a paragraph."""


class LineBlock(NamedTuple):  # a tuple: a book has thousands, twice as fast to make
    """A block as lines `first` to `last`, from 0. `level` is a heading's, else 0."""

    first: int
    last: int
    kind: BlockKind
    level: int = 0
    opens_section: bool = False
    label: str = ""


class Remainder(NamedTuple):
    """What is left for the parser.

    `line_numbers` has the line of the original text for each line. `simple` has, by line, the
    simple blocks that one word replaces; they are valid if the parser finds a paragraph there.
    """

    text: str
    line_numbers: list[int]
    simple: dict[int, list[LineBlock]]


def take_out_simple_blocks(text: str) -> Remainder:
    """The text with one word for each run of simple blocks. Its lines end with `\\n` only."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.rstrip("\n")
    if "<" in text and _RAW_HTML.search(text):
        return Remainder(text, list(range(text.count("\n") + 1)), {})
    scanner = _Scanner(text, knows_fences=True)
    if not scanner.run():
        scanner = _Scanner(text, knows_fences=False)
        scanner.run()
    return Remainder("\n\n".join(scanner.pieces), scanner.line_numbers, scanner.simple)


def code_kind(info: str) -> BlockKind:
    """The kind of a code block whose fence says `info`."""
    word = info.split(maxsplit=1)[0].strip("{}.").lower() if info.strip() else ""
    if word.startswith("mermaid"):
        return "mermaid"
    return "math" if word in {"math", "latex-math", "katex"} else "code"


class _Scanner:
    """With `knows_fences`, fenced code is a simple block wherever no other fence can be open."""

    def __init__(self, text: str, knows_fences: bool) -> None:
        self._text = text
        self._knows_fences = knows_fences
        self.pieces: list[str] = []
        self.line_numbers: list[int] = []
        self.simple: dict[int, list[LineBlock]] = {}
        self._run: list[LineBlock] | None = None
        self._list: tuple[str, int, int] | None = None
        """A list after simple blocks: simple itself unless the next segment can belong to it."""

    def run(self) -> bool:
        """Scan the segments between blank lines. False if only the parser can match the fences."""
        text, new = self._text, tuple.__new__  # which is twice as fast as the class's own
        at = line = 0
        for end in [*[found.start() for found in _BLANK.finditer(text)], len(text)]:
            bottom = -1  # the segment's last line; counted once, as it may have many headings
            while at < end:
                mark = text[at]
                if mark == "\n":
                    at += 1
                    line += 1
                    continue
                line_end = text.find("\n", at, end)
                last, after = line, end + 2
                if line_end >= 0:
                    if bottom < 0:
                        bottom = line + text.count("\n", line_end, end)
                    last = bottom
                elif mark.isalpha():
                    self._keep(new(LineBlock, (line, line, "paragraph", 0, False, "")))
                    at = after
                    line += 2
                    continue
                if mark == "#" and (heading := _HEADING.match(text, at)):
                    level = heading.end() - at - 1
                    self._keep(new(LineBlock, (line, line, "heading", level, True, "")))
                    if line < last:  # a heading ends with its line
                        at = line_end + 1
                        line += 1
                        continue
                elif _PARAGRAPH.fullmatch(text, at, end):
                    self._keep(new(LineBlock, (line, last, "paragraph", 0, False, "")))
                elif mark in "`~" and (fence := self._fence(at)):
                    fence_end, kind = fence
                    last = line + text.count("\n", at, fence_end)
                    after = fence_end + 2
                    self._keep(LineBlock(line, last, kind))
                elif not self._defer(text[at:end], line, last):
                    return False
                at = after
                line = last + 2
        self._keep_list()
        self._end_run()
        return True

    def _keep(self, block: LineBlock) -> None:
        if self._list:
            self._keep_list()
        if self._run is None:
            self._run = self.simple[len(self.line_numbers)] = []
            self.pieces.append("a")
        self._run.append(block)

    def _keep_list(self) -> None:
        if self._list:
            _, first, last = self._list
            self._list = None
            self._keep(LineBlock(first, last, "list"))

    def _end_run(self) -> None:
        """Map the word to the last line of its run: the parser may join it to what precedes it."""
        if self._run:
            last = self._run[-1].last
            self.line_numbers += (last, last + 1)
            self._run = None

    def _fence(self, at: int) -> tuple[int, BlockKind] | None:
        """The end of the fenced code at `at`, if a blank line or the end follows; and its kind."""
        opening = _FENCE.match(self._text, at) if self._knows_fences else None
        if not opening:
            return None
        closing = _closing_fence(opening[1]).search(self._text, opening.end())
        if not closing or self._text[closing.end() : closing.end() + 2] not in ("", "\n\n"):
            return None
        return closing.end(), code_kind(opening[2])

    def _defer(self, segment: str, line: int, last: int) -> bool:
        """Hold back a list until the next segment is known; leave other segments to the parser."""
        is_list = _LIST.fullmatch(segment)
        if is_list and not self._list and (self._run is not None or not self.pieces):
            self._list = segment, line, last
            return True
        if not is_list and self._knows_fences and _may_leave_open(segment):
            return False
        self._end_run()
        if self._list:
            self._leave_list(*self._list)
            self._list = None
        if is_list:
            self._leave_list(segment, line, last)
        else:
            self.line_numbers += range(line, last + 2)
            self.pieces.append(segment)
        return True

    def _leave_list(self, segment: str, line: int, last: int) -> None:
        """Leave a list to the parser, cut to two items: the result is the same."""
        if line == last:
            self.line_numbers += (line, last + 1)
            self.pieces.append(segment)
            return
        mark = segment[: segment.index(" ")]
        self.line_numbers += (line, last, last + 1)
        self.pieces.append(f"{mark} a\n{mark} a")


def _may_leave_open(segment: str) -> bool:
    """Whether a fence may continue after the segment."""
    if "```" not in segment and "~~~" not in segment:
        return False
    lines = segment.split("\n")
    ends = _FenceEnds(lines)
    at = 0
    while at < len(lines):
        opening = _OPENING.fullmatch(lines[at])
        if opening and (end := ends.of(at, opening[1], opening[2])):
            at = end
        elif _FENCE_MARK.search(lines[at]):
            return True
        at += 1
    return False


class _FenceEnds:
    """Finds where fenced code ends in the list item or quote that it begins in, in linear time over
    all fences: where one ended the search, another like it does."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._known: dict[tuple[str, str], tuple[int, int]] = {}

    def of(self, opened: int, indent: str, mark: str) -> int:
        """The line that closes the fence; 0 if none does."""
        from_line, stop = self._known.get((indent, mark), (len(self._lines), 0))
        if not from_line <= opened + 1 <= stop:
            stop = opened + 1
            while self._goes_on(stop, indent, mark):
                stop += 1
            self._known[indent, mark] = opened + 1, stop
        is_closed = stop < len(self._lines) and self._lines[stop].startswith(indent)
        return stop if is_closed else 0

    def _goes_on(self, at: int, indent: str, mark: str) -> bool:
        """Whether a line is inside the fence: indented as its opening, and no closing."""
        if at == len(self._lines) or not (line := self._lines[at]).startswith(indent):
            return False
        rest = line[len(indent) :].rstrip(" \t")
        return not rest.startswith(mark) or bool(rest.strip(mark[0]))


@lru_cache(maxsize=64)
def _closing_fence(mark: str) -> re.Pattern[str]:
    return re.compile(rf"\n {{0,3}}{mark[0]}{{{len(mark)},}}[ \t]*(?=\n|\Z)")
