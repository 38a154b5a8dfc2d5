"""What mdBook does with a book's sources: the contents in SUMMARY.md, includes, hidden lines."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from functions.book.markdown.parse import MAX_BYTES
from functions.book.markdown.plain_text import plain_text
from quoth.book_files import file_at

_INCLUDE = re.compile(
    r"(\\?)\{\{\s*#(include|rustdoc_include|playground|title)\s+([^\s{}]+)[^{}\n]*\}\}"
)
_ANCHOR = re.compile(r"ANCHOR(?:_END)?:\s*[\w-]+")
_HIDDEN = re.compile(r"^[ \t]*#(?: .*)?$\n?", re.MULTILINE)
_MOST_NESTED = 10


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A chapter in SUMMARY.md: its path from there, its title with its number, and its part."""

    path: str
    title: str
    part: str
    depth: int


def read_summary(text: str) -> list[SummaryLine]:
    """The chapters in their order. Those in lists are numbered; drafts have no page."""
    lines: list[SummaryLine] = []
    numbers: list[int] = []
    part, is_title = "", True
    tokens = MarkdownIt("commonmark").parse(text)
    for at, token in enumerate(tokens):
        if token.type == "bullet_list_open":
            # A list after the first goes on counting; only inner lists begin anew.
            numbers = [*numbers, 0] if token.level or not numbers else numbers[:1]
        elif token.type == "bullet_list_close" and token.level:
            numbers.pop()
        elif token.type == "list_item_open":
            numbers[-1] += 1
        elif token.type == "heading_open":
            # The first heading is the title of the contents.
            part = "" if is_title and not lines else plain_text(tokens[at + 1].content)
            is_title = False
        elif token.type == "inline" and tokens[at - 1].type == "paragraph_open":
            depth = token.level // 2
            number = "".join(f"{each}." for each in numbers[:depth]) if depth else ""
            lines += [
                SummaryLine(path, f"{number} {title}".strip(), part, max(depth - 1, 0))
                for path, title in _links(token)
            ]
    return lines


def _links(inline: Token) -> list[tuple[str, str]]:
    """The targets and texts of the links of a line; several lines may be one paragraph."""
    found: list[tuple[str, str]] = []
    target, words = "", ""
    for token in inline.children or ():
        if token.type == "link_open":
            target, words = unquote(str(token.attrGet("href") or "")), ""
        elif token.type == "link_close" and target:
            found.append((posixpath.normpath(target), words))
        elif token.type in ("text", "code_inline"):
            words += token.content
        elif token.type == "softbreak":
            words += " "
    return found


def hide_lines(code: str) -> str:
    """Rust code without the lines that only the compiler needs."""
    return _HIDDEN.sub("", code)


def expand_includes(source: str, key: str, folder: Path) -> str:
    """The source with its includes replaced by the files. Those that may not be read stay."""
    return _Includes(folder).expand(source, key, 0)


class _Includes:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = MAX_BYTES
        """So many characters may still be added: a file may include itself."""

    def expand(self, source: str, key: str, depth: int) -> str:
        if "{{" not in source or depth > _MOST_NESTED:
            return source
        return _INCLUDE.sub(lambda found: self._text_of(found, key, depth), source)

    def _text_of(self, found: re.Match[str], key: str, depth: int) -> str:
        escaped, kind, target = found.groups()
        if escaped:
            return found.group()[1:]
        if kind == "title":
            return ""
        name, _, part = target.partition(":")
        inner = posixpath.normpath(posixpath.join(posixpath.dirname(key), name))
        path = file_at(self._folder, inner)
        if path is None or not 0 < path.stat().st_size <= self._left:
            return found.group()
        try:
            text = _part_of(path.read_text("utf-8", "replace"), part)
        except OSError:
            return found.group()
        self._left -= len(text)
        text = self.expand(text, inner, depth + 1)
        return f"```rust\n{text}\n```" if kind == "playground" else text


def _part_of(text: str, part: str) -> str:
    """The lines that an include names: `3`, `3:`, `:9`, `3:9`, or those of an anchor."""
    lines = text.splitlines()
    first, colon, last = part.partition(":")
    if first.isdecimal() or (colon and not first):
        start = int(first or 1)
        end = int(last) if last.isdecimal() else len(lines) if colon else start
        lines = lines[max(start - 1, 0) : end]
    elif part:
        lines = _anchored(lines, first)
    return "\n".join(line for line in lines if not _ANCHOR.search(line))


def _anchored(lines: list[str], name: str) -> list[str]:
    kept: list[str] = []
    is_inside = False
    for line in lines:
        if re.search(rf"ANCHOR:\s*{re.escape(name)}\s*$", line):
            is_inside = True
        elif re.search(rf"ANCHOR_END:\s*{re.escape(name)}\s*$", line):
            is_inside = False
        elif is_inside:
            kept.append(line)
    return kept
