"""Renders Markdown as plain text, with a map back to source offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pyromark

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_GFM
)
_MARK = re.compile(r"[\\`*_\[\]<>&$~!|\r\n\t]")
_BLOCK_MARK = re.compile(r" *(?:[#+=-]|\d+[.)])| {4}")
_DEFINITION = re.compile(r"\n[ \t>]{0,9}\[([^\]\r\n]{1,200})\]:")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--(?:(?!<!--).)*?-->", re.DOTALL)
_BREAKING_TAG = re.compile(r"<(?:br|hr)\b", re.I)
_BLOCK_TAGS = frozenset(
    "Paragraph Item HtmlBlock TableHead TableRow List Heading CodeBlock BlockQuote Table "
    "FootnoteDefinition".split()
)


@dataclass(frozen=True, slots=True)
class Plain:
    """Plain text. Blank lines separate its blocks.

    `pieces` are pairs (offset in `text`, offset in the Markdown), in rising order of both.
    """

    text: str
    pieces: tuple[tuple[int, int], ...]

    def source_offset(self, at: int) -> int:
        """The offset of the character `text[at]` in the Markdown."""
        piece = max(bisect_right(self.pieces, (at, 1 << 60)) - 1, 0)
        here, there = self.pieces[piece]
        following = self.pieces[piece + 1][1] if piece + 1 < len(self.pieces) else 1 << 60
        return min(there + at - here, following)

    @property
    def offsets(self) -> tuple[int, ...]:
        """The offset of each character of `text` in the Markdown, in ascending order."""
        found: list[int] = []
        end = len(self.text)
        for (here, there), (after, following) in pairwise([*self.pieces, (end, 1 << 60)]):
            last = there + min(after, end) - here
            found += range(there, min(last, following))
            found += [following] * (last - max(there, following))
        return tuple(found)


@lru_cache(maxsize=2)
def _parser(references: frozenset[str] = frozenset()) -> Any:
    if not references:
        return pyromark.Markdown(options=_OPTIONS)
    return pyromark.Markdown(
        options=_OPTIONS,
        broken_link_callback=lambda broken: (
            ("", "") if label_key(broken["reference"]) in references else None
        ),
    )


def parse_markdown(text: str) -> Any:
    """Parser events of Markdown, with ranges in UTF-8 bytes; adjacent texts are merged."""
    return _parser().events_with_range(text, merge_text=True)


def render_plain(raw: str, references: frozenset[str] = frozenset(), alt: bool = False) -> Plain:
    """The plain text of some Markdown, as a reader sees it.

    Images are left out, unless there is nothing else or `alt` asks for their text. Inline code and
    TeX (`$x^2$`) stay; tags, footnote marks and task boxes do not. `references` are the labels, in
    lower case, of reference links that are defined elsewhere in the document.
    """
    if not (_MARK.search(raw) or _BLOCK_MARK.match(raw)):
        bare = raw.strip()
        return Plain(bare, ((0, raw.index(bare[0]) if bare else 0),))
    rendering = _Rendering(raw, alt)
    rendering.run(_parser(references).events_with_range(raw))
    if not rendering.has_text and rendering.has_image and not alt:
        return render_plain(raw, references, alt=True)
    return rendering.result()


def plain_text(raw: str, references: frozenset[str] = frozenset(), line_break: str = " ") -> str:
    """The text of `render_plain`, faster, without the map. Lines end with `line_break`."""
    if not (_MARK.search(raw) or _BLOCK_MARK.match(raw)):
        return raw.strip()
    texts: list[str] = []
    put = texts.append
    block_ended = False
    images = 0
    for event in _parser(references).events(raw):
        if "Text" in event:
            text = event["Text"]
        elif "Start" in event or "End" in event:
            ((turn, value),) = event.items()
            name = value if type(value) is str else next(iter(value))
            if name in _BLOCK_TAGS:
                block_ended = True
            elif name == "Image":
                images += 1 if turn == "Start" else -1
            elif name == "TableCell" and turn == "End":
                put(" ")
            continue
        elif type(event) is str:
            if event != "Rule":
                put(line_break)
            continue
        elif "Code" in event:
            text = event["Code"]
        elif "InlineMath" in event:
            text = f"${event['InlineMath']}$"
        elif "DisplayMath" in event:
            text = f"$${event['DisplayMath']}$$".replace("\n", " ")
        elif "InlineHtml" in event:
            if not _BREAKING_TAG.match(event["InlineHtml"]):
                continue
            text = " "
        elif "Html" in event:
            return render_plain(raw, references).text
        else:
            continue
        if images:
            continue
        if block_ended:
            if texts:
                put("\n\n")
            block_ended = False
        put(text)
    text = "".join(texts).strip()
    return text if text or "![" not in raw else render_plain(raw, references).text


def label_key(label: str) -> str:
    """A reference's label in the form to compare: without case and repeated white space."""
    return " ".join(label.split()).casefold()


