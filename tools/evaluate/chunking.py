"""How well books are cut: blocks kept whole, words kept, markup left out, at which speed.

The blocks and the prose are found by another parser (markdown-it-py), so that a mistake of the
reader does not hide itself.
"""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from functions.book.chunks.chunk import Chunk
from functions.book.chunks.cut import count_words
from functions.book.chunks.split_into_chunks import BLOCK_WORDS, MAX_WORDS, split_into_chunks
from functions.book.document import Document, Span
from functions.book.markdown.parse import UnreadableDocument, read_document
from quoth.json_lines import BadRow

_SUFFIXES = frozenset({".md", ".mdx", ".markdown"})
_BLOCKS = frozenset({"fence", "table_open", "math_block"})
_CODE = frozenset({"code", "mermaid", "math"})
_RUN = re.compile(r"[^\W_]+")
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->|\{/\*.*?\*/\}", re.DOTALL)
_NOT_PROSE = re.compile(
    r"<(?P<raw>style|script)\b.*?</(?P=raw)\s*>|<!--.*?-->|\{/\*.*?\*/\}|\{\{#[^{}]*\}\}"
    r"|</?[A-Za-z](?:[^<>\"'{]|\"[^\"]*\"|'[^']*'|\{[^{}]*\})*>"
    r"|^[ \t>]*:{3,}[ \t]*[\w-]*|\{#[^}]*\}[ \t]*$|^(?:import|export)\b[^\r\n]*"
    r"|^[ \t>]*\[[^\]\r\n]+\]:[^\r\n]*|^[ \t>]*\[![A-Z]+\]",
    re.DOTALL | re.MULTILINE,
)
_MODULE_LINE = re.compile(
    r"^(?:import\b.*\bfrom\s*[\"']|import\s*[\"']|export\s+(?:default|const|function)\b)",
    re.MULTILINE,
)
_JSX = re.compile(r"</?[A-Z][\w.]*(?:\s[^<>]*)?/?>|\{/\*|<!--")


@dataclass
class _Tally:
    files: int = 0
    failed: int = 0
    words: int = 0
    sizes: list[int] = field(default_factory=list)
    blocks: int = 0
    split_blocks: int = 0
    oversized_blocks: int = 0
    bad_spans: int = 0
    words_missing: int = 0
    markup_leaks: int = 0
    seconds: float = 0.0
    passages: int = 0
    passage_seconds: float = 0.0


