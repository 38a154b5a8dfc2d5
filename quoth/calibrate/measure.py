"""Asks a book its made questions, questions from elsewhere, and each chapter's without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from functions.answer.gate.confidence import Signals, read_signals
from quoth.calibrate.book_index import BookIndex
from quoth.calibrate.questions import MadeQuestion, foreign_questions

Kind = Literal["own", "near", "foreign"]
MOST_LEFT_OUT = 12
LEAST_CHAPTERS = 2

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what it is to the book it was asked of, and the signals by both searches.

    `group` is the chapter, or the topic of a foreign question.
    """

    question: str
    kind: Kind
    group: str
    signals: Signals
    by_words: Signals


async def ask_book(
    book: BookIndex, made: Sequence[MadeQuestion], say: Say = lambda _: None
) -> list[Asked]:
    """Ask everything. Chapters without questions are never left out."""
    foreign = [(topic, each) for topic, all_of in foreign_questions().items() for each in all_of]
    await book.learn([each.question for each in made] + [each for _, each in foreign])
    say(f"asking {len(made)} questions made from the book, {len(foreign)} from elsewhere")
    asked = [await _ask(book, each.question, "own", each.chapter_id) for each in made]
    asked += [await _ask(book, question, "foreign", topic) for topic, question in foreign]
    for chapter in left_out(book, made):
        say(f"asking without {chapter}")
        async with book.without(chapter):
            asked += [
                await _ask(book, each.question, "near", chapter)
                for each in made
                if each.chapter_id == chapter
            ]
    return asked


def without_known_topics(asked: Sequence[Asked]) -> tuple[list[Asked], list[str]]:
    """Leave out the topics of foreign questions that the book treats after all, and name them.

    It treats a topic when half of its questions come as close as a quarter of the book's own do.
    """
    own = sorted(each.signals.dense for each in asked if each.kind == "own")
    close = own[len(own) // 4] if own else 1.0
    topics: dict[str, list[float]] = {}
    for each in asked:
        if each.kind == "foreign":
            topics.setdefault(each.group, []).append(each.signals.dense)
    known = [topic for topic, cosines in topics.items() if median(cosines) >= close]
    kept = [each for each in asked if each.kind != "foreign" or each.group not in known]
    return kept, known


def left_out(book: BookIndex, made: Sequence[MadeQuestion]) -> list[str]:
    """The chapters that are taken away in turn: those with most questions, in the book's order."""
    counts = dict.fromkeys(book.chapters, 0)
    for each in made:
        counts[each.chapter_id] += 1
    if len(counts) < LEAST_CHAPTERS:
        return []
    chosen = sorted(counts, key=lambda chapter: -counts[chapter])[:MOST_LEFT_OUT]
    return [chapter for chapter in counts if chapter in chosen and counts[chapter]]


async def _ask(book: BookIndex, question: str, kind: Kind, group: str) -> Asked:
    by_meaning = await book.ask(question)
    by_words = await book.ask_by_words(question)
    return Asked(
        question, kind, group, read_signals(question, by_meaning), read_signals(question, by_words)
    )
