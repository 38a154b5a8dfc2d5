"""Documents, headings and blocks: the types of a parsed source file."""

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
"""Kinds that are kept whole: half of one is meaningless."""


class Span(NamedTuple):  # a tuple: a book has thousands
    """A range of characters of the source file: `source[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as plain text. `anchor` is the id of its element, empty without one."""

    level: int
    title: str
    anchor: str


class Block(NamedTuple):  # a tuple, like Span: several times as fast to create
    """One block of a document.

    `index` counts from 0 over the document, headings included. `spans` are the characters of the
    source that belong to it, without MDX tags, imports and comments. Lines count from 1.
    `headings` is the path from the document's title down to the block's section. `paragraph`
    counts the blocks of a section from 1 (headings are 0). `label` is the title of the tab,
    admonition or details element around it.
    """

    index: int  # type: ignore[assignment]  # hides a method of tuples, unused here
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
    """The front matter fields that Quoth uses; empty strings where the author gave none."""

    title: str = ""
    description: str = ""
    slug: str = ""
    id: str = ""
    policy: Policy = ""
    hide: bool = False
    """`draft: true` or `unlisted: true`: not part of the published book."""
    position: float | None = None
    """`sidebar_position`."""


def letters_of(text: str) -> bytes:
    """One byte for each character; a question mark for those that are not ASCII."""
    return text.encode("ascii", "replace")


class Lines:
    """The start of each line. Lines end with `\\n`, `\\r\\n` or `\\r`, and count from 0 here."""

    def __init__(self, text: str, letters: bytes | None = None) -> None:
        self.length = len(text)
        # As bytes, one for each character: `str.splitlines` splits at other characters too.
        lines = (letters_of(text) if letters is None else letters).splitlines(keepends=True)
        self.starts = list(accumulate(map(len, lines), initial=0))
        if lines and lines[-1][-1] not in b"\r\n":
            self.starts.pop()

    def at(self, offset: int) -> int:
        """The line of the character at `offset`."""
        return bisect_right(self.starts, offset) - 1

    def range(self, first: int, last: int) -> tuple[int, int]:
        """The range of lines `first` to `last`, including the last one's line end."""
        end = self.starts[last + 1] if last + 1 < len(self.starts) else self.length
        return self.starts[first], end


@dataclass(frozen=True)
class Document:
    """One parsed source file."""

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
