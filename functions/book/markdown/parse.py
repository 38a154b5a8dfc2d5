"""Parses a source file into a document with its blocks."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from functions.book.document import Block, BlockKind, Document, FrontMatter, Heading, Span
from functions.book.fold import long_runs_of_marks
from functions.book.markdown.blocks import find_blocks
from functions.book.markdown.front_matter import read_front_matter
from functions.book.markdown.plain_text import plain_text, render_plain
from functions.book.markdown.simple_blocks import LineBlock
from functions.book.markdown.strip_mdx import strip_mdx
from functions.book.markdown.stripped import Label, StrippedSource
from functions.book.site.heading_ids import HeadingIds, slugger_of

MAX_BYTES = 5_000_000
MOST_MARKS = 30
"""Combining marks in a row: no language has more (UAX #15, Stream-Safe Text Format), and putting
them in order takes quadratic time."""
LONGEST_TITLE = 500
"""Characters of a heading, or of a label: all blocks and chunks below it have them."""
LONGEST_ANCHOR = 1_000
_ATX = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*#{1,6}(?:[ \t]+|$)")
_ATX_END = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_BLOCK_MARK = re.compile(r"[-+*>#]|\d+[.)]")
"""In a heading, "2. Evidence" does not begin a list."""
_WORDS = re.compile(r"[^\W_]++(?: [^\W_]++)*+")
_TAG = re.compile(r"<[^<>]*>")
_UNDERLINE = re.compile(r"(?:\r\n|\n|\r)[ \t>]*(?:=+|-+)[ \t]*$")


class UnreadableDocument(Exception):
    """The file cannot be read as Markdown. `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_document(source_path: str, data: bytes, heading_ids: HeadingIds = "github") -> Document:
    """Read a Markdown or MDX file. Raises UnreadableDocument; all other defects are warnings."""
    source = decode_source(data)
    front, stripped, warnings = strip_source(source_path, source)
    blocks, title = _Builder(stripped, front, source_path, heading_ids).build()
    return Document(
        source_path=source_path,
        title=title,
        source=source,
        front=front,
        blocks=blocks,
        lines=stripped.lines,
        warnings=(*warnings, *stripped.warnings),
    )


def strip_source(
    source_path: str, source: str
) -> tuple[FrontMatter, StrippedSource, tuple[str, ...]]:
    """The front matter, the source without what is not Markdown, and warnings."""
    start = 1 if source.startswith("\ufeff") else 0
    front, start, warnings = read_front_matter(source, start)
    return front, strip_mdx(source, start, is_mdx=source_path.lower().endswith(".mdx")), warnings


def decode_source(data: bytes) -> str:
    """The text of a file. Raises UnreadableDocument."""
    if len(data) > MAX_BYTES:
        raise UnreadableDocument(
            f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are read"
        )
    if b"\0" in data:
        raise UnreadableDocument(f"there is a NUL byte at offset {data.index(0):,}")
    try:
        source = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableDocument(f"the file is not UTF-8 (byte {error.start:,})") from error
    at = next(long_runs_of_marks(source, MOST_MARKS), None)
    if at is not None:
        line = source.count("\n", 0, at[0]) + 1
        raise UnreadableDocument(
            f"line {line:,} has more than {MOST_MARKS} combining marks in a row"
        )
    return source


class _Builder:
    """Turns line ranges into blocks with sections, anchors, labels and spans."""

    def __init__(
        self,
        stripped: StrippedSource,
        front: FrontMatter,
        source_path: str,
        heading_ids: HeadingIds,
    ) -> None:
        self._stripped = stripped
        self._front = front
        self._source_path = source_path
        self._edges = [*stripped.lines.starts, len(stripped.source)]
        self._slugger = slugger_of(heading_ids, stripped.ids.values())
        self._blocks: list[Block] = []
        self._stack: list[Heading] = []
        self._path: tuple[Heading, ...] = ()
        self._root = Heading(1, front.title, "") if front.title else None
        self._paragraph = 0
        self._labels = sorted(stripped.labels, key=lambda label: label.start)
        self._next_label = 0
        self._open_labels: list[Label] = []
        self._label_edge = 0
        """The same labels are open on all lines that start before this offset."""

    def build(self) -> tuple[tuple[Block, ...], str]:
        found = find_blocks(self._stripped.text)
        if self._root is None:
            title = next((self._title_of(each) for each in found if each.opens_section), "")
            self._root = Heading(1, _cut(title) or _title_of_path(self._source_path), "")
        self._path = (self._root,)
        self._add_all(found)
        self._open_labels_before(len(self._stripped.source))
        return tuple(self._blocks), self._root.title

    def _add_all(self, found: list[LineBlock]) -> None:
        stripped, edges = self._stripped, self._edges
        source, blocks, policy = stripped.source, self._blocks, self._front.policy
        new = tuple.__new__  # which is twice as fast as the classes' own
        whole_from = whole_until = 0
        for block in found:
            first, last, kind, _, _, label = block
            start, end = edges[first], edges[last + 1]
            if start >= self._label_edge:
                self._open_labels_before(start)
            if not (whole_from <= start and end <= whole_until):
                whole_from, whole_until = stripped.text_around(start, end)
            if whole_until and not source[start].isspace():
                while source[end - 1].isspace():
                    end -= 1
                spans: tuple[Span, ...] = (new(Span, (start, end)),)
            elif not (spans := self._spans(start, end, kind)):
                continue
            if self._open_labels:
                label = self._open_labels[-1].title
            paragraph = 0
            if kind == "heading":
                label = self._head(block, self._heading_text(spans), start, label)
            else:
                self._paragraph = paragraph = self._paragraph + 1
            row = (
                len(blocks),
                kind,
                spans,
                first + 1,
                last + 1,
                self._path,
                paragraph,
                label,
                policy,
            )
            blocks.append(new(Block, row))

    def _title_of(self, heading: LineBlock) -> str:
        start, end = self._edges[heading.first], self._edges[heading.last + 1]
        return _one_line(plain_text(self._heading_text(self._spans(start, end, "heading"))))

    def _spans(self, start: int, end: int, kind: BlockKind) -> tuple[Span, ...]:
        stripped, source = self._stripped, self._stripped.source
        if source[start] in " \t" and (kind == "paragraph" or kind == "heading"):
            while start < end and source[start] in " \t":
                start += 1
        if not stripped.text_around(start, end)[1]:
            return _trimmed(stripped.keep(start, end), source)
        while end > start and source[end - 1].isspace():
            end -= 1
        return (Span(start, end),) if end > start else ()

    def _head(self, block: LineBlock, text: str, line_start: int, label: str) -> str:
        """Open the heading's section, if it has one. Returns the block's label."""
        if _WORDS.fullmatch(text):
            plain = title = text
        else:
            plain = plain_text(text)
            title = _one_line(plain)
            if "![" in text and self._slugger.reads_images:
                plain = render_plain(text, alt=True).text
        anchor = self._stripped.ids.get(line_start) or self._slugger.give(plain)
        if not block.opens_section:
            return label or _cut(title)
        self._paragraph = 0
        if block.level == 1 or len(anchor) > LONGEST_ANCHOR:
            anchor = ""
        self._open_section(Heading(block.level, _cut(title), anchor))
        return ""

    def _open_section(self, heading: Heading) -> None:
        while self._stack and self._stack[-1].level >= heading.level:
            self._stack.pop()
        self._stack.append(heading)
        root = self._root
        first = self._stack[0]
        if root is None or first.title == root.title:
            self._path = tuple(self._stack)
        else:
            self._path = (root, *self._stack)

    def _open_labels_before(self, offset: int) -> None:
        while self._open_labels and self._open_labels[-1].end <= offset:
            self._open_labels.pop()
        while (
            self._next_label < len(self._labels) and self._labels[self._next_label].start <= offset
        ):
            label = self._labels[self._next_label]
            self._next_label += 1
            spans = _trimmed(
                _without_tags(self._stripped.source, label.first, label.last), self._stripped.source
            )
            title = _cut(render_plain(label.title).text if spans else label.title)
            if spans:
                self._add_label(label, spans, title)
            if label.end > offset:
                self._open_labels.append(
                    Label(label.start, label.end, label.first, label.last, title)
                )
        edge = len(self._stripped.source) + 1
        if self._open_labels:
            edge = self._open_labels[-1].end
        if self._next_label < len(self._labels):
            edge = min(edge, self._labels[self._next_label].start)
        self._label_edge = edge

    def _add_label(self, label: Label, spans: tuple[Span, ...], title: str) -> None:
        line, at, path = self._stripped.lines.at, len(self._blocks), self._path
        first, last = line(label.first) + 1, line(label.last - 1) + 1
        policy = self._front.policy
        self._blocks.append(Block(at, "heading", spans, first, last, path, 0, title, policy))

    def _heading_text(self, spans: tuple[Span, ...]) -> str:
        """The Markdown of a heading without its marks, so that it can be parsed alone."""
        source = self._stripped.source
        text = "".join([source[start:end] for start, end in spans])
        found = _ATX.match(text)
        if not found:
            return _UNDERLINE.sub("", text)
        text = text[found.end() :]
        if text.endswith("#"):
            text = _ATX_END.sub("", text)
        return f"# {text}" if _BLOCK_MARK.match(text) else text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"


def _without_tags(source: str, first: int, last: int) -> tuple[Span, ...]:
    edges = [first]
    for tag in _TAG.finditer(source, first, last):
        edges.extend(tag.span())
    edges.append(last)
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return tuple(Span(start, end) for start, end in pairs if start < end)


def _trimmed(spans: tuple[Span, ...], source: str) -> tuple[Span, ...]:
    """The spans without leading blank lines and trailing white space."""
    kept = list(spans)
    while kept:
        last = kept[-1]
        text = source[last.start : last.end].rstrip()
        if text:
            kept[-1] = Span(last.start, last.start + len(text))
            break
        kept.pop()
    while kept:
        first = kept[0]
        text = source[first.start : first.end]
        bare = text.lstrip("\r\n")
        if bare.strip():
            blank = re.match(r"(?:[ \t]*(?:\r\n|\n|\r))*", text)
            kept[0] = Span(first.start + (blank.end() if blank else 0), first.end)
            break
        kept.pop(0)
    return tuple(kept)


def _title_of_path(source_path: str) -> str:
    path = PurePosixPath(source_path)
    name = (
        path.parent.name
        if path.stem.lower() in {"index", "readme"} and path.parent.name
        else path.stem
    )
    return (
        re.sub(r"[-_\s]+", " ", re.sub(r"^\d+[-_.\s]+", "", name)).strip().capitalize() or path.name
    )