def evaluate_chunking(book_dir: Path, max_words: int = MAX_WORDS) -> dict[str, int | float]:
    """Read and cut every file of a book and count what went wrong. Raises BadRow without files.

    Speed is words of the source per second of processor time, for reading and cutting alone and
    with the sentences and passages of every chunk.
    """
    tally = _Tally()
    parser = MarkdownIt("commonmark").enable("table").disable("html_block")
    parser.use(dollarmath_plugin, allow_blank_lines=True)
    for path in book_files(book_dir):
        tally.files += 1
        data = path.read_bytes()
        begun = time.process_time()
        try:
            document = read_document(path.relative_to(book_dir).as_posix(), data)
            chunks = split_into_chunks(document, max_words)
        except UnreadableDocument:
            tally.failed += 1
            continue
        tally.seconds += time.process_time() - begun
        begun = time.process_time()
        for chunk in chunks:
            tally.passages += len(chunk.passages) if chunk.parts else 0
        tally.passage_seconds += time.process_time() - begun
        _check(document, chunks, parser, max_words, tally)
    sizes = sorted(tally.sizes)
    return {
        "files": tally.files,
        "failed": tally.failed,
        "words": tally.words,
        "chunks": len(sizes),
        "chunk_words_p50": int(median(sizes)) if sizes else 0,
        "chunk_words_p95": sizes[int(0.95 * (len(sizes) - 1))] if sizes else 0,
        "chunk_words_max": sizes[-1] if sizes else 0,
        "blocks": tally.blocks,
        "split_blocks": tally.split_blocks,
        "oversized_blocks": tally.oversized_blocks,
        "bad_spans": tally.bad_spans,
        "words_missing": tally.words_missing,
        "markup_leaks": tally.markup_leaks,
        "words_per_s": round(tally.words / tally.seconds) if tally.seconds else 0,
        "words_per_s_with_passages": (
            round(tally.words / (tally.seconds + tally.passage_seconds)) if tally.seconds else 0
        ),
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def book_files(book_dir: Path) -> list[Path]:
    """The Markdown files of a book, in order. Raises BadRow when there are none."""
    if not book_dir.is_dir():
        raise BadRow(book_dir, 0, "is not a folder")
    files = sorted(
        path
        for path in book_dir.rglob("*")
        if path.suffix.lower() in _SUFFIXES
        and path.is_file()
        and not any(
            part.startswith(".") or part == "node_modules"
            for part in path.relative_to(book_dir).parts
        )
    )
    if not files:
        raise BadRow(book_dir, 0, "has no Markdown files")
    return files


def _check(
    document: Document, chunks: tuple[Chunk, ...], parser: MarkdownIt, max_words: int, tally: _Tally
) -> None:
    source = document.source
    front = _FRONT.match(source)
    body = re.sub(r"[^\n]", " ", front.group()) + source[front.end() :] if front else source
    tally.words += len(body.split())
    for chunk in chunks:
        tally.sizes.append(len(chunk.text.split()))
        joined = "".join(source[span.start : span.end] for span in chunk.spans)
        tally.bad_spans += joined != chunk.text
        tally.markup_leaks += _leaks(chunk, front.end() if front else 0, parser)
    tokens = parser.parse(_COMMENT.sub(lambda found: _only_lines(found.group()), body))
    starts = [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", body)), len(body)]
    texts = [_squeezed(chunk.text) for chunk in chunks]
    for token in _outermost(tokens):
        start, end = _range(token, starts)
        block = source[start:end].strip()
        tally.blocks += 1
        if count_words(block) > max(max_words, BLOCK_WORDS):
            tally.oversized_blocks += 1
        elif token.type == "fence":
            tally.split_blocks += not any(block in chunk.text for chunk in chunks)
        else:
            tally.split_blocks += not any(_squeezed(block) in text for text in texts)
    tally.words_missing += _missing(source, tokens, starts, chunks)


def _only_lines(text: str) -> str:
    """A comment can hold fences and tables that are not in the book."""
    return re.sub(r"[^\r\n]+", "", text)


def _outermost(tokens: list[Token]) -> Iterator[Token]:
    return (token for token in tokens if token.type in _BLOCKS and token.map)


def _range(token: Token, starts: list[int]) -> tuple[int, int]:
    first, last = token.map or [0, 0]
    return starts[min(first, len(starts) - 1)], starts[min(last, len(starts) - 1)]


def _squeezed(text: str) -> str:
    """For tables and formulas: without tags and white space."""
    return "".join(_NOT_PROSE.sub("", text).split())


def _missing(source: str, tokens: list[Token], starts: list[int], chunks: tuple[Chunk, ...]) -> int:
    """Words of prose that are in no chunk, by their place in the source."""
    covered = bytearray(len(source))
    for chunk in chunks:
        for span in chunk.spans:
            covered[span.start : span.end] = b"\1" * (span.end - span.start)
    prose = bytearray(len(source))
    for token in tokens:
        if token.type == "inline" and token.map:
            start, end = _range(token, starts)
            prose[start:end] = b"\1" * (end - start)
    for found in _NOT_PROSE.finditer(source):
        prose[found.start() : found.end()] = bytes(found.end() - found.start())
    return sum(
        1
        for found in _RUN.finditer(source)
        if prose[found.start()] and 0 in covered[found.start() : found.end()]
    )


def _leaks(chunk: Chunk, front_end: int, parser: MarkdownIt) -> bool:
    if any(_touches(span, front_end) for span in chunk.spans if chunk.text[:3]):
        return True
    prose = "\n\n".join(
        chunk.text[part.start : part.end] for part in chunk.parts if part.kind not in _CODE
    )
    return any(_leaks_in(token) for token in parser.parse(prose) if token.type == "inline")


def _touches(span: Span, front_end: int) -> bool:
    return span.start < front_end and span.end > span.start + 1


def _leaks_in(token: Token) -> bool:
    children: list[Any] = token.children or []
    if any(child.type == "html_inline" for child in children):
        return True
    text = "".join(child.content if child.type == "text" else " " for child in children)
    return bool(_MODULE_LINE.search(token.content) or _JSX.search(text))
