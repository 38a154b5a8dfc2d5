"""The table of contents, in the order that the book's generator gives its pages."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import inf
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from functions.book.chapters import chapter_of
from functions.book.document import Document
from functions.book.markdown.parse import UnreadableDocument, read_document
from functions.book.site.heading_ids import HeadingIds
from functions.book.site.links import number_prefix
from functions.book.site.manifest import (
    FILE_NAME,
    Manifest,
    ManifestPage,
    ManifestUnreadable,
    read_manifest,
)
from functions.ingest.prepare import BookLayout, reason_to_leave_out, url_by_rules
from functions.ingest.site_manifest import MAX_CATEGORY_BYTES
from quoth.book_files import file_at, markdown_files
from quoth.book_layout import mkdocs_of
from quoth.events.sync import BUILD_FOLDERS
from quoth.json_lines import BadRow
from quoth.site.mdbook import SummaryLine, read_summary

CATEGORY_FILES = ("_category_.json", "_category_.yml", "_category_.yaml")
_NUMBERS = re.compile(r"(\d+)")
_NUMBERED = re.compile(r"chapter\s+\d", re.IGNORECASE)
_Place = tuple[float, str]


@dataclass(frozen=True, slots=True)
class Contents:
    """A line of the table of contents. Pages that the author's own contents do not name are not
    `listed`."""

    url: str
    source_path: str
    title: str
    chapter: str
    path: Path
    built: ManifestPage | None = None
    depth: int = 0
    listed: bool = True


def read_contents(
    book: Path, layout: BookLayout, manifest: Manifest | None = None
) -> list[Contents]:
    """The book's pages in their order; files that cannot be read are left out.

    Their links are those of the built site, where its manifest is given or in its folder.
    """
    manifest = manifest or _manifest_of(book)
    read = list(_documents(book, layout))
    sidebar = _Sidebar(book.resolve(), layout.docs_root.strip("/"), [each for each, _ in read])
    is_docusaurus = layout.generator == "docusaurus"
    if is_docusaurus:
        read.sort(key=lambda each: sidebar.place_of(each[0]))
    else:
        read.sort(key=lambda each: _natural(each[0].source_path))
    pages = []
    for document, path in read:
        key = document.source_path
        built = manifest.page_of(key) if manifest else None
        url = built.permalink if built else url_by_rules(document, layout)
        title = sidebar.chapter_title(key) if is_docusaurus else ""
        chapter = chapter_of(key, (document.title,), title)
        has_number = not chapter.number or _NUMBERED.match(chapter.title)
        label = chapter.title if has_number else f"{chapter.number}. {chapter.title}"
        pages.append(Contents(url, key, document.title, label, path, built))
    pages.sort(key=lambda page: page.url != layout.base_url)
    lines = _LINES.get(layout.generator)
    return _as_listed(pages, lines(book, layout)) if lines else pages


def neighbours(
    contents: Sequence[Contents], source_path: str
) -> tuple[Contents | None, Contents | None]:
    """The pages before and after a page; None at the ends, and for a page that is not listed."""
    listed = [page for page in contents if page.listed]
    at = next((at for at, page in enumerate(listed) if page.source_path == source_path), None)
    if at is None:
        return None, None
    return (listed[at - 1] if at else None), (listed[at + 1] if at + 1 < len(listed) else None)


def _documents(book: Path, layout: BookLayout) -> Iterator[tuple[Document, Path]]:
    for key, path in markdown_files(book).items():
        if reason_to_leave_out(key, layout):
            continue
        try:
            stat = path.stat()
            document = _read(key, path, stat.st_mtime_ns, stat.st_size, layout.heading_ids)
        except (UnreadableDocument, OSError):
            continue
        if not document.front.hide:
            yield document, path


@lru_cache(maxsize=1024)
def _read(key: str, path: Path, changed: int, size: int, heading_ids: HeadingIds) -> Document:
    """Read a document, once for as long as its file stays as it is."""
    return read_document(key, path.read_bytes(), heading_ids)


def _as_listed(pages: list[Contents], lines: Iterable[SummaryLine]) -> list[Contents]:
    """The pages in the order that the author wrote down, the others after them."""
    left = {page.source_path: page for page in pages}
    ordered: list[Contents] = []
    for line in lines:
        if page := left.pop(line.path, None):
            title = line.title or page.title
            ordered.append(replace(page, title=title, chapter=line.part, depth=line.depth))
    return [*ordered, *(replace(page, listed=not ordered) for page in left.values())]


def _lines_of_summary(book: Path, layout: BookLayout) -> list[SummaryLine]:
    root = layout.docs_root.strip("/")
    path = file_at(book.resolve(), posixpath.join(root, "SUMMARY.md"))
    lines = read_summary(path.read_text("utf-8", "replace")) if path else []
    return [
        replace(line, path=posixpath.normpath(posixpath.join(root, line.path))) for line in lines
    ]


def _lines_of_nav(book: Path, layout: BookLayout) -> list[SummaryLine]:
    try:
        site = mkdocs_of(book)
    except BadRow:  # `quoth up` has said so; the pages are there without it
        return []
    return [
        SummaryLine(page.path, page.title, " › ".join(page.sections), 0)
        for page in (site.nav if site else ())
    ]


_LINES = {"mdbook": _lines_of_summary, "mkdocs": _lines_of_nav}


class _Sidebar:
    """The order of a Docusaurus sidebar that is made of the folders: each has its pages and inner
    folders by their positions, and then by their names."""

    def __init__(self, book: Path, root: str, documents: Sequence[Document]) -> None:
        self._book = book
        self._root = root
        self._positions = {each.source_path: each.front.position for each in documents}
        indexes = (self._inside(key) for key in self._positions)
        self._indexes = {
            inside[:-1]: position
            for inside, position in zip(indexes, self._positions.values(), strict=True)
            if len(inside) > 1 and _is_index(inside[-1], inside[-2])
        }
        self._fields = cache(self._read_fields)
        self._place_of_folder = cache(self._find_place_of_folder)

    def chapter_title(self, key: str) -> str:
        """The title that a document's chapter is given by its folder; "" without one."""
        inside = self._inside(key)
        label = self._fields(inside[:1]).get("label") if len(inside) > 1 else None
        return label if isinstance(label, str) else ""

    def place_of(self, document: Document) -> list[_Place]:
        """Where a page stands among all: a place for each folder around it, and its own."""
        inside = self._inside(document.source_path)
        places = [self._place_of_folder(inside[:depth]) for depth in range(1, len(inside))]
        if inside[:-1] in self._indexes and _is_index(inside[-1], inside[-2]):
            return [*places, (-inf, "")]
        return [*places, _place(document.front.position, inside[-1])]

    def _find_place_of_folder(self, folder: tuple[str, ...]) -> _Place:
        position = self._fields(folder).get("position")
        if not isinstance(position, int | float):
            position = self._indexes.get(folder)
        return _place(position, folder[-1])

    def _inside(self, key: str) -> tuple[str, ...]:
        """The path below the folder of the text; the whole path of a file that is elsewhere."""
        path = PurePosixPath(key)
        return path.relative_to(self._root).parts if path.is_relative_to(self._root) else path.parts

    def _read_fields(self, folder: tuple[str, ...]) -> dict[str, Any]:
        for name in CATEGORY_FILES:
            path = file_at(self._book, posixpath.join(self._root, *folder, name))
            if path is None or path.stat().st_size > MAX_CATEGORY_BYTES:
                continue
            try:
                text = path.read_text("utf-8", "replace")
                fields = json.loads(text) if name.endswith("json") else yaml.safe_load(text)
            except (OSError, ValueError, yaml.YAMLError, RecursionError):
                continue
            return fields if isinstance(fields, dict) else {}
        return {}


def _place(position: float | None, name: str) -> _Place:
    """Pages and folders without a position, of their own or in the name, come last."""
    if position is None:
        position = number_prefix(name)
    return (inf if position is None else position), name


def _is_index(name: str, folder: str) -> bool:
    return PurePosixPath(name).stem.lower() in {"index", "readme", folder.lower()}


def _manifest_of(book: Path) -> Manifest | None:
    """The built site's manifest, as the bucket gets it; None without one that can be read."""
    for folder in (*(book / name for name in BUILD_FOLDERS), book):
        try:
            if (folder / FILE_NAME).is_file():
                return read_manifest((folder / FILE_NAME).read_bytes())
        except (OSError, ManifestUnreadable):
            continue
    return None


def _natural(path: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(path) if part
    ]
