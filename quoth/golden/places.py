"""Where in the source the section stands that a golden question names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from functions.book.chunks.split_into_chunks import opens_section
from functions.book.document import Document, Heading
from functions.book.markdown.parse import UnreadableDocument
from functions.book.site.links import generator_of, slug_of
from functions.ingest.prepare import BookLayout, prepare_document, reason_to_leave_out
from quoth.golden.questions import GoldenQuestion, Place
from quoth.json_lines import BadRow
from quoth.stack import markdown_of

_SEPARATOR = re.compile(r"\s*[›>]\s*")


@dataclass(frozen=True, slots=True)
class _Section:
    heading: Heading
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Places:
    """The files of a book with their sections. `docs_root` may be left out of a path."""

    file: Path
    docs_root: str
    sections: Mapping[str, Sequence[_Section]]

    def sections_of(self, asked: GoldenQuestion) -> tuple[Place, ...]:
        """The places of `asked.sections`. Raises BadRow."""
        return tuple(self._section(asked, section) for section in asked.sections)

    def _section(self, asked: GoldenQuestion, section: str) -> Place:
        path, _, anchor = section.partition("#")
        if not path or self._key(path) is None:
            return self._by_title(asked, section)
        key = self.page(asked, path)
        if not anchor:
            return Place(key, 1, max((s.last_line for s in self.sections[key]), default=1), key)
        wanted = anchor.strip()
        for found in self.sections[key]:
            heading = found.heading
            # A page's title has no anchor of its own.
            if wanted in (heading.anchor or slug_of(heading.title), heading.title):
                return Place(key, found.first_line, found.last_line, f"{key}#{anchor}")
        known = ", ".join(s.heading.anchor for s in self.sections[key] if s.heading.anchor)
        raise BadRow(self.file, asked.line, f"{key} has no section #{anchor}; it has {known}")

    def page(self, asked: GoldenQuestion, path: str) -> str:
        """The file's path as the index has it. Raises BadRow."""
        if key := self._key(path):
            return key
        raise BadRow(self.file, asked.line, f"the book has no page {path!r}")

    def _key(self, path: str) -> str | None:
        path = path.strip().lstrip("/")
        for key in (path, f"{self.docs_root}/{path}".lstrip("/")):
            if key in self.sections:
                return key
        return None

    def _by_title(self, asked: GoldenQuestion, section: str) -> Place:
        """A section named by its heading alone, where no other has the same."""
        if re.search(r"\.mdx?(#|$)", section):
            self.page(asked, section.partition("#")[0])
        title = _SEPARATOR.split(section.lstrip("#"))[-1].strip()
        found = [
            Place(key, each.first_line, each.last_line, f"{key}#{each.heading.anchor}")
            for key, sections in self.sections.items()
            for each in sections
            if title in (each.heading.title, each.heading.anchor)
            or slug_of(title) == slug_of(each.heading.title)
        ]
        if len(found) == 1:
            return found[0]
        told = "more than one section" if found else "no section"
        raise BadRow(self.file, asked.line, f"the book has {told} called {section!r}")


def places_of(book: Path, file: Path) -> Places:
    """Read the book's headings, as ingest does. `file` is where mistakes are told to be."""
    keys = sorted(path.relative_to(book).as_posix() for path in markdown_of(book))
    generator, root = generator_of(keys)
    layout = BookLayout(generator=generator, docs_root=root)
    sections: dict[str, Sequence[_Section]] = {}
    for key in keys:
        if reason_to_leave_out(key, layout):
            continue
        try:
            prepared = prepare_document(key, (book / key).read_bytes(), layout, "")
        except (UnreadableDocument, OSError):
            continue  # the ingest tells of it
        sections[key] = _sections_of(prepared.document)
    return Places(file, root.strip("/"), sections)


def _sections_of(document: Document) -> list[_Section]:
    """Each heading with the lines down to the next heading of its level or above."""
    starts = [(block.first_line, block.headings[-1]) for block in document.blocks
              if opens_section(block) and block.headings]  # fmt: skip
    end = document.source.count("\n") + 1
    found = []
    for at, (line, heading) in enumerate(starts):
        after = (other for other, each in starts[at + 1 :] if each.level <= heading.level)
        found.append(_Section(heading, line, next(after, end + 1) - 1))
    if not any(heading.level == 1 for _, heading in starts):
        # The title is in the front matter; the whole file is its section.
        title = Heading(1, document.title, slug_of(document.title))
        found.insert(0, _Section(title, 1, end))
    return found
