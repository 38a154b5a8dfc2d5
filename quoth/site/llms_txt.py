"""`llms.txt`: a book's pages with their links, for language models (see llmstxt.org)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from urllib.parse import quote, unquote

from functions.book.document import Document
from functions.book.markdown.parse import UnreadableDocument, read_document
from functions.book.policies import govern
from quoth.site.contents import Contents

FILE_NAME = "llms.txt"
LONGEST_NOTE = 200
"""Characters."""
_MARKUP = re.compile(r"([\\\[\]])")


def write_llms_txt(contents: Sequence[Contents], title: str = "", origin: str = "") -> str:
    """The file, a section a chapter. Pages and sections with `ai: exclude` are left out.

    `title` is the first page's when empty; links begin with `origin`, scheme and host.
    """
    read = [(page, found) for page in contents if (found := _read(page)) is not None]
    if not title and read:
        title = read[0][0].title
    lines = [f"# {_line(title)}", ""]
    if read and (summary := read[0][1].front.description):
        lines += [f"> {_line(summary)}", ""]
    for chapter, pages in groupby(read, key=lambda each: each[0].chapter):
        lines += [f"## {_line(chapter or title)}", ""]
        lines += [_entry(page, document, origin) for page, document in pages]
        lines.append("")
    return "\n".join(lines)


def _read(page: Contents) -> Document | None:
    """What of a page may be answered from; None for nothing."""
    try:
        found = govern(read_document(page.source_path, page.path.read_bytes())).answerable
    except (UnreadableDocument, OSError):
        return None
    return found if found.blocks else None


def _entry(page: Contents, document: Document, origin: str) -> str:
    url = origin.rstrip("/") + quote(unquote(page.url), safe="/-_.~")
    title = _MARKUP.sub(r"\\\1", _line(page.title))
    note = _line(document.front.description) or _sections(document)
    return f"- [{title}]({url})" + (f": {note}" if note else "")


def _sections(document: Document) -> str:
    """The titles of the page's sections, as many as fit."""
    titles = [
        _line(block.headings[-1].title)
        for block in document.blocks
        if block.kind == "heading" and block.headings and block.headings[-1].level == 2
    ]
    while len("; ".join(titles)) > LONGEST_NOTE:
        titles.pop()
    return "; ".join(titles)


def _line(text: str) -> str:
    return " ".join(text.split())
