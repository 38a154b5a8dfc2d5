"""What a book is made of: documents, headings and blocks. Types only."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from typing import Literal, NamedTuple

BlockKind = Literal["paragraph", "heading", "list", "code", "table", "math", "mermaid", "quote"]
Policy = Literal["", "exclude", "quote-only", "no-solutions"]

ATOMIC: frozenset[BlockKind] = frozenset({"code", "table", "math", "mermaid"})
"""Kinds that are kept whole: they mean nothing in halves."""


class Span(NamedTuple):  # a tuple: a book has thousands
    """A range of characters of the source file: `source[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as a reader sees it. `anchor` is the id of its element, empty when it has none."""

    level: int
    title: str
    anchor: str


class Block(NamedTuple):  # a tuple, as Span: several times as fast to make
    """One block of a document.

    `index` counts from 0 over the document, headings included. `spans` are the characters of the
    source that belong to it, without MDX tags, imports and comments. Lines count from 1.
    `headings` is the path from the document's title down to the block's section. `paragraph`
    counts the blocks of a section from 1 (headings are 0). `label` is the title of the tab,
    admonition or details it stands in.
    """

    index: int  # type: ignore[assignment]  # hides a method of tuples that says nothing here
    kind: BlockKind
    spans: tuple[Span, ...]
    first_line: int
    last_line: int
    headings: tuple[Heading, ...]
    paragraph: int
    label: str = ""
    policy: Policy = ""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter fields that matter here. Empty strings where the author wrote nothing."""

    title: str = ""
    description: str = ""
    slug: str = ""
    id: str = ""
    policy: Policy = ""
    hide: bool = False
    """`draft: true` or `unlisted: true`: not part of the published book."""


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


@dataclass(frozen=True)
class Document:
    """One source file, read."""

    source_path: str
    title: str
    source: str
    front: FrontMatter
    blocks: tuple[Block, ...]
    lines: Lines = field(repr=False, compare=False)
    warnings: tuple[str, ...] = field(default=())

    @cached_property
    def content_hash(self) -> str:
        """The SHA-256 of the file's bytes, in hex."""
        return sha256(self.source.encode()).hexdigest()
