"""A book's pages, rendered simply: enough to read it and to see where a citation points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from functions.book.chapters import chapter_of
from functions.book.document import Document
from functions.book.markdown.parse import UnreadableDocument, read_document
from functions.book.site.heading_anchors import with_page_anchors
from functions.book.site.links import document_url
from functions.book.site.manifest import (
    FILE_NAME,
    Manifest,
    ManifestPage,
    ManifestUnreadable,
    read_manifest,
)
from functions.ingest.prepare import BookLayout, reason_to_leave_out
from quoth.events.sync import BUILD_FOLDER

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
    """A line of the table of contents."""

    url: str
    source_path: str
    title: str
    chapter: str
    path: Path
    built: ManifestPage | None = None


def read_contents(
    book: Path, layout: BookLayout, manifest: Manifest | None = None
) -> list[Contents]:
    """The book's pages in the order of their numbers; files that cannot be read are left out.

    Their links are those of the built site, where its manifest is given or in its folder.
    """
    manifest = manifest or _manifest_of(book)
    found = []
    for path in book.rglob("*"):
        key = path.relative_to(book).as_posix()
        if path.suffix not in (".md", ".mdx") or "node_modules" in path.parts:
            continue
        if reason_to_leave_out(key, layout):
            continue
        try:
            document = read_document(key, path.read_bytes())
        except (UnreadableDocument, OSError):
            continue
        if document.front.hide:
            continue
        chapter = chapter_of(key, (document.title,))
        label = f"{chapter.number}. {chapter.title}" if chapter.number else chapter.title
        built = manifest.page_of(key) if manifest else None
        url = built.permalink if built else _url(document, layout)
        found.append(Contents(url, key, document.title, label, path, built))
    return sorted(found, key=lambda page: (page.url != layout.base_url, _natural(page.source_path)))


def render_page(contents: Contents) -> Page:
    """Render one page. Raises UnreadableDocument, OSError."""
    document = read_document(contents.source_path, contents.path.read_bytes())
    if contents.built is not None:
        document = with_page_anchors(document, contents.built.headings)
    return Page(
        contents.url,
        contents.source_path,
        contents.title,
        contents.chapter,
        render_markdown(document),
    )


def render_markdown(document: Document) -> str:
    """A document as HTML, its headings with the ids that citations link to. No raw HTML passes."""
    text = _visible(document)
    markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
    tokens = markdown.parse(text)
    anchors = {
        block.first_line: block.headings[-1].anchor
        for block in document.blocks
        if block.kind == "heading" and block.headings
    }
    _give_ids(tokens, anchors)
    body = str(markdown.renderer.render(tokens, markdown.options, {}))
    if not any(token.type == "heading_open" and token.tag == "h1" for token in tokens):
        title = document.title.replace("&", "&amp;").replace("<", "&lt;")
        body = f"<h1>{title}</h1>\n{body}"
    return body


def _visible(document: Document) -> str:
    """The source with everything that is no text of the page blanked, line for line."""
    kept = [" " if c not in "\r\n" else c for c in document.source]
    for block in document.blocks:
        for span in block.spans:
            kept[span.start : span.end] = document.source[span.start : span.end]
    return "".join(kept).replace("\r\n", "\n").replace("\r", "\n")


def _give_ids(tokens: Sequence[Token], anchors: dict[int, str]) -> None:
    for token in tokens:
        if token.type == "heading_open" and token.map and anchors.get(token.map[0] + 1):
            token.attrSet("id", anchors[token.map[0] + 1])


def _manifest_of(book: Path) -> Manifest | None:
    """The built site's manifest, as the bucket gets it; None without one that can be read."""
    for folder in (book / BUILD_FOLDER, book):
        try:
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
    )


def _natural(path: str) -> list[tuple[int, str]]:
    return [
        (int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(path) if part
    ]