@lru_cache(maxsize=2)
def defined_labels(source: str) -> frozenset[str]:
    """The labels of the reference links that a document defines; the same object each time, as
    comparing two would take time for each block."""
    if "]:" not in source:
        return frozenset()
    return frozenset(label_key(label) for label in _DEFINITION.findall("\n" + source))


class ByteOffsets:
    """Maps offsets in UTF-8 bytes to offsets in characters."""

    def __init__(self, text: str) -> None:
        self._ascii = text.isascii()
        self._after: list[int] = []  # byte offset after each character that is not ASCII
        self._extra: list[int] = [0]  # surplus of bytes over characters up to there
        if not self._ascii:
            extra = 0
            for found in re.finditer(r"[^\x00-\x7f]", text):
                extra += len(found.group().encode()) - 1
                self._after.append(found.end() + extra)
                self._extra.append(extra)

    def character(self, byte: int) -> int:
        """The offset of the character that a byte belongs to."""
        if self._ascii:
            return byte
        return byte - self._extra[bisect_right(self._after, byte)]


class _Rendering:
    def __init__(self, raw: str, alt: bool) -> None:
        self.raw = raw
        self.alt = alt
        self.has_text = False
        self.has_image = False
        self._at = ByteOffsets(raw).character
        self._texts: list[str] = []
        self._pieces: list[tuple[int, int]] = []
        self._length = 0
        self._break = ""
        self._images = 0

    def run(self, events: Any) -> None:
        for event, where in events:
            if event == "SoftBreak" or event == "HardBreak":
                self._put(" ", where["start"])
                continue
            if event == "Rule":
                continue
            ((kind, value),) = event.items()
            if kind == "Text":
                self._put(value, where["start"])
            elif kind == "Start" or kind == "End":
                self._start_or_end(kind, value)
            elif kind == "Code":
                self._put_inside(value, where)
            elif kind == "InlineMath" or kind == "DisplayMath":
                start, end = self._at(where["start"]), self._at(where["end"])
                self._put(re.sub(r"[\r\n]", " ", self.raw[start:end]), where["start"])
            elif kind == "InlineHtml":
                if _BREAKING_TAG.match(value):
                    self._put(" ", where["start"])
            elif kind == "Html":
                self._put_html(value, where["start"])

    def _start_or_end(self, kind: str, value: Any) -> None:
        name = value if isinstance(value, str) else next(iter(value))
        if name in _BLOCK_TAGS:
            self._break = "\n\n"
        elif name == "Image":
            self.has_image = True
            self._images += 1 if kind == "Start" else -1
        elif name == "TableCell" and kind == "End":
            self._break = self._break or " "

    def _put(self, text: str, byte: int) -> None:
        if self._images and not self.alt:
            return
        start = self._at(byte)
        if self._break:
            if self._length:
                self._pieces.append((self._length, start))
                self._texts.append(self._break)
                self._length += len(self._break)
            self._break = ""
        self._pieces.append((self._length, start))
        self._texts.append(text)
        self._length += len(text)
        self.has_text = self.has_text or not text.isspace()

    def _put_inside(self, code: str, where: dict[str, int]) -> None:
        start, end = self._at(where["start"]), self._at(where["end"])
        inner = self.raw.find(code, start, end)
        if inner < 0:
            inner = start + len(self.raw[start:end]) - len(self.raw[start:end].lstrip("`"))
        self._put(code, where["start"] + inner - start)  # only ASCII precedes it

    def _put_html(self, html: str, byte: int) -> None:
        ends = [(0, 0), *(found.span() for found in _TAG.finditer(html)), (len(html), len(html))]
        for (_, start), (end, _) in pairwise(ends):
            if html[start:end].strip():
                self._put(html[start:end].rstrip(), byte + len(html[:start].encode()))
                self._break = "\n\n"

    def result(self) -> Plain:
        text = "".join(self._texts)
        bare = text.rstrip()
        return Plain(bare, tuple(self._pieces) or ((0, 0),))
