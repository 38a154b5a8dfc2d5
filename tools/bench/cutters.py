"""The libraries that are compared, each behind one function: text in, pieces out.

All cut at the same number of words, with nothing repeated. Each is set up the way its own
documentation shows for Markdown; what a library does not say of a piece stays None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import chonkie
import semantic_text_splitter
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
from llama_index.core.schema import Document as LlamaDocument
from markdown_it import MarkdownIt

from functions.book.chunks.chunk import Chunk
from functions.book.chunks.split_into_chunks import split_into_chunks
from functions.book.markdown.parse import read_document

LEVELS = 6
OURS = "quoth"
LANGCHAIN = f"LangChain, headers + recursive ({version('langchain-text-splitters')})"
LLAMA_INDEX = f"LlamaIndex, Markdown + sentences ({version('llama-index-core')})"


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of a source. `titles` is its heading path, `places` where it says it stands."""

    text: str
    titles: tuple[str, ...] | None = None
    places: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class Cutter:
    """`run` is what is timed. `cuts` gives the pieces with all that the library says of them."""

    name: str
    run: Callable[[str, bytes], Any]
    cuts: Callable[[str, bytes], list[Cut]] | None = None


def count_words(text: str) -> int:
    return len(text.split())


def cutters(max_words: int) -> list[Cutter]:
    """Everything that is compared, ours first."""
    return [
        Cutter(
            OURS,
            lambda name, data: _quoth(name, data, max_words),
            lambda name, data: _quoth_cuts(_quoth(name, data, max_words)),
        ),
        Cutter(
            "quoth, with sentences and passages",
            lambda name, data: [chunk.passages for chunk in _quoth(name, data, max_words)],
        ),
        _langchain(max_words),
        _llama_index(max_words),
        _chonkie(max_words),
        _semantic_text_splitter(max_words),
        _markdown_it(),
    ]


def _quoth(name: str, data: bytes, max_words: int) -> tuple[Chunk, ...]:
    return split_into_chunks(read_document(name, data), max_words)


def _quoth_cuts(chunks: tuple[Chunk, ...]) -> list[Cut]:
    return [
        Cut(
            chunk.text,
            tuple(heading.title for heading in chunk.headings),
            tuple((span.start, span.end) for span in chunk.spans),
        )
        for chunk in chunks
    ]


def langchain_splitter(max_words: int, say_places: bool = False) -> Callable[[str], Any]:
    """By headings first, then by length."""
    by_heading = MarkdownHeaderTextSplitter(
        [("#" * level, str(level)) for level in range(1, LEVELS + 1)], strip_headers=False
    )
    by_length = RecursiveCharacterTextSplitter(
        chunk_size=max_words,
        chunk_overlap=0,
        length_function=count_words,
        add_start_index=say_places,
    )
    return lambda text: by_length.split_documents(by_heading.split_text(text))


def _langchain(max_words: int) -> Cutter:
    split, split_with_places = (langchain_splitter(max_words, places) for places in (False, True))

    def cuts(_: str, data: bytes) -> list[Cut]:
        found = []
        for each in split_with_places(data.decode()):
            levels = map(str, range(1, LEVELS + 1))
            titles = tuple(each.metadata[level] for level in levels if level in each.metadata)
            place = _place(each.metadata["start_index"], each.page_content)
            found.append(Cut(each.page_content, titles, place))
        return found

    return Cutter(LANGCHAIN, lambda _, data: split(data.decode()), cuts)


def llama_index_parsers(max_words: int) -> tuple[MarkdownNodeParser, SentenceSplitter]:
    """By headings first, then by length."""
    by_length = SentenceSplitter(chunk_size=max_words, chunk_overlap=0, tokenizer=str.split)
    return MarkdownNodeParser(), by_length


def _llama_index(max_words: int) -> Cutter:
    by_heading, by_length = llama_index_parsers(max_words)

    def run(_: str, data: bytes) -> Any:
        return by_length(by_heading([LlamaDocument(text=data.decode())]))

    def cuts(name: str, data: bytes) -> list[Cut]:
        found = []
        for node in run(name, data):
            titles = tuple(filter(None, node.metadata["header_path"].split("/")))
            found.append(Cut(node.text, titles, _place(node.start_char_idx, node.text)))
        return found

    return Cutter(LLAMA_INDEX, run, cuts)


def _chonkie(max_words: int) -> Cutter:
    levels = [
        chonkie.RecursiveLevel(delimiters=["\n" + "#" * level + " "], include_delim="next")
        for level in range(1, LEVELS + 1)
    ]
    rules = chonkie.RecursiveRules(
        [
            *levels,
            chonkie.RecursiveLevel(delimiters=["\n\n"]),
            chonkie.RecursiveLevel(delimiters=["\n"]),
            chonkie.RecursiveLevel(delimiters=[". ", "! ", "? "]),
            chonkie.RecursiveLevel(whitespace=True),
        ]
    )
    counter: Any = count_words  # allowed by its documentation, not by its types
    chunker = chonkie.RecursiveChunker(
        tokenizer=counter, chunk_size=max_words, rules=rules, min_characters_per_chunk=1
    )

    def cuts(_: str, data: bytes) -> list[Cut]:
        found = chunker.chunk(data.decode())
        return [Cut(each.text, None, _place(each.start_index, each.text)) for each in found]

    return Cutter(
        f"chonkie, recursive ({version('chonkie')})",
        lambda _, data: chunker.chunk(data.decode()),
        cuts,
    )


def _semantic_text_splitter(max_words: int) -> Cutter:
    splitter = semantic_text_splitter.MarkdownSplitter.from_callback(count_words, max_words)
    return Cutter(
        f"semantic-text-splitter, Markdown ({version('semantic-text-splitter')})",
        lambda _, data: splitter.chunks(data.decode()),
        lambda _, data: [
            Cut(text, None, _place(start, text))
            for start, text in splitter.chunk_indices(data.decode())
        ],
    )


def _markdown_it() -> Cutter:
    parser = MarkdownIt("commonmark").enable("table")
    return Cutter(
        f"markdown-it-py, only parsing ({version('markdown-it-py')})",
        lambda _, data: parser.parse(data.decode()),
    )


def _place(start: int | None, text: str) -> tuple[tuple[int, int], ...] | None:
    return None if start is None else ((start, start + len(text)),)
