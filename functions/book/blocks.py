"""From parser events to the blocks of a document, as ranges of lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from functions.book.documents import BlockKind
from functions.book.lines import byte_line_starts, lines_of
from functions.book.plain import parse_markdown

_MARKER_ONLY = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s*)*")
_ALERT = re.compile(r"[ \t>]*\[!(\w+)\][ \t]*[\r\n]*\Z")
_LEAVES = {"Paragraph", "Heading", "CodeBlock", "Table", "HtmlBlock"}
_CONTAINERS: dict[str, BlockKind] = {"List": "list", "BlockQuote": "quote"}


@dataclass(frozen=True, slots=True)
class LineBlock:
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
        self._starts = byte_line_starts(text)
        self._claims: list[LineBlock] = []

    def run(self) -> None:
        depth = 0
        name, region, alert = "", (0, 0), ""
        for event, where in parse_markdown(self.text):
            if type(event) is not dict:
                continue
            ((turn, value),) = event.items()
            if turn == "Start":
                kind = value if type(value) is str else next(iter(value))
                if not depth:
                    name, region = kind, self._range(where)
                    alert = (value[kind] or "") if kind == "BlockQuote" else ""
                    self._claims = []
                if kind in _LEAVES and kind != "Paragraph":
                    self._claim(kind, value, where, depth == 0)
                depth += 1
            elif turn == "End":
                depth -= 1
                if not depth:
                    self._close(name, region, alert)
            elif turn == "DisplayMath":
                first, last = self._range(where)
                line = self.text[slice(*self._lines.range(first, last))].strip("> \t\r\n")
                if line.startswith("$$") and line.endswith("$$"):
                    self._claims.append(LineBlock(first, last, "math"))

    def _range(self, where: dict[str, int]) -> tuple[int, int]:
        start, end = where["start"], where["end"]
        return bisect_right(self._starts, start) - 1, bisect_right(
            self._starts, max(start, end - 1)
        ) - 1

    def _claim(self, name: str, value: Any, where: dict[str, int], is_top: bool) -> None:
        first, last = self._range(where)
        if name == "Heading":
            level = int(value["Heading"]["level"][1])
            self._claims.append(LineBlock(first, last, "heading", level, is_top))
        elif name == "Table":
            self._claims.append(LineBlock(first, last, "table"))
        elif name == "CodeBlock":
            kind = value["CodeBlock"]
            info = kind["Fenced"] if type(kind) is dict else ""
            self._claims.append(LineBlock(first, last, _code_kind(info)))

    def _close(self, name: str, region: tuple[int, int], alert: str) -> None:
        filling = _CONTAINERS.get(name, "paragraph")
        label = alert
        at, end = region
        for claim in self._claims:
            if claim.first < at:  # two blocks on one line: the first has it
                continue
            self._fill(at, claim.first - 1, filling, label)
            last = self._trim(claim.first, claim.last)
            self.blocks.append(
                LineBlock(claim.first, last, claim.kind, claim.level, claim.opens_section, label)
            )
            at = claim.last + 1
        self._fill(at, end, filling, label)

    def _fill(self, first: int, last: int, kind: BlockKind, label: str) -> None:
        while first <= last and not self._line(first).strip("> \t\r\n"):
            first += 1
        if first <= last and label and _ALERT.match(self._line(first)):
            return self._fill(first + 1, last, kind, label)
        last = self._trim(first, last)
        if first > last or _MARKER_ONLY.fullmatch(
            self.text[slice(*self._lines.range(first, last))]
        ):
            return
        self.blocks.append(LineBlock(first, last, kind, label=label))

    def _trim(self, first: int, last: int) -> int:
        while last > first and not self._line(last).strip("> \t\r\n"):
            last -= 1
        return last

    def _line(self, line: int) -> str:
        return self.text[slice(*self._lines.range(line, line))]


def _code_kind(info: str) -> BlockKind:
    word = info.split(maxsplit=1)[0].strip("{}.").lower() if info.strip() else ""
    if word.startswith("mermaid"):
        return "mermaid"
    return "math" if word in {"math", "latex-math", "katex"} else "code"
