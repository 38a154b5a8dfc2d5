"""Documents read from a text, and what stands in their blocks."""

from __future__ import annotations

from functions.book.document import Block, Document
from functions.book.markdown.parse import read_document


def read(text: str, path: str = "docs/page.mdx") -> Document:
    return read_document(path, text.encode())


def text_of(document: Document, block: Block) -> str:
    return "".join(document.source[span.start : span.end] for span in block.spans)


def texts(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, text_of(document, block)) for block in document.blocks]
