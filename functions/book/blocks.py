"""From parser events to the blocks of a document, as ranges of lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, NamedTuple

from functions.book.documents import BlockKind
from functions.book.lines import lines_of
from functions.book.plain import parse_markdown

_MARKER_ONLY = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s*)*")
_ALERT = re.compile(r"[ \t>]*\[!(\w+)\][ \t]*[\r\n]*\Z")
_LEAVES = frozenset({"Heading", "CodeBlock", "Table"})
_CONTAINERS: dict[str, BlockKind] = {"List": "list", "BlockQuote": "quote"}
_NO_TEXT = "> \t\r\n"


class LineBlock(NamedTuple):  # a tuple: a book has thousands, twice as fast to make
    """A block as lines `first` to `last`, from 0. `level` is a heading's, else 0."""

    first: int
    last: int
    kind: BlockKind
    level: int = 0
    opens_section: bool = False
    label: str = ""


def find_blocks(text: str) -> list[LineBlock]:
    """The blocks of Markdown in order. Atomic blocks stand alone even inside lists and quotes."""
    walk = _Walk(text)
    walk.run()
    return walk.blocks


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[LineBlock] = []
        self._lines = lines_of(text)
        self._starts = self._lines.starts
        self._claims: list[LineBlock] = []

    def run(self) -> None:
        # Letters say nothing of blocks. With one byte for each, the parser's offsets are ours.
        letters = (
            self.text if self.text.isascii() else self.text.encode("ascii", "replace").decode()
        )
        has_math = "$$" in letters
        outermost: Any = ""
        start = end = 0
        for event, where in parse_markdown(letters):
            if "Start" in event:  # as a key, or not in the name of an event without more to say
                value = event["Start"]
                name = value if type(value) is str else next(iter(value))
                is_top = where["start"] >= end
                if is_top:
                    if end:
                        self._close(outermost, start, end)
                    outermost, start, end = value, where["start"], where["end"]
                if name in _LEAVES:
                    self._claim(name, value[name], where, is_top)
            elif has_math and "DisplayMath" in event:
                first, last = self._range(where["start"], where["end"])
                line = self.text[slice(*self._lines.range(first, last))].strip(_NO_TEXT)
                if line.startswith("$$") and line.endswith("$$"):
                    self._claims.append(LineBlock(first, last, "math"))
        if end:
            self._close(outermost, start, end)

    def _range(self, start: int, end: int) -> tuple[int, int]:
        starts = self._starts
        first = bisect_right(starts, start) - 1
        return first, bisect_right(starts, max(start, end - 1), first) - 1

    def _claim(self, name: str, value: Any, where: dict[str, int], is_top: bool) -> None:
        first, last = self._range(where["start"], where["end"])
        if name == "Heading":
            self._claims.append(LineBlock(first, last, "heading", int(value["level"][1]), is_top))
        elif name == "Table":
            self._claims.append(LineBlock(first, last, "table"))
        else:
            info = value["Fenced"] if type(value) is dict else ""
            self._claims.append(LineBlock(first, last, _code_kind(info)))

    def _close(self, outermost: Any, start: int, end: int) -> None:
        at, last = self._range(start, end)
        name = outermost if type(outermost) is str else next(iter(outermost))
        if name == "Paragraph" and not self._claims and self.text[start].isalpha():
            self.blocks.append(LineBlock(at, last, "paragraph"))
            return
        if name in _LEAVES:
            claim = self._claims.pop()
            self.blocks.append(claim._replace(last=self._trim(at, last)))
            return
        filling = _CONTAINERS.get(name, "paragraph")
        label = (outermost[name] or "") if name == "BlockQuote" else ""
        for claim in self._claims:
            if claim.first < at:  # two blocks on one line: the first has it
                continue
            if claim.first > at:
                self._fill(at, claim.first - 1, filling, label)
            trimmed = self._trim(claim.first, claim.last)
            self.blocks.append(
                LineBlock(claim.first, trimmed, claim.kind, claim.level, claim.opens_section, label)
            )
            at = claim.last + 1
        self._claims.clear()
        if at <= last:
            self._fill(at, last, filling, label)

    def _fill(self, first: int, last: int, kind: BlockKind, label: str) -> None:
        while first <= last and not self._line(first).strip(_NO_TEXT):
            first += 1
        if first <= last and label and _ALERT.match(self._line(first)):
            return self._fill(first + 1, last, kind, label)
        if first > last:
            return
        last = self._trim(first, last)
        start, end = self._lines.range(first, last)
        if not self.text[start].isalpha() and _MARKER_ONLY.fullmatch(self.text, start, end):
            return
        self.blocks.append(LineBlock(first, last, kind, label=label))

    def _trim(self, first: int, last: int) -> int:
        while last > first and not self._line(last).strip(_NO_TEXT):
            last -= 1
        return last

    def _line(self, line: int) -> str:
        starts = self._starts
        return self.text[starts[line] : starts[line + 1] if line + 1 < len(starts) else None]


def _code_kind(info: str) -> BlockKind:
    word = info.split(maxsplit=1)[0].strip("{}.").lower() if info.strip() else ""
    if word.startswith("mermaid"):
        return "mermaid"
    return "math" if word in {"math", "latex-math", "katex"} else "code"
