"""What needs no parser: headings, paragraphs, tables, lists and fenced code that stand alone.

Most of a book is such text. It is found by how its lines begin. The parser sees the rest, with one
word in the place of each run of it, which tells whether the run stands in the open.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from functions.book.document import BlockKind

_PROSE = r"(?:(?:[*_(\"'“‘]{1,3}|``?)?[^\W\d_]|!?\[[^\]\n^]*\]\().*"
_PARAGRAPH = re.compile(rf"{_PROSE}(?:\n(?:{_PROSE}|\[(?!\^).*))*+")
"""No line can be anything else."""
_LIST = re.compile(
    "|".join(
        rf"{mark} {_PROSE}(?:\n *+(?:{mark} )?{_PROSE})*+" for mark in ("-", r"\*", r"\d{1,9}\.")
    )
)
_FENCE = re.compile(r"(`{3,}(?=[^`\n]*\n)|~{3,})([^\n\\&]*)(?=\n)")
_FENCE_MARK = re.compile("```|~~~")
_CLOSED = re.compile(r"^([ \t]*)(```|~~~)[^`~\n]*\n(?:\1.*\n)*?\1\2[ \t]*$", re.MULTILINE)
"""Fenced code that ends in the same list item or quote as it begins in."""
_HEADING = re.compile("#{1,6} ")
_BLANK = re.compile("\n\n")  # several times as fast as `str.find`
_RAW_HTML = re.compile(r"<(?:[!?]|pre|script|style|textarea)", re.IGNORECASE)
"""It goes on over blank lines, to an end that could stand in a paragraph."""


class LineBlock(NamedTuple):  # a tuple: a book has thousands, twice as fast to make
    """A block as lines `first` to `last`, from 0. `level` is a heading's, else 0."""

    first: int
    last: int
    kind: BlockKind
    level: int = 0
    opens_section: bool = False
    label: str = ""


class Shortened(NamedTuple):
    """A text without its plain stanzas.

    `numbers` are the lines of the text that its lines stand for. `stanzas` are the blocks that
    stand at a line, if the parser sees a paragraph there.
    """

    text: str
    numbers: list[int]
    stanzas: dict[int, list[LineBlock]]


def take_out_stanzas(text: str) -> Shortened:
    """The text with a word for every run of plain stanzas. Its lines end with `\\n` only."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.rstrip("\n")
    if "<" in text and _RAW_HTML.search(text):
        return Shortened(text, list(range(text.count("\n") + 1)), {})
    shortening = _Shortening(text, knows_fences=True)
    if not shortening.run():
        shortening = _Shortening(text, knows_fences=False)
        shortening.run()
    return Shortened("\n\n".join(shortening.pieces), shortening.numbers, shortening.stanzas)


def code_kind(info: str) -> BlockKind:
    """The kind of a code block whose fence says `info`."""
    word = info.split(maxsplit=1)[0].strip("{}.").lower() if info.strip() else ""
    if word.startswith("mermaid"):
        return "mermaid"
    return "math" if word in {"math", "latex-math", "katex"} else "code"


class _Shortening:
    """`knows_fences` takes fenced code for what it is, too, wherever no other fence may be open."""

    def __init__(self, text: str, knows_fences: bool) -> None:
        self._text = text
        self._knows_fences = knows_fences
        self.pieces: list[str] = []
        self.numbers: list[int] = []
        self.stanzas: dict[int, list[LineBlock]] = {}
        self._run: list[LineBlock] | None = None
        self._list: tuple[str, int, int] | None = None
        """A list after plain stanzas: plain, too, if nothing that follows can belong to it."""

    def run(self) -> bool:
        """Go through the stanzas. False when there are fences that only the parser understands."""
        text, new = self._text, tuple.__new__  # which is twice as fast as the class's own
        at = line = 0
        for end in [*[found.start() for found in _BLANK.finditer(text)], len(text)]:
            while at < end:
                mark = text[at]
                if mark == "\n":
                    at += 1
                    line += 1
                    continue
                line_end = text.find("\n", at, end)
                last, after = line, end + 2
                if line_end >= 0:
                    last += text.count("\n", line_end, end)
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
                elif not self._wait(text[at:end], line, last):
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
            self._run = self.stanzas[len(self.numbers)] = []
            self.pieces.append("a")
        self._run.append(block)

    def _keep_list(self) -> None:
        if self._list:
            _, first, last = self._list
            self._list = None
            self._keep(LineBlock(first, last, "list"))

    def _end_run(self) -> None:
        """The parser may take the word for the last line of something longer."""
        if self._run:
            last = self._run[-1].last
            self.numbers += (last, last + 1)
            self._run = None

    def _fence(self, at: int) -> tuple[int, BlockKind] | None:
        """Where the fenced code at `at` ends, if a blank line or nothing follows; and its kind."""
        opening = _FENCE.match(self._text, at) if self._knows_fences else None
        if not opening:
            return None
        closing = _closing_fence(opening[1]).search(self._text, opening.end())
        if not closing or self._text[closing.end() : closing.end() + 2] not in ("", "\n\n"):
            return None
        return closing.end(), code_kind(opening[2])

    def _wait(self, stanza: str, line: int, last: int) -> bool:
        """See whether a list is plain once more is known; show any other stanza to the parser."""
        is_list = _LIST.fullmatch(stanza)
        if is_list and not self._list and (self._run is not None or not self.pieces):
            self._list = stanza, line, last
            return True
        if not is_list and self._knows_fences and _may_leave_open(stanza):
            return False
        self._end_run()
        if self._list:
            self._show_list(*self._list)
            self._list = None
        if is_list:
            self._show_list(stanza, line, last)
        else:
            self.numbers += range(line, last + 2)
            self.pieces.append(stanza)
        return True

    def _show_list(self, stanza: str, line: int, last: int) -> None:
        """Its first and last lines say as much as all."""
        if line == last:
            self.numbers += (line, last + 1)
            self.pieces.append(stanza)
            return
        mark = stanza[: stanza.index(" ")]
        self.numbers += (line, last, last + 1)
        self.pieces.append(f"{mark} a\n{mark} a")


def _may_leave_open(stanza: str) -> bool:
    """Whether there is a fence that may go on behind the stanza."""
    has_fence = "```" in stanza or "~~~" in stanza
    return has_fence and _FENCE_MARK.search(_CLOSED.sub("", stanza)) is not None


@lru_cache(maxsize=64)
def _closing_fence(mark: str) -> re.Pattern[str]:
    return re.compile(rf"\n {{0,3}}{mark[0]}{{{len(mark)},}}[ \t]*(?=\n|\Z)")
