"""Is a question refused without its chapter, and does a calibration hold for other books?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.adapters.openai.embeddings import Embeddings
from functions.answer.chain import answer_from
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import (
    BOOK,
    MEASURED,
    BookCalibration,
    Calibration,
    Signals,
    read_signals,
)
from functions.answer.gate.thresholds import GATE
from functions.answer.write.quote_writer import QuoteWriter
from quoth.calibrate.calibrate import calibrate_from
from quoth.calibrate.local_index import (
    CALL_SECONDS,
    BookIndex,
    Indexable,
    chunks_of_book,
    embedding_model,
    open_book_index,
)
from quoth.calibrate.questions import Asked, ask_book, make_questions
from quoth.golden.ask import FILE_NAME, load_questions
from quoth.json_lines import BadRow
from quoth.statistics import auroc, share

RAW_GATE = 0.7
THRESHOLDS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one question: the confidence, the raw cosine, and whether it was answered."""

    confidence: float
    dense: float
    answered: bool


async def evaluate_near_misses(
    book: Path,
    questions: Path | None,
    most_chapters: int,
    say: Say = lambda _: None,
    calibration: Calibration = BOOK,
) -> dict[str, Any]:
    """Leave out chapters with questions, those with most first, and ask what they answer.

    `questions` is JSON Lines (question, gold_path or gold_file) or YAML of golden questions; by
    default the book's own golden questions. Raises BadRow.
    """
    chunks = chunks_of_book(book)
    by_chapter = read_questions(book, questions, chunks)
    chosen = sorted(by_chapter, key=lambda chapter: -len(by_chapter[chapter]))[:most_chapters]
    whole: list[Outcome] = []
    missing: list[Outcome] = []
    async with embedding_model() as model, _indexed(chunks, model) as index:
        for chapter in (each for each in by_chapter if each in chosen):
            asked = by_chapter[chapter]
            await index.learn(asked)
            full = [await _outcome(index, each, calibration) for each in asked]
            async with index.without(chapter):
                near = [await _outcome(index, each, calibration) for each in asked]
            say(
                f"{chapter}: {len(asked)} questions, refused with it "
                f"{sum(not each.answered for each in full)}, answered without it "
                f"{sum(each.answered for each in near)}"
            )
            whole += full
            missing += near
    return {"chapters": len(chosen), "n": len(whole), **figures(whole, missing)}


def figures(whole: Sequence[Outcome], missing: Sequence[Outcome]) -> dict[str, Any]:
    """Shares at the gate, by the raw cosine, and the curve of other thresholds."""
    return {
        "false_answer": share(sum(each.answered for each in missing), len(missing)),
        "false_refusal": share(sum(not each.answered for each in whole), len(whole)),
        "auroc": auroc([each.confidence for each in whole], [each.confidence for each in missing]),
        "raw_false_answer": share(sum(each.dense >= RAW_GATE for each in missing), len(missing)),
        "raw_false_refusal": share(sum(each.dense < RAW_GATE for each in whole), len(whole)),
        "raw_auroc": auroc([each.dense for each in whole], [each.dense for each in missing]),
        "curve": [
            {
                "threshold": at,
                "false_refusal": share(sum(each.confidence < at for each in whole), len(whole)),
                "false_answer": share(sum(each.confidence >= at for each in missing), len(missing)),
            }
            for at in sorted({*THRESHOLDS, GATE})
        ],
    }


def read_questions(
    book: Path, file: Path | None, chunks: Sequence[Indexable]
) -> dict[str, list[str]]:
    """Questions by the id of the chapter that answers them, in the book's order. Raises BadRow.

    A question that another chapter answers as well is left out: it is no near miss without one.
    """
    chapters = {each.chunk.source_path: each.chunk.chapter.id for each in chunks}
    chosen = file or book / FILE_NAME
    pairs = (
        (each.asked.question, each.places[0].source_path)
        for each in load_questions(book, chosen).questions
        if each.asked.wanted == "answer"
        and len({chapters.get(place.source_path) for place in each.places}) == 1
    )
    found: dict[str, list[str]] = {chapter: [] for chapter in dict.fromkeys(chapters.values())}
    for question, path in pairs:
        if path not in chapters:
            raise BadRow(chosen, 0, f"names {path!r}, which the book has not")
        if question not in found[chapters[path]]:
            found[chapters[path]].append(question)
    asked = {chapter: questions for chapter, questions in found.items() if questions}
    if not asked:
        raise BadRow(chosen, 0, "has no questions that a chapter answers")
    return asked


async def _outcome(index: BookIndex, question: str, calibration: Calibration) -> Outcome:
    context: Context = await index.ask(question)
    answer = await answer_from(
        question, context, QuoteWriter(), calibration, "book", Deadline.after(60.0)
    )
    return Outcome(answer.confidence, context.dense or 0.0, answer.status != "refused")


MOST_OUTSIDE = 150
SHIPPED = "shipped"


@dataclass(frozen=True, slots=True)
class Measured:
    """A book: its generated questions with their signals, and the signals of readers' questions,
    its own and those of the other books."""

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
    async with embedding_model() as model:
        for name, (chunks, own) in read.items():
            others = [each for other in names if other != name for each in read[other][1]]
            step = max(1, -(-len(others) // MOST_OUTSIDE))
            measured.append(await _measure(model, name, chunks, own, others[::step]))
            say(f"asked {name}")
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
    async with _indexed(chunks, model) as index:
        asked = await ask_book(index, make_questions(each.chunk for each in chunks))
        return Measured(name, asked, await _signals(index, own), await _signals(index, others))


async def _signals(index: BookIndex, questions: list[str]) -> list[Signals]:
    await index.learn(questions)
    return [read_signals(each, await index.ask(each)) for each in questions]


@asynccontextmanager
async def _indexed(chunks: Sequence[Indexable], model: Embeddings) -> AsyncIterator[BookIndex]:
    """Index chunks with vectors of a model."""

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return await model.embed(texts, CALL_SECONDS)

    passages = list(dict.fromkeys(text for each in chunks for text in each.passages))
    vectors = dict(zip(passages, await embed(passages), strict=True))
    async with open_book_index(chunks, vectors, embed) as index:
        yield index
