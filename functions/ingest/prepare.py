"""Turns an object's bytes into all that is stored of a document. Pure, and the slow part."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import PurePosixPath
from uuid import UUID, uuid5

from functions.answer.moderation.prompt_injection import gives_orders
from functions.book.chapters import chapter_of
from functions.book.chunks.chunk import Chapter, Chunk
from functions.book.chunks.split_into_chunks import split_into_chunks
from functions.book.document import Block, Document
from functions.book.markdown.parse import read_document
from functions.book.markdown.plain_text import defined_labels, render_plain
from functions.book.markdown.rendered_text import RenderedText, render_blocks
from functions.book.policies import govern, with_policies
from functions.book.sentences.block_sentences import sentences_of
from functions.book.site.heading_anchors import with_page_anchors
from functions.book.site.heading_ids import HeadingIds
from functions.book.site.links import Generator, document_url
from functions.book.site.manifest import ManifestPage
from functions.runtime.plural import plural

PIPELINE = 3
"""Raise it to have unchanged documents indexed again."""

DOCUMENTS = UUID("5f0c1a52-93d4-4d0a-8a55-2f7f5d1c9a11")
_TEXT_ROOTS = re.compile(r"versioned_docs/version-[^/]+/|i18n/[^/]+/docusaurus-plugin-content-docs")


@dataclass(frozen=True, slots=True)
class BookLayout:
    """How the book is built and cut. Any change has every document indexed again."""

    generator: Generator = "docusaurus"
    docs_root: str = "docs"
    base_url: str = "/"
    route_base: str = "/"
    directory_urls: bool = True
    heading_ids: HeadingIds = "github"
    chunk_words: int = 300
    overlap_words: int = 0
    passage_words: int = 90


@dataclass(frozen=True, slots=True)
class BlockText:
    """A block's plain text, and the text that a page renders for it."""

    block: Block
    text: str
    rendered: RenderedText


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A parsed and cut document. It is stored again if `fingerprint` has changed.

    `withheld` says why it is not part of the published book; it has no chunks then. `chunk_ids` and
    `passages` go with `chunks`; a chunk keeps its id for as long as its text does. `version` and
    `locale` are the built site's, empty without its manifest.
    """

    document_id: str
    document: Document
    fingerprint: str
    url: str
    chapter: Chapter
    version: str = ""
    locale: str = ""
    chunks: tuple[Chunk, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    passages: tuple[tuple[str, ...], ...] = ()
    blocks: tuple[BlockText, ...] = ()
    withheld: str = ""
    orders: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the author."""
        if not self.orders:
            return self.document.warnings
        orders = plural(self.orders, "sentence")
        warning = f"orders to a model in {orders}: models are not shown their blocks"
        return (*self.document.warnings, warning)


def is_markdown(key: str) -> bool:
    return PurePosixPath(key).suffix.lower() in {".md", ".mdx"}


def document_id_of(key: str) -> str:
    return str(uuid5(DOCUMENTS, key))


def reason_to_leave_out(key: str, layout: BookLayout, page: ManifestPage | None = None) -> str:
    """Why a Markdown file has no page of its own in the book; "" if it has one."""
    if page is not None:
        return ""
    root = layout.docs_root.strip("/")
    in_root = not root or key.startswith(root + "/")
    if layout.generator == "docusaurus":
        if not in_root and not _TEXT_ROOTS.match(key):
            return f"it is outside the folder {root!r}"
        if any(part.startswith("_") for part in PurePosixPath(key).parts):
            return "it is a part that other pages include"
    elif not in_root:
        return f"it is outside the folder {root!r}"
    elif layout.generator == "mkdocs" and PurePosixPath(key).suffix.lower() == ".mdx":
        return "MkDocs makes no page of it"
    elif layout.generator == "mdbook" and PurePosixPath(key).name == "SUMMARY.md":
        return "it is the table of contents"
    return ""


