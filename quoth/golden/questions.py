"""Golden questions, read from YAML whose mistakes are named with their line, and their sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from functions.book.chunks.split_into_chunks import opens_section
from functions.book.document import Document, Heading
from functions.book.markdown.parse import UnreadableDocument
from functions.book.site.heading_ids import slug_of
from functions.ingest.prepare import prepare_document, reason_to_leave_out
from quoth.book_files import markdown_files
from quoth.book_layout import layout_of_folder
from quoth.json_lines import BadRow

Wanted = Literal["answer", "overview", "refusal"]


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the book's source: a file's lines, the first and the last included."""

    source_path: str
    first_line: int
    last_line: int
    name: str


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question and what it must get.

    `sections` and `page` are as written: each section alone answers the question. `line` is
    the question's line in its file, from 1.
    `kind` groups refusals: "near-scope" or "out-of-book".
    """

    question: str
    wanted: Wanted
    line: int
    sections: tuple[str, ...] = ()
    page: str = ""
    phrases: tuple[str, ...] = ()
    kind: str = ""


KEYS = {
    "question": str,
    "section": list,
    "page": str,
    "phrases": list,
    "refuse": bool,
    "overview": bool,
    "kind": str,
    "note": str,
}
ONE_OR_MORE = ("section", "phrases")
"""Keys that take one text or a list of them."""
KINDS = ("near-scope", "out-of-book")
LIST_NAME = "questions"
LONGEST_QUESTION = 1000


def read_golden(path: Path) -> list[GoldenQuestion]:
    """The questions of a file, in its order. Raises BadRow with the line of what is wrong."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadRow(path, 0, "is not UTF-8") from error
    except OSError as error:
        raise BadRow(path, 0, error.strerror or "cannot be read") from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise BadRow(path, line, f"is not YAML ({error.problem or error.context})") from error
    except yaml.YAMLError as error:
        raise BadRow(path, 0, f"is not YAML ({error})") from error
    found: list[GoldenQuestion] = []
    seen: dict[tuple[str, str], int] = {}
    for node in _entries(path, root):
        each = _question(path, node)
        key = (" ".join(each.question.split()).casefold(), each.page)
        if key in seen:
            raise BadRow(path, each.line, f"asks again what line {seen[key]} asks")
        seen[key] = each.line
        found.append(each)
    if not found:
        raise BadRow(path, 0, "has no questions")
    return found


def _entries(path: Path, root: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if key.value != LIST_NAME:
                raise BadRow(path, _line(key), f"unknown key {key.value!r}; only {LIST_NAME!r}")
            root = value
    if root is None:
        return
    if not isinstance(root, yaml.SequenceNode):
        raise BadRow(path, _line(root), "is not a list of questions")
    for node in root.value:
        if not isinstance(node, yaml.MappingNode):
            raise BadRow(path, _line(node), "is not an entry with a question")
        yield node


def _question(path: Path, node: yaml.MappingNode) -> GoldenQuestion:
    given = _fields(path, node)
    line = _line(node)
    question = str(given.get("question", "")).strip()
    if not question:
        raise BadRow(path, line, "has no question")
    if len(question) > LONGEST_QUESTION:
        raise BadRow(path, line, f"is longer than {LONGEST_QUESTION:,} characters")
    if given.get("refuse") and given.get("overview"):
        raise BadRow(path, line, "is to be refused and to be an overview: it can be one only")
    wanted: Wanted = "answer"
    if given.get("refuse"):
        wanted = "refusal"
        for name in ("section", "phrases", "page"):
            if given.get(name):
                raise BadRow(path, line, f"is to be refused and has {name!r}")
    elif given.get("overview"):
        wanted = "overview"
    elif not given.get("section"):
        raise BadRow(path, line, "has no section (and is neither 'refuse' nor 'overview')")
    kind = given.get("kind", "")
    if kind and kind not in KINDS:
        raise BadRow(path, line, f"unknown kind {kind!r}; it is one of {', '.join(KINDS)}")
    if kind and wanted != "refusal":
        raise BadRow(path, line, "has a kind, which only refusals have")
    return GoldenQuestion(
        question=question,
        wanted=wanted,
        line=line,
        sections=tuple(given.get("section", ())),
        page=given.get("page", ""),
        phrases=tuple(given.get("phrases", ())),
        kind=kind or ("out-of-book" if wanted == "refusal" else ""),
    )


def _fields(path: Path, node: yaml.MappingNode) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for key, value in node.value:
        name, line = str(key.value), _line(key)
        if name not in KEYS:
            raise BadRow(path, line, f"unknown key {name!r}; known: {', '.join(KEYS)}")
        if name in given:
            raise BadRow(path, line, f"{name!r} is given twice")
        read = _value(value)
        if name in ONE_OR_MORE and isinstance(read, str):
            read = [read.strip()]
        if not isinstance(read, KEYS[name]):
            raise BadRow(path, line, f"{name!r} is not of type {KEYS[name].__name__}")
        if isinstance(read, list) and not all(isinstance(t, str) and t.strip() for t in read):
            raise BadRow(path, line, f"{name!r} is not a list of texts")
        given[name] = read.strip() if isinstance(read, str) else read
    return given


def _value(node: yaml.Node) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node, deep=True)
    except yaml.YAMLError:
        return None
    finally:
        loader.dispose()


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


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
    """Read the book's headings, as ingest does. `file` is named in errors."""
    keys = list(markdown_files(book))
    layout = layout_of_folder(book, keys)
    sections: dict[str, Sequence[_Section]] = {}
    for key in keys:
        if reason_to_leave_out(key, layout):
            continue
        try:
            prepared = prepare_document(key, (book / key).read_bytes(), layout, "")
        except (UnreadableDocument, OSError):
            continue  # the ingest tells of it
        sections[key] = _sections_of(prepared.document)
    return Places(file, layout.docs_root.strip("/"), sections)


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
