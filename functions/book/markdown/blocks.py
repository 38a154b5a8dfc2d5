"""Converts parser events to a document's blocks, as ranges of lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from functions.book.document import BlockKind, Lines
from functions.book.markdown.plain_text import parse_markdown
from functions.book.markdown.simple_blocks import (
    LineBlock,
    Remainder,
    code_kind,
    take_out_simple_blocks,
)

_MARKER_ONLY = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s*)*")
_ALERT = re.compile(r"[ \t>]*\[!(\w+)\][ \t]*[\r\n]*\Z")
_LEAVES = frozenset({"Heading", "CodeBlock", "Table"})
_CONTAINERS: dict[str, BlockKind] = {"List": "list", "BlockQuote": "quote"}
_NO_TEXT = "> \t\r\n"


def find_blocks(text: str) -> list[LineBlock]:
    """The blocks of Markdown, in order. Atomic blocks inside lists and quotes are separate."""
    remainder = take_out_simple_blocks(text)
    if remainder.text == "a" and 0 in remainder.simple:
        return remainder.simple[0]
    walk = _Walk(remainder)
    walk.run()
    return walk.blocks


class _Walk:
    def __init__(self, remainder: Remainder) -> None:
        self.text, self._line_numbers, self._simple = remainder
        self.blocks: list[LineBlock] = []
        self._lines = Lines(self.text)
        self._starts = self._lines.starts
        self._claims: list[LineBlock] = []

    def run(self) -> None:
        # Block syntax is ASCII. At one byte a character, byte offsets are character offsets.
        letters = (
            self.text if self.text.isascii() else self.text.encode("ascii", "replace").decode()
        )
        has_math = "$$" in letters
        outermost: Any = ""
        start = end = 0
        for event, where in parse_markdown(letters):
            if (
                "Start" in event
            ):  # a dict key of events with data; no event without data has it in its name
                value = event["Start"]
                begun = where["start"]
                # The parser reports cells missing from a table's last row after the table.
                is_top = begun >= end and value != "TableCell"
                if is_top:
                    if end:
                        self._close(outermost, start, end)
                    outermost, start, end = value, begun, where["end"]
                if type(value) is dict and (name := next(iter(value))) in _LEAVES:
                    self._claim(name, value[name], begun, where["end"], is_top)
            elif has_math and "DisplayMath" in event:
                self._claim_math(where["start"], where["end"])
        if end:
            self._close(outermost, start, end)

    def _keep(self, block: LineBlock) -> None:
        first, last, kind, level, opens_section, label = block
        first, last = self._line_numbers[first], self._line_numbers[last]
        self.blocks.append(LineBlock(first, last, kind, level, opens_section, label))

    def _range(self, start: int, end: int) -> tuple[int, int]:
        starts = self._starts
        first = bisect_right(starts, start) - 1
        return first, bisect_right(starts, end - 1 if end > start else start, first) - 1

    def _claim(self, name: str, value: Any, start: int, end: int, is_top: bool) -> None:
        first, last = self._range(start, end)
        last = self._trim(first, last)
        if name == "Heading":
            block = LineBlock(first, last, "heading", int(value["level"][1]), is_top)
        elif name == "Table":
            block = LineBlock(first, last, "table")
        else:
            info = value["Fenced"] if type(value) is dict else ""
            block = LineBlock(first, last, code_kind(info))
        if is_top:
            self._keep(block)
        else:
            self._claims.append(block)

    def _claim_math(self, start: int, end: int) -> None:
        first, last = self._range(start, end)
        line = self.text[slice(*self._lines.range(first, last))].strip(_NO_TEXT)
        if line.startswith("$$") and line.endswith("$$"):
            self._claims.append(LineBlock(first, last, "math"))

    def _close(self, outermost: Any, start: int, end: int) -> None:
        name = outermost if type(outermost) is str else next(iter(outermost))
        if name in _LEAVES:
            self._claims.clear()
            return
        at, last = self._range(start, end)
        if at in self._simple:
            self.blocks += self._simple[at]
            return
        kind = _CONTAINERS.get(name, "paragraph")
        label = (outermost[name] or "") if name == "BlockQuote" else ""
        for claim in self._claims:
            if claim.first < at:  # two blocks on one line: it belongs to the first
                continue
            if claim.first > at:
                self._add_rest(at, claim.first - 1, kind, label)
            self._keep(claim._replace(label=label) if label else claim)
            at = claim.last + 1
        self._claims.clear()
        if at <= last:
            self._add_rest(at, last, kind, label)

    def _add_rest(self, first: int, last: int, kind: BlockKind, label: str) -> None:
        while first <= last and (
            not self._line(first).strip(_NO_TEXT) or (label and _ALERT.match(self._line(first)))
        ):
            first += 1
        if first > last:
            return
        last = self._trim(first, last)
        start, end = self._lines.range(first, last)
        if not self.text[start].isalpha() and _MARKER_ONLY.fullmatch(self.text, start, end):
            return
        self._keep(LineBlock(first, last, kind, label=label))

    def _trim(self, first: int, last: int) -> int:
        while last > first and not self._line(last).strip(_NO_TEXT):
            last -= 1
        return last

    def _line(self, line: int) -> str:
        starts = self._starts
        return self.text[starts[line] : starts[line + 1] if line + 1 < len(starts) else None]
