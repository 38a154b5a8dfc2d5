"""What one edited paragraph costs: how many texts each library embeds again.

The indexes of the libraries are run as they are, over a whole book, with an embedder that counts.
Ours embeds the passages whose hash it has not seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.documents import Document as LangchainDocument
from langchain_core.embeddings import Embeddings as LangchainEmbeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.schema import Document as LlamaDocument
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore
from pydantic import PrivateAttr

from functions.ingest.prepare import BookLayout, passage_hash, prepare_document
from tools.bench.chunking import Book
from tools.bench.cutters import langchain_splitter, llama_index_parsers

_PARAGRAPH = re.compile(r"(?<=\n\n)[A-Z][^\n]*(?:\n(?!\n)[^\n]*)*(?=\n\n)")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_VECTOR = [1.0, 0.0]
_WORDS_OF_A_PARAGRAPH = 30


class NoParagraph(Exception):
    """The largest file of the book has no paragraph that could be edited."""


@dataclass(frozen=True, slots=True)
class Update:
    """Texts embedded for the whole book at first, and again after one paragraph was edited."""

    name: str
    first: int
    after_edit: int


@dataclass(frozen=True, slots=True)
class Edit:
    """A book before and after: `files` as (path, text); `path` is the file that was edited."""

    path: str
    before: list[tuple[str, str]]
    after: list[tuple[str, str]]


def edit_paragraph(book: Book) -> Edit:
    """A sentence is added to the middle paragraph of the largest file. Raises NoParagraph."""
    files = [(name, data.decode().replace("\r\n", "\n")) for name, data in book.files]
    path, text = max(files, key=lambda file: len(file[1]))
    ends = [
        found.end()
        for found in _PARAGRAPH.finditer(text)
        if len(found.group().split()) >= _WORDS_OF_A_PARAGRAPH
        and not len(_FENCE.findall(text, 0, found.start())) % 2
    ]
    if not ends:
        raise NoParagraph(f"{path} of {book.name} has no paragraph to edit")
    end = min(ends, key=lambda at: abs(at - len(text) / 2))
    edited = f"{text[:end]} One more sentence is written here.{text[end:]}"
    after = [(name, edited if name == path else text_) for name, text_ in files]
    return Edit(path, files, after)


def measure_updates(edit: Edit, max_words: int) -> list[Update]:
    """For ours, LangChain's index with two of its clean-ups, and LlamaIndex' upserts."""
    return [
        _update("quoth", _quoth(max_words), edit),
        _update("LangChain, incremental", _langchain("incremental", max_words), edit),
        _update("LangChain, scoped_full", _langchain("scoped_full", max_words), edit),
        _update("LlamaIndex, upserts", _llama_index(max_words), edit),
    ]


Ingest = Callable[[list[tuple[str, str]]], int]
"""Brings an index to the state of a book; returns how many texts were embedded."""


def _update(name: str, ingest: Ingest, edit: Edit) -> Update:
    return Update(name, ingest(edit.before), ingest(edit.after))


def _quoth(max_words: int) -> Ingest:
    layout = BookLayout(generator="plain", docs_root="", chunk_words=max_words)
    known: set[str] = set()

    def ingest(files: list[tuple[str, str]]) -> int:
        had = len(known)
        for name, text in files:
            for chunk in prepare_document(name, text.encode(), layout, "").chunks:
                known.update(passage_hash(passage) for passage in chunk.passages)
        return len(known) - had

    return ingest


class _CountingForLangchain(LangchainEmbeddings):
    def __init__(self) -> None:
        self.count = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.count += len(texts)
        return [_VECTOR for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return _VECTOR


def _langchain(cleanup: Literal["incremental", "scoped_full"], max_words: int) -> Ingest:
    split = langchain_splitter(max_words)
    embedder = _CountingForLangchain()
    store = InMemoryVectorStore(embedder)
    records = InMemoryRecordManager("book")
    records.create_schema()

    def ingest(files: list[tuple[str, str]]) -> int:
        had = embedder.count
        documents = [
            LangchainDocument(each.page_content, metadata={**each.metadata, "source": name})
            for name, text in files
            for each in split(text)
        ]
        index(
            documents,
            records,
            store,
            cleanup=cleanup,
            source_id_key="source",
            key_encoder="sha256",
        )
        return embedder.count - had

    return ingest


class _CountingForLlamaIndex(BaseEmbedding):
    _count: int = PrivateAttr(default=0)

    @property
    def count(self) -> int:
        return self._count

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        self._count += len(texts)
        return [_VECTOR for _ in texts]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return _VECTOR

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return _VECTOR


def _llama_index(max_words: int) -> Ingest:
    embedder = _CountingForLlamaIndex()
    transformations: Sequence[Any] = [*llama_index_parsers(max_words), embedder]
    pipeline = IngestionPipeline(
        transformations=list(transformations),
        docstore=SimpleDocumentStore(),
        vector_store=SimpleVectorStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS,
        disable_cache=True,
    )

    def ingest(files: list[tuple[str, str]]) -> int:
        had = embedder.count
        pipeline.run(documents=[LlamaDocument(text=text, id_=name) for name, text in files])
        return embedder.count - had

    return ingest
