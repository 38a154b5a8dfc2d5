"""An index of a book or of passages in this process, for evaluation."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from functions.adapters.aws.object_store import StoredObject
from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.qdrant.chunk_index import ChunkIndex, ChunkPoint
from functions.adapters.qdrant.chunk_search import ChunkSearch, SearchFilters, SearchResult
from functions.answer.context import Context
from functions.answer.gate.unknown_names import rare_words
from functions.book.chunks.chunk import Chapter, ChunkPart, ChunkSentence, StoredChunk
from functions.book.chunks.passages import pack_passages
from functions.book.markdown.parse import UnreadableDocument
from functions.book.sentences.block_sentences import sentences_of
from functions.book.site.manifest import Manifest
from functions.ingest.prepare import (
    PreparedDocument,
    prepare_document,
    reason_to_leave_out,
)
from functions.ingest.to_rows import stored_chunks
from functions.query.retrieval.rerank import context_of_result
from quoth.book_files import markdown_files
from quoth.book_layout import layout_of_folder
from quoth.embeddings.app import create_app as create_embeddings
from quoth.embeddings.minilm import DIMENSIONS, NAME
from quoth.json_lines import BadRow
from quoth.local_server import served
from quoth.qdrant.app import create_app
from quoth.qdrant.app import create_app as create_qdrant

COLLECTION = "evaluation"
PASSAGE_WORDS = 90
NOTHING_TO_READ = "has no Markdown that can be read"
CALL_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Indexable:
    """A chunk and the passages that are embedded for it."""

    chunk: StoredChunk
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """An index to search and a model to embed with."""

    index: ChunkIndex
    search: ChunkSearch
    embeddings: Embeddings

    async def add(self, chunks: Sequence[Indexable]) -> None:
        """Embed and index chunks."""
        await self.index.ensure(DIMENSIONS)
        texts = list(dict.fromkeys(text for each in chunks for text in each.passages))
        vectors = dict(zip(texts, await self.embeddings.embed(texts, CALL_SECONDS), strict=True))
        await self.index.add(points_of(chunks, vectors), active=True)


def points_of(
    chunks: Sequence[Indexable], vectors: Mapping[str, Sequence[float]]
) -> list[ChunkPoint]:
    """Chunks as they are indexed. `vectors` are of their passages, by passage."""
    return [
        ChunkPoint(
            chunk_id=each.chunk.chunk_id,
            document_id=each.chunk.document_id,
            source_path=each.chunk.source_path,
            version=each.chunk.version,
            locale=each.chunk.locale,
            chapter_id=each.chunk.chapter.id,
            generation=each.chunk.generation,
            policy=each.chunk.policy,
            first_block=each.chunk.parts[0].block,
            last_block=each.chunk.parts[-1].block,
            search_text=" ".join((*each.chunk.titles, each.chunk.text)),
            vectors=[vectors[text] for text in each.passages],
            chunk=each.chunk.to_payload(),
        )
        for each in chunks
    ]


@asynccontextmanager
async def open_stage() -> AsyncIterator[Stage]:
    """An empty index in a temporary folder, and MiniLM."""
    with (
        tempfile.TemporaryDirectory(prefix="quoth-evaluation-") as folder,
        served(create_qdrant(Path(folder))) as qdrant,
        served(create_embeddings()) as embeddings,
    ):
        stage = Stage(
            ChunkIndex(qdrant, None, COLLECTION, timeout_s=120),
            ChunkSearch(qdrant, None, COLLECTION, 30.0),
            Embeddings(f"{embeddings}/v1", "embedded", NAME, DIMENSIONS, patient=True),
        )
        try:
            yield stage
        finally:
            await stage.index.aclose()
            await stage.search.aclose()
            await stage.embeddings.close()


@asynccontextmanager
async def embedding_model() -> AsyncIterator[Embeddings]:
    """MiniLM alone, for those who index themselves."""
    with served(create_embeddings()) as url:
        model = Embeddings(f"{url}/v1", "embedded", NAME, DIMENSIONS, patient=True)
        try:
            yield model
        finally:
            await model.close()


def chunk_of_row(row: dict[str, Any], ordinal: int) -> Indexable:
    """A corpus row as one chunk: its title is the heading path (chapter > page > section), its text
    one paragraph."""
    titles = tuple(part.strip() for part in str(row["title"]).split(" > ") if part.strip())
    text = str(row["text"])
    sentences = tuple(
        ChunkSentence(each.text, 1, 1) for each in sentences_of("paragraph", text, frozenset())
    )
    part = ChunkPart(0, "paragraph", 0, len(text), 1, "", sentences)
    chunk = StoredChunk(
        chunk_id=str(row["id"]),
        document_id=str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(titles[:2]) or str(row["id"]))),
        source_path=str(row.get("path") or row["id"]),
        version="",
        locale="",
        generation=1,
        ordinal=ordinal,
        text=text,
        hash=str(row["id"]),
        titles=titles,
        chapter=Chapter(titles[0] if titles else "", None, titles[0] if titles else ""),
        section=titles[-1] if titles else "",
        subsection="",
        place=titles[-1] if titles else str(row["id"]),
        url=f"/{row['id']}",
        policy="",
        updated_at="",
        parts=(part,),
    )
    return Indexable(chunk, pack_passages(titles[-1] if titles else "", (part,), PASSAGE_WORDS))


def chunks_of_book(book: Path, manifest: Manifest | None = None) -> list[Indexable]:
    """Every chunk of a book's folder, read and cut as ingest does. Unreadable files are left out.

    Links are the built site's, where its manifest is given.

    Raises NotADirectoryError, or BadRow when nothing in the folder can be read.
    """
    found: list[Indexable] = []
    for prepared in documents_of_book(book, manifest):
        changed = (book / prepared.document.source_path).stat().st_mtime
        stored = StoredObject(b"", "", datetime.fromtimestamp(changed, UTC))
        chunks = stored_chunks(prepared, stored, 1)
        found += [
            Indexable(chunk, cut.passages)
            for chunk, cut in zip(chunks, prepared.chunks, strict=True)
        ]
    if not found:
        raise BadRow(book, 0, NOTHING_TO_READ)
    return found


def documents_of_book(book: Path, manifest: Manifest | None = None) -> list[PreparedDocument]:
    """Every document of a book's folder that can be read, prepared as ingest does.

    Raises NotADirectoryError, or BadRow when there is none.
    """
    if not book.is_dir():
        raise NotADirectoryError(f"{book} is not a folder")
    keys = markdown_files(book)
    layout = layout_of_folder(book, keys)
    found: list[PreparedDocument] = []
    for key, path in keys.items():
        page = manifest.page_of(key) if manifest else None
        if reason_to_leave_out(key, layout, page):
            continue
        with suppress(UnreadableDocument):
            found.append(prepare_document(key, path.read_bytes(), layout, "", page))
    if not found:
        raise BadRow(book, 0, NOTHING_TO_READ)
    return found


TOP = 5
FOUND = 10
BOOK_COLLECTION = "calibration"
WRITE_SECONDS = 120.0
SEARCH_SECONDS = 30.0

Vectors = list[list[float]]
Embed = Callable[[Sequence[str]], Awaitable[Vectors]]


@dataclass(frozen=True, slots=True)
class BookIndex:
    """The book, indexed beside the readers' index. `vectors` are of the questions asked so far."""

    index: ChunkIndex
    search: ChunkSearch
    embed: Embed
    points: Sequence[ChunkPoint]
    vectors: dict[str, list[float]]

    @property
    def chapters(self) -> list[str]:
        """The ids of the chapters, in the book's order."""
        return list(dict.fromkeys(point.chapter_id for point in self.points))

    async def learn(self, questions: Sequence[str]) -> None:
        """Embed questions that will be asked."""
        new = [each for each in dict.fromkeys(questions) if each not in self.vectors]
        if new:
            self.vectors.update(zip(new, await self.embed(new), strict=True))

    async def ask(self, question: str) -> Context:
        """What the query function would answer from."""
        await self.learn([question])
        found = await self.search.search(question, self.vectors[question], SearchFilters(), FOUND)
        return await self._context(question, found)

    async def ask_by_words(self, question: str) -> Context:
        """The same while embeddings are down."""
        found = await self.search.keyword_search(question, SearchFilters(), FOUND)
        return await self._context(question, found)

    async def _context(self, question: str, found: SearchResult) -> Context:
        absent = await self.search.absent_words(rare_words(question), SearchFilters())
        return context_of_result(question, found, TOP, absent)

    @asynccontextmanager
    async def without(self, chapter_id: str) -> AsyncIterator[None]:
        """The book without one chapter, while the block runs."""
        taken = [point for point in self.points if point.chapter_id == chapter_id]
        documents = {point.document_id for point in taken}
        for document in documents:
            await self.index.remove(document)
        # A document may belong to several chapters only in part: the rest goes back at once.
        await self.index.add(
            [
                point
                for point in self.points
                if point.document_id in documents and point.chapter_id != chapter_id
            ],
            active=True,
        )
        try:
            yield
        finally:
            await self.index.add(taken, active=True)


@asynccontextmanager
async def open_book_index(
    chunks: Sequence[Indexable], vectors: dict[str, list[float]], embed: Embed
) -> AsyncIterator[BookIndex]:
    """Index chunks in a temporary folder. `vectors` are of their passages, by passage."""
    points = points_of(chunks, vectors)
    with (
        tempfile.TemporaryDirectory(prefix="quoth-calibration-") as folder,
        served(create_app(Path(folder))) as url,
    ):
        index = ChunkIndex(url, None, BOOK_COLLECTION, timeout_s=WRITE_SECONDS)
        search = ChunkSearch(url, None, BOOK_COLLECTION, SEARCH_SECONDS)
        try:
            await index.ensure(len(points[0].vectors[0]))
            await index.add(points, active=True)
            yield BookIndex(index, search, embed, points, {})
        finally:
            await index.aclose()
            await search.aclose()
