"""The same chunks on one local Qdrant server, as Quoth, LangChain and LlamaIndex each store them.

A chunk is a run of sentences of real books, drawn by a seed until there are enough. Its vectors
are made up, since what is measured is time: a question's lies near that of the chunk that it was
made from. Nothing is embedded while anything is measured.
"""

from __future__ import annotations

import math
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from llama_index.core.schema import BaseNode, TextNode
from llama_index.vector_stores.qdrant import QdrantVectorStore as LlamaIndexStore
from qdrant_client import QdrantClient, models

from functions.adapters.qdrant.chunk_index import ChunkIndex, ChunkPoint
from quoth.calibrate.local_index import Indexable, chunk_of_row, chunks_of_book
from quoth.parts import part_process

SIZE = 384
OURS, LANGCHAIN, LLAMA_INDEX = "quoth", "langchain", "llama-index"
SEED = 20261122
QUESTION_WORDS = 12
NOISE = 0.35
BATCH = 200

Vector = list[float]


@dataclass(frozen=True, slots=True)
class Question:
    """Words of one chunk, with a vector near its own."""

    text: str
    vector: Vector
    chunk_id: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """A running server that holds `count` chunks three times over, one collection for each."""

    url: str
    pid: int
    count: int
    questions: Sequence[Question]

    @property
    def vectors(self) -> dict[str, Vector]:
        """The vector of each question's text."""
        return {each.text: each.vector for each in self.questions}


@asynccontextmanager
async def filled_shelf(
    books: Sequence[Path], count: int, sentences: int, questions: int
) -> AsyncIterator[Shelf]:
    """A server of its own, filled, while the block runs. `sentences` are those of one chunk."""
    drawn = random.Random(SEED)  # noqa: S311  # no secret: the same for every run
    chunks = list(_draw_chunks(books, count, sentences, drawn))
    vectors = {each.chunk.chunk_id: _vectors(each, drawn) for each in chunks}
    with (
        TemporaryDirectory(prefix="quoth-bench-") as folder,
        part_process("quoth.qdrant", ["--data", folder, "--port", "0"], Path(folder)) as server,
    ):
        url = server.ready_url()
        await _fill_ours(url, chunks, vectors)
        _fill_others(url, chunks, vectors)
        asked = [
            _question(each, vectors[each.chunk.chunk_id], drawn)
            for each in drawn.sample(chunks, questions)
        ]
        yield Shelf(url, server.process.pid, count, asked)


def _draw_chunks(
    books: Sequence[Path], count: int, sentences: int, drawn: random.Random
) -> Iterator[Indexable]:
    pages: list[tuple[str, list[str]]] = []
    for book in books:
        for each in chunks_of_book(book):
            said = [s.text for part in each.chunk.parts for s in part.sentences]
            pages.append((" > ".join(each.chunk.titles), said))
    for number in range(count):
        title, _ = pages[at := drawn.randrange(len(pages))]
        run: list[str] = []
        while len(run) < sentences:
            run += pages[at % len(pages)][1]
            at += 1
        text = " ".join(run[:sentences])
        yield chunk_of_row({"id": f"chunk-{number}", "title": title, "text": text}, number)


def _vectors(chunk: Indexable, drawn: random.Random) -> list[Vector]:
    return [_unit([drawn.gauss(0, 1) for _ in range(SIZE)]) for _ in chunk.passages]


def _question(chunk: Indexable, vectors: list[Vector], drawn: random.Random) -> Question:
    passage = drawn.randrange(len(vectors))
    said = max((s.text for part in chunk.chunk.parts for s in part.sentences), key=len)
    words = [word for word in said.split() if word.isalpha()][:QUESTION_WORDS]
    noise = _unit([drawn.gauss(0, 1) for _ in range(SIZE)])
    near = [a + NOISE * b for a, b in zip(vectors[passage], noise, strict=True)]
    return Question(f"What about {' '.join(words)}?", _unit(near), chunk.chunk.chunk_id)


def _unit(vector: Vector) -> Vector:
    length = math.sqrt(sum(value * value for value in vector))
    return [round(value / length, 6) for value in vector]


async def _fill_ours(url: str, chunks: Sequence[Indexable], vectors: dict[str, Any]) -> None:
    index = ChunkIndex(url, None, OURS, timeout_s=300)
    await index.ensure(SIZE)
    for at in range(0, len(chunks), BATCH):
        points = [
            ChunkPoint(
                chunk_id=each.chunk.chunk_id,
                document_id=each.chunk.document_id,
                source_path=each.chunk.source_path,
                version="",
                locale="",
                chapter_id="",
                generation=1,
                policy="",
                first_block=0,
                last_block=0,
                search_text=" ".join((*each.chunk.titles, each.chunk.text)),
                vectors=vectors[each.chunk.chunk_id],
                chunk=each.chunk.to_payload(),
            )
            for each in chunks[at : at + BATCH]
        ]
        await index.add(points, active=True)
    await index.aclose()


def _fill_others(url: str, chunks: Sequence[Indexable], vectors: dict[str, Any]) -> None:
    """One vector a chunk: the mean of its passages'. Payloads are those that their stores write."""
    client = QdrantClient(url=url, timeout=300, check_compatibility=False)
    params = models.VectorParams(size=SIZE, distance=models.Distance.COSINE)
    for name in (LANGCHAIN, LLAMA_INDEX):
        client.create_collection(name, vectors_config=params)
    llama = LlamaIndexStore(collection_name=LLAMA_INDEX, client=client)
    for at in range(0, len(chunks), BATCH):
        points: list[models.PointStruct] = []
        nodes: list[BaseNode] = []
        for number, each in enumerate(chunks[at : at + BATCH], at):
            rows = vectors[each.chunk.chunk_id]
            mean = _unit([sum(column) / len(rows) for column in zip(*rows, strict=True)])
            metadata = {
                "source": each.chunk.source_path,
                "section": " > ".join(each.chunk.titles),
                "url": each.chunk.url,
            }
            payload = {"page_content": each.chunk.text, "metadata": metadata}
            points.append(models.PointStruct(id=number, vector=mean, payload=payload))
            nodes.append(TextNode(text=each.chunk.text, embedding=mean, metadata=metadata))
        client.upsert(LANGCHAIN, points, wait=True)
        llama.add(nodes)
    client.close()
