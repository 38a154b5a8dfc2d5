"""What does it change that the reader's chapter is known, for better and for worse?"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.adapters.postgres.database import DatabaseUnavailable
from functions.adapters.qdrant.schema import SearchFilters
from functions.answer.deadline import Deadline
from functions.book.chunks.chunk import StoredChunk
from functions.query.retrieval.chapter_boost import ReaderPosition, names_of_chapter
from functions.query.retrieval.retrieve import Found, SearchRequest, retrieve_chunks
from quoth.calibrate.local_index import Indexable, Stage, chunks_of_book, open_stage
from quoth.golden.ask import load_questions
from quoth.golden.grade import holds_chunk
from quoth.golden.questions import Place
from quoth.json_lines import BadRow
from quoth.statistics import percentile, share


class NoFallback:
    """A keyword store that cannot be reached."""

    async def search_chunks(
        self, question: str, most: int, wanted: Mapping[str, Any] | None = None, *, seconds: float
    ) -> list[tuple[StoredChunk, float]]:
        raise DatabaseUnavailable("an evaluation searches the index only")


TOP = 5
OTHERS = 4
"""Wrong chapters that each question is asked in."""
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, where its answer stands, and the id of the chapter that has it."""

    question: str
    place: Place
    chapter_id: str


@dataclass
class Ranks:
    """Where the right chunk stood, a count for each set of searches."""

    n: int = 0
    first: int = 0
    in_top: int = 0

    def add(self, asked: Asked, found: Found) -> None:
        chunks = sorted(
            (row for source in found.context.sources for row in source.chunks),
            key=lambda row: -row[1],
        )
        met = [holds_chunk(asked.place, chunk) for chunk, _ in chunks]
        self.n += 1
        self.first += met[:1] == [True]
        self.in_top += any(met)

    def figures(self, name: str) -> dict[str, float]:
        return {
            f"hit@1_{name}": share(self.first, self.n),
            f"hit@5_{name}": share(self.in_top, self.n),
        }


async def evaluate_chapters(book: Path, golden: Path, seed: int = 1) -> dict[str, Any]:
    """Ask each question without a place, in the chapter that answers it, and in other chapters.

    `golden` is a book's file of golden questions, or JSON Lines with `question` and `gold_path`.
    `added_ms` is what knowing the chapter adds to a search on the clock, `added_cpu_ms` of the
    processor's time; each search is compared with the same one without it. Raises BadRow.
    """
    chunks = chunks_of_book(book)
    asked = _with_chapters(_places(book, golden), chunks)
    if not asked:
        raise BadRow(golden, 0, "has no question whose section is known")
    chapters = sorted({each.chunk.chapter.id for each in chunks})
    chance = random.Random(seed)  # noqa: S311
    plain, right, wrong = Ranks(), Ranks(), Ranks()
    wall: list[float] = []
    cpu: list[float] = []
    async with open_stage() as stage:
        await stage.add(chunks)
        for each in asked:
            (vector,) = await stage.embeddings.embed([each.question], SECONDS)
            before, found = await _search(stage, each.question, vector, None)
            plain.add(each, found)
            after, found = await _search(stage, each.question, vector, each.chapter_id)
            right.add(each, found)
            wall.append(after[0] - before[0])
            cpu.append(after[1] - before[1])
            others = [chapter for chapter in chapters if chapter != each.chapter_id]
            for chapter in chance.sample(others, min(OTHERS, len(others))):
                _, found = await _search(stage, each.question, vector, chapter)
                wrong.add(each, found)
    figures = {
        "n": len(asked),
        "chapters": len(chapters),
        **plain.figures("without"),
        **right.figures("in_its_chapter"),
        **wrong.figures("in_another"),
    }
    return figures | {
        "hit@1_gain": round(figures["hit@1_in_its_chapter"] - figures["hit@1_without"], 4),
        "hit@5_loss": round(figures["hit@5_without"] - figures["hit@5_in_another"], 4),
        "added_ms_p50": round(percentile(wall, 0.5), 1),
        "added_cpu_ms_p50": round(percentile(cpu, 0.5), 1),
        "added_cpu_ms_p95": round(percentile(cpu, 0.95), 1),
    }


async def _search(
    stage: Stage, question: str, vector: Sequence[float], chapter_id: str | None
) -> tuple[tuple[float, float], Found]:
    """What is found in a chapter, with the ms it took: on the clock, and of the processor (the
    index's included, which runs in this process)."""
    request = SearchRequest(
        question,
        vector,
        SearchFilters(),
        TOP,
        Deadline.after(SECONDS),
        SECONDS,
        position=ReaderPosition(names_of_chapter(chapter_id, "") if chapter_id else None),
    )
    started, worked = time.perf_counter(), time.process_time()
    found = await retrieve_chunks(request, stage.search, NoFallback())
    wall = (time.perf_counter() - started) * 1000
    return (wall, (time.process_time() - worked) * 1000), found


def _places(book: Path, golden: Path) -> list[tuple[str, Place]]:
    return [
        (each.asked.question, each.places[0])
        for each in load_questions(book, golden).questions
        if each.asked.wanted == "answer"
    ]


def _with_chapters(
    questions: Sequence[tuple[str, Place]], chunks: Sequence[Indexable]
) -> list[Asked]:
    """The questions whose page is indexed and belongs to a chapter."""
    chapters = {each.chunk.source_path: each.chunk.chapter.id for each in chunks}
    return [
        Asked(question, place, chapters[place.source_path])
        for question, place in questions
        if chapters.get(place.source_path)
    ]
