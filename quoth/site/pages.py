"""A book's pages: enough to read it and to see where a citation points."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from functions.book.markdown.parse import read_document
from functions.book.site.heading_anchors import with_page_anchors
from functions.ingest.prepare import BookLayout
from quoth.book_files import file_at
from quoth.site.contents import Contents
from quoth.site.mdbook import expand_includes
from quoth.site.render import render_markdown

FILES = "/_files/"
"""Not below `/_quoth/`, which pages of other sites may load."""
PICTURES = frozenset(".apng .avif .bmp .gif .ico .jpeg .jpg .png .svg .webp".split())
STATIC = "static"
"""Docusaurus serves this folder's files at the root."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the book: its link, its title, and its text as HTML."""

    url: str
    source_path: str
    title: str
    chapter: str
    body: str


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
