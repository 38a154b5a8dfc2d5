"""A source without what is not text: the parser's input, and the spans that blocks keep."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter

from functions.book.document import Lines, Span

_NOT_LINE_END = re.compile(r"[^\r\n]+")
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Label:
    """The title of a tab, an admonition or a details element, whose content is `source[start:end]`.

    `source[first:last]` is where the author wrote it; empty if the title is the kind's name.
    `kind` is the admonition's, or the element's name, in lower case.
    """

    start: int
    end: int
    first: int
    last: int
    title: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class StrippedSource:
    """`text` has the same lines as the source, without what is not Markdown."""

    source: str
    text: str
    lines: Lines
    removed: list[tuple[int, int, int]]  # start, end, offset of a space that replaces it, or -1
    labels: list[Label]
    ids: dict[int, str]
    warnings: list[str]

    def text_around(self, start: int, end: int) -> tuple[int, int]:
        """The range of pure text around `source[start:end]`; empty if that is not pure text."""
        removed = self.removed
        after = bisect_left(removed, (end,))
        low = removed[after - 1][1] if after else 0
        if low > start:
            return 0, 0
        return low, removed[after][0] if after < len(removed) else len(self.source)

    def keep(self, start: int, end: int) -> tuple[Span, ...]:
        """The spans of text within `source[start:end]`."""
        removed = self.removed
        if not removed or start >= end:
            return (Span(start, end),) if start < end else ()
        here = max(bisect_left(removed, (start,)) - 1, 0)
        while here < len(removed) and removed[here][1] <= start:
            here += 1
        if here == len(removed) or removed[here][0] >= end:
            return (Span(start, end),)
        spans: list[Span] = []
        while here < len(removed) and removed[here][0] < end:
            cut, until, space = removed[here]
            here += 1
            if until <= start:
                continue
            if cut > start:
                spans.append(Span(start, cut))
            if space >= 0 and spans:
                spans.append(Span(space, space + 1))
            start = until
        if start < end:
            spans.append(Span(start, end))
        return tuple(spans)


def assemble(
    source: str,
    letters: bytes,
    removed: list[tuple[int, int, bool]],
    fences: list[tuple[int, int, str]],
    labels: list[Label],
    ids: dict[int, str],
    indented: Sequence[tuple[int, int, int]],
    warnings: list[str],
) -> StrippedSource:
    """Apply what the scan found: ranges to remove, lines to replace by fences, indentation."""
    lines = Lines(source, letters)
    edits = [(start, end, 0, text) for start, end, text in fences]
    kept: list[tuple[int, int, int]] = []
    first_space = _SPACE.search(source)
    any_space = first_space.start() if first_space else -1
    for start, end, separates_words in removed:
        instead = source[start:end]
        instead = _NOT_LINE_END.sub("", instead) if "\n" in instead or "\r" in instead else ""
        space = _space_instead(source, start, end, any_space) if separates_words else -1
        if space >= 0 and not instead:
            instead = " "
        kept.append((start, end, space))
        edits.append((start, end, 1, instead))
    edits.extend(_unindent(source, lines, indented))
    edits.sort(key=itemgetter(0, 2))  # a fence takes precedence over a tag at the same place
    kept.sort()
    pieces: list[str] = []
    at = 0
    for start, end, _, instead in edits:
        if start < at:
            continue
        pieces.append(source[at:start])
        pieces.append(instead)
        at = end
    pieces.append(source[at:])
    text = "".join(pieces) if edits else source
    labels.sort(key=lambda label: (label.start, -label.end))
    return StrippedSource(source, text, lines, kept, labels, ids, warnings)


def _space_instead(source: str, start: int, end: int, any_space: int) -> int:
    """The offset of a space to separate the words on both sides of a removed tag, or -1."""
    if not start or end >= len(source) or source[start - 1].isspace() or source[end].isspace():
        return -1
    inside = _SPACE.search(source, start, end)
    if inside:
        return inside.start()
    before = source.rfind(" ", max(0, start - 500), start)
    return before if before >= 0 else any_space


def _unindent(
    source: str, lines: Lines, indented: Sequence[tuple[int, int, int]]
) -> list[tuple[int, int, int, str]]:
    if not indented:
        return []
    change = [0] * (len(lines.starts) + 1)
    for start, end, columns in indented:
        change[lines.at(start) + 1] += columns
        change[lines.at(end) if end < len(source) else len(lines.starts)] -= columns
    edits = []
    for line, columns in enumerate(accumulate(change)):
        if columns > 0:
            start = end = lines.starts[line]
            while end < start + columns and source[end : end + 1] in (" ", "\t"):
                end += 1
            if end > start:
                edits.append((start, end, 2, ""))
    return edits
