"""Does a calibration made on one book hold for the others?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.adapters.openai.embeddings import Embeddings
from functions.answer.gate.confidence import (
    MEASURED,
    BookCalibration,
    Calibration,
    Signals,
    read_signals,
)
from functions.answer.gate.thresholds import GATE
from quoth.calibrate.book_index import BookIndex, open_book_index
from quoth.calibrate.calibrate import calibrate_from
from quoth.calibrate.local_index import CALL_SECONDS, Indexable, chunks_of_book, embedding_model
from quoth.calibrate.measure import Asked, ask_book
from quoth.calibrate.questions import make_questions
from quoth.json_lines import BadRow
from quoth.statistics import auroc, share
from tools.evaluate.near_misses import read_questions

MOST_OUTSIDE = 150
SHIPPED = "shipped"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """A book: what came of its made questions, and the signals of readers' questions, its own
    and those of the other books."""

    name: str
    asked: Sequence[Asked]
    inside: Sequence[Signals]
    outside: Sequence[Signals]


async def evaluate_transfer(
    books: Sequence[tuple[Path, Path]], say: Say = lambda _: None
) -> dict[str, Any]:
    """`books` are folders with their questions; each book's outsiders are the others' questions.

    Raises BadRow, and TooFewQuestions when a book cannot be calibrated.
    """
    names = [book.resolve().name for book, _ in books]
    if len(set(names)) < len(names):
        raise BadRow(books[0][0], 0, "shares its name with another book")
    read = {}
    for name, (book, file) in zip(names, books, strict=True):
        chunks = chunks_of_book(book)
        by_chapter = read_questions(book, file, chunks)
        read[name] = (chunks, [each for asked in by_chapter.values() for each in asked])
    measured = []
    with embedding_model() as model:
        try:
            for name, (chunks, own) in read.items():
                others = [each for other in names if other != name for each in read[other][1]]
                step = max(1, -(-len(others) // MOST_OUTSIDE))
                measured.append(await _measure(model, name, chunks, own, others[::step]))
                say(f"asked {name}")
        finally:
            await model.close()
    return {"rows": table(measured, say)}


def table(measured: Sequence[Measured], say: Say) -> list[dict[str, Any]]:
    """A row for each calibration and each book it is applied to. Pure but for `say`."""
    shipped = BookCalibration.shipped(MEASURED)
    maps = {SHIPPED: shipped.by_meaning}
    for each in measured:
        maps[each.name] = calibrate_from(each.asked, shipped).calibration.by_meaning
    say(f"{'calibrated on':28}{'applied to':28}  AUROC  false refusal  false answer")
    rows = []
    for source, calibration in maps.items():
        for book in measured:
            row = {"calibrated_on": source, "applied_to": book.name, **_figures(book, calibration)}
            say(
                f"{source:28}{book.name:28}  {row['auroc']:.3f}  {row['false_refusal']:13.3f}"
                f"  {row['false_answer']:12.3f}"
            )
            rows.append(row)
    return rows


def _figures(book: Measured, calibration: Calibration) -> dict[str, float]:
    inside = [calibration.confidence(each) for each in book.inside]
    outside = [calibration.confidence(each) for each in book.outside]
    return {
        "auroc": auroc(inside, outside),
        "false_refusal": share(sum(each < GATE for each in inside), len(inside)),
        "false_answer": share(sum(each >= GATE for each in outside), len(outside)),
    }


async def _measure(
    model: Embeddings, name: str, chunks: Sequence[Indexable], own: list[str], others: list[str]
) -> Measured:
    texts = list(dict.fromkeys(text for each in chunks for text in each.passages))
    vectors = dict(zip(texts, await model.embed(texts, CALL_SECONDS), strict=True))

    async def embed(asked: Sequence[str]) -> list[list[float]]:
        return await model.embed(asked, CALL_SECONDS)

    async with open_book_index(chunks, vectors, embed) as index:
        asked = await ask_book(index, make_questions(each.chunk for each in chunks))
        return Measured(name, asked, await _signals(index, own), await _signals(index, others))


async def _signals(index: BookIndex, questions: list[str]) -> list[Signals]:
    await index.learn(questions)
    return [read_signals(each, await index.ask(each)) for each in questions]