def prepare_document(
    key: str,
    data: bytes,
    layout: BookLayout,
    chapter_title: str,
    page: ManifestPage | None = None,
) -> PreparedDocument:
    """Parse and cut a document. `page` is its page in the built site, if known; else the
    generator's rules give its links. Raises UnreadableDocument."""
    document = read_document(key, data, layout.heading_ids)
    if page is not None:
        document = with_page_anchors(document, page.headings)
    governed = govern(document)
    document = governed.visible
    document_id = document_id_of(key)
    prepared = PreparedDocument(
        document_id=document_id,
        document=document,
        fingerprint=_fingerprint(document, layout, chapter_title, page),
        url=page.permalink if page else url_by_rules(document, layout),
        chapter=chapter_of(key, (document.title,), chapter_title),
        version=page.version if page else "",
        locale=page.locale if page else "",
        withheld=_reason_to_withhold(document),
    )
    if prepared.withheld:
        return prepared
    chunks = with_policies(
        split_into_chunks(
            governed.answerable, layout.chunk_words, layout.overlap_words, layout.passage_words
        ),
        document,
    )
    return replace(
        prepared,
        chunks=chunks,
        chunk_ids=_chunk_ids(document_id, chunks),
        passages=tuple(chunk.passages for chunk in chunks),
        blocks=_block_texts(document),
        orders=sum(
            gives_orders(sentence.text)
            for chunk in chunks
            for part in chunk.parts
            if part.kind != "heading"
            for sentence in part.sentences
        ),
    )


def page_digest(page: ManifestPage | None) -> str:
    """The built page's part of a fingerprint; "" without a page."""
    return page.digest if page else ""


def page_digest_in(fingerprint: str) -> str:
    """The part of a stored fingerprint that `page_digest` made."""
    parts = fingerprint.split("-", 2)
    return parts[2] if len(parts) == 3 else ""


def passage_hash(passage: str) -> str:
    return hashlib.sha256(passage.encode("utf-8", "surrogatepass")).hexdigest()


def _reason_to_withhold(document: Document) -> str:
    if document.front.policy == "exclude":
        return "its author excluded it"
    if document.front.hide:
        return "it is a draft or unlisted"
    return ""


def url_by_rules(document: Document, layout: BookLayout) -> str:
    """The address of a page that no manifest names, as the site's generator makes it."""
    return document_url(
        document.source_path,
        document.front,
        base_url=layout.base_url,
        docs_root=layout.docs_root,
        route_base=layout.route_base,
        generator=layout.generator,
        directory_urls=layout.directory_urls,
    )


def _fingerprint(
    document: Document, layout: BookLayout, chapter_title: str, page: ManifestPage | None
) -> str:
    made = json.dumps([PIPELINE, astuple(layout), chapter_title])
    parts = [document.content_hash, hashlib.sha256(made.encode()).hexdigest()[:12]]
    return "-".join([*parts, page_digest(page)] if page else parts)


def _chunk_ids(document_id: str, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Ids from document and text, so that a chunk keeps its id when text above it changes."""
    seen: dict[str, int] = {}
    ids: list[str] = []
    for chunk in chunks:
        seen[chunk.hash] = seen.get(chunk.hash, 0) + 1
        ids.append(str(uuid5(UUID(document_id), f"{chunk.hash}\n{seen[chunk.hash]}")))
    return tuple(ids)


def _block_texts(document: Document) -> tuple[BlockText, ...]:
    source = document.source
    references = defined_labels(source)
    texts: list[str] = []
    for block in document.blocks:
        raw = "".join(source[span.start : span.end] for span in block.spans)
        if block.kind in ("code", "mermaid", "math", "heading"):
            lines = sentences_of(block.kind, raw, references)
            text = "\n".join(line.text for line in lines)
        else:
            text = render_plain(raw, references).text
        texts.append(text)
    rendered = render_blocks(document, texts, references)
    return tuple(map(BlockText, document.blocks, texts, rendered))
