"""A book's pages, and their order: enough to read it and to see where a citation points."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from functions.book.chapters import chapter_of
from functions.book.document import Document
from functions.book.markdown.parse import UnreadableDocument, read_document
from functions.book.site.heading_anchors import with_page_anchors
from functions.book.site.heading_ids import HeadingIds
from functions.book.site.links import document_url
from functions.book.site.manifest import (
    FILE_NAME,
    Manifest,
    ManifestPage,
    ManifestUnreadable,
    read_manifest,
)
from functions.ingest.prepare import BookLayout, reason_to_leave_out
from quoth.book_files import file_at, markdown_files
from quoth.events.sync import BUILD_FOLDERS
from quoth.site.mdbook import expand_includes, read_summary
from quoth.site.render import render_markdown

FILES = "/_files/"
"""Not below `/_quoth/`, which pages of other sites may load."""
PICTURES = frozenset(".apng .avif .bmp .gif .ico .jpeg .jpg .png .svg .webp".split())
STATIC = "static"
"""Docusaurus serves this folder's files at the root."""

_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the book: its link, its title, and its text as HTML."""

    url: str
    source_path: str
    title: str
    chapter: str
    body: str


@dataclass(frozen=True, slots=True)
class Contents:
    """A line of the table of contents. Pages that an mdBook's summary does not name are not
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
    found = []
    for key, path in markdown_files(book).items():
        if reason_to_leave_out(key, layout):
            continue
        try:
            stat = path.stat()
            document = _read(key, path, stat.st_mtime_ns, stat.st_size, layout.heading_ids)
        except (UnreadableDocument, OSError):
            continue
        if document.front.hide:
            continue
        chapter = chapter_of(key, (document.title,))
        label = f"{chapter.number}. {chapter.title}" if chapter.number else chapter.title
        built = manifest.page_of(key) if manifest else None
        url = built.permalink if built else _url(document, layout)
        found.append(Contents(url, key, document.title, label, path, built))
    pages = sorted(
        found, key=lambda page: (page.url != layout.base_url, _natural(page.source_path))
    )
    return _as_in_summary(pages, book, layout) if layout.generator == "mdbook" else pages


@lru_cache(maxsize=1024)
def _read(key: str, path: Path, changed: int, size: int, heading_ids: HeadingIds) -> Document:
    """Read a document, once for as long as its file stays as it is."""
    return read_document(key, path.read_bytes(), heading_ids)


def _as_in_summary(pages: list[Contents], book: Path, layout: BookLayout) -> list[Contents]:
    """The pages of an mdBook in the order of its SUMMARY.md, the others after them."""
    root = layout.docs_root.strip("/")
    path = file_at(book.resolve(), posixpath.join(root, "SUMMARY.md"))
    if path is None:
        return pages
    left = {page.source_path: page for page in pages}
    ordered: list[Contents] = []
    for line in read_summary(path.read_text("utf-8", "replace")):
        if page := left.pop(posixpath.normpath(posixpath.join(root, line.path)), None):
            ordered.append(replace(page, title=line.title, chapter=line.part, depth=line.depth))
    return [*ordered, *(replace(page, listed=not ordered) for page in left.values())]


def render_page(
    contents: Contents, others: Sequence[Contents], book: Path, layout: BookLayout
) -> Page:
    """Render one page, with links to the others. Raises UnreadableDocument, OSError."""
    data = contents.path.read_bytes()
    document = read_document(contents.source_path, data, layout.heading_ids)
    if layout.generator == "mdbook":
        text = expand_includes(document.source, contents.source_path, book.resolve())
        document = read_document(contents.source_path, text.encode())
    if contents.built is not None:
        document = with_page_anchors(document, contents.built.headings)
    urls = {page.source_path: page.url for page in others}
    links = _Links(book.resolve(), contents.source_path, layout.docs_root.strip("/"), urls)
    body = render_markdown(document, links)
    return Page(contents.url, contents.source_path, contents.title, contents.chapter, body)


def picture_at(book: Path, key: str) -> Path | None:
    """A picture of the book; None for every other file."""
    path = file_at(book.resolve(), key)
    return path if path and path.suffix.lower() in PICTURES else None


@dataclass(frozen=True, slots=True)
class _Links:
    """The links of a page, by the paths of sources and files that authors write."""

    book: Path
    source_path: str
    docs_root: str
    urls: dict[str, str]

    def page(self, target: str) -> str:
        for key in self._keys(target):
            if url := self.urls.get(key):
                fragment = urlsplit(target).fragment
                return f"{_quoted(url)}#{fragment}" if fragment else _quoted(url)
        return self.picture(target)

    def picture(self, source: str) -> str:
        found = (key for key in self._keys(source) if picture_at(self.book, key))
        key = next(found, None)
        return source if key is None else FILES + quote(key)

    def _keys(self, target: str) -> list[str]:
        """The files that a link may mean, the likeliest first; none for another site's."""
        try:
            parts = urlsplit(target.removeprefix("pathname://"))
        except ValueError:
            return []
        path = unquote(parts.path)
        if parts.scheme or parts.netloc or not path:
            return []
        if path.startswith("@site/"):
            return [posixpath.normpath(path.removeprefix("@site/"))]
        if path.startswith("/"):
            roots = (STATIC, self.docs_root, "")
            return [posixpath.normpath(posixpath.join(root, path.strip("/"))) for root in roots]
        folders = (posixpath.dirname(self.source_path), self.docs_root)
        return [posixpath.normpath(posixpath.join(folder, path)) for folder in folders]


def _quoted(url: str) -> str:
    return quote(unquote(url), safe="/-_.~")


def _manifest_of(book: Path) -> Manifest | None:
    """The built site's manifest, as the bucket gets it; None without one that can be read."""
    for folder in (*(book / name for name in BUILD_FOLDERS), book):
        try:
            if (folder / FILE_NAME).is_file():
                return read_manifest((folder / FILE_NAME).read_bytes())
        except (OSError, ManifestUnreadable):
            continue
    return None


def _url(document: Document, layout: BookLayout) -> str:
    return document_url(
        document.source_path,
        document.front,
        base_url=layout.base_url,
        docs_root=layout.docs_root,
        route_base=layout.route_base,
        generator=layout.generator,
        directory_urls=layout.directory_urls,
    )


def _natural(path: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(path) if part
    ]
