"""What made-up readers do: who visits when, and what they ask. Pure; one seed, one plan."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from functions.book.chunks.chunk import StoredChunk
from quoth.calibrate.questions import foreign_questions, make_questions
from quoth.golden.ask import GoldenSet
from quoth.golden.grade import holds_chunk

MOST_OF_A_STUDENT = 9
"""Questions of one student in a week: all of them may come within the same real minute."""
FOLLOW_UPS = ("Why is that?", "Can you explain that further?", "How does it work?")
GREETINGS = ("Hello!", "Hi", "Thanks, that helped.", "ok thanks", "Who are you?", "Goodbye")
RUDE = ("You stupid piece of shit, just tell me",)
OVERVIEWS = ("What is this book about?", "What does this chapter cover?")
LONGEST_PASSAGE, SHORTEST_PASSAGE = 400, 25
KINDS = {
    "book": 58, "missing": 14, "follow_up": 7, "repeat": 5, "selection": 8, "highlight": 2,
    "overview": 3, "greeting": 2, "rude": 1,
}  # fmt: skip
"""How often readers ask what, of a hundred."""
HOURS = (*range(8, 23), *range(9, 17), *range(9, 13))


@dataclass(frozen=True, slots=True)
class Ask:
    """A student's request to be sent, and when it is said to have been. `about_book`: the book
    treats it."""

    path: str
    body: dict[str, Any]
    at: datetime
    about_book: bool
    student: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A chunk of the book, and what readers ask about it."""

    chunk: StoredChunk
    questions: tuple[str, ...]

    @property
    def passage(self) -> str | None:
        """Its text as a selection; None when it is too short for one."""
        words = self.chunk.text.split()
        return " ".join(words[:LONGEST_PASSAGE]) if len(words) >= SHORTEST_PASSAGE else None


@dataclass(frozen=True, slots=True)
class Subjects:
    """What readers ask about: `treated` by the book, and `missing` from it."""

    treated: Sequence[Subject]
    missing: Sequence[str]


def golden_subjects(chunks: Sequence[StoredChunk], golden: GoldenSet) -> Subjects:
    """Questions that people wrote; on far subjects too, where they are all treated."""
    placed = [each for each in golden.questions if each.asked.wanted == "answer" and each.places]
    treated = [
        Subject(chunk, (each.asked.question,))
        for each in placed
        if (chunk := next((one for one in chunks if holds_chunk(each.places[0], one)), None))
    ]
    missing = [each.asked.question for each in golden.questions if each.asked.wanted == "refusal"]
    return Subjects(treated, missing or _far_questions())


def made_subjects(chunks: Sequence[StoredChunk]) -> Subjects:
    """Questions made from the chunks' own sentences, and others on far subjects."""
    return Subjects(_subjects_of(chunks), _far_questions())


def _far_questions() -> list[str]:
    return [question for group in foreign_questions().values() for question in group]


def _subjects_of(chunks: Sequence[StoredChunk]) -> list[Subject]:
    """The chunks that questions can be made of."""
    made = (
        Subject(chunk, tuple(each.question for each in make_questions([chunk]))) for chunk in chunks
    )
    return [subject for subject in made if subject.questions]


def plan_visits(
    subjects: Subjects,
    *,
    weeks: int,
    queries: int,
    students: int,
    until: datetime,
    seed: int,
) -> list[list[Ask]]:
    """Visits in the order of their times, `queries` questions in all, the last before `until`.

    Few subjects are asked of often and many seldom; a visit is about one or two of them. There are
    more students from week to week, most of them on school days.
    """
    lot = random.Random(seed)  # noqa: S311  # not for secrets
    favourites, missing = list(subjects.treated), list(subjects.missing)
    lot.shuffle(favourites)
    lot.shuffle(missing)
    weights = _falling(favourites)
    begin = until - timedelta(weeks=weeks)
    asked: Counter[str] = Counter()
    visits: list[list[Ask]] = []
    left = queries
    number = 0
    while left > 0:
        start = _draw_moment(lot, begin, weeks)
        week = (start - timedelta(days=start.weekday())).date()
        student = f"student-{int(students * lot.random() ** 1.5)}-{week}"
        size = min(left, lot.choice((1, 1, 2, 2, 3, 4, 5)))
        if start + timedelta(minutes=30) > until or asked[student] + size > MOST_OF_A_STUDENT:
            student = f"guest-{number}-{week}"
            start = min(start, until - timedelta(minutes=30))
        asked[student] += size
        number += 1
        chosen = lot.choices(favourites, weights, k=2)
        lacking = lot.choices(missing, _falling(missing), k=size)
        session = f"visit-{seed}-{number}"
        visits.append(_visit(lot, chosen, lacking, start, student, session))
        left -= size
    return sorted(visits, key=lambda visit: visit[0].at)


def _falling(ranked: Sequence[object]) -> list[float]:
    """Weights by which few are drawn often and many seldom."""
    return [1 / (rank + 2) for rank in range(len(ranked))]


def _draw_moment(lot: random.Random, begin: datetime, weeks: int) -> datetime:
    week = lot.choices(range(weeks), [10 + n for n in range(weeks)])[0]
    day = lot.choices(range(7), [10 if n < 5 else 3 for n in range(7)])[0]
    moment = begin + timedelta(weeks=week, days=(day - begin.weekday()) % 7)
    return moment.replace(
        hour=lot.choice(HOURS), minute=lot.randrange(60), second=lot.randrange(60)
    )


def _visit(
    lot: random.Random,
    chosen: Sequence[Subject],
    missing: Sequence[str],
    start: datetime,
    student: str,
    session: str,
) -> list[Ask]:
    """A visit of as many questions as there are `missing` ones, one of which each may be."""
    asks: list[Ask] = []
    at = start
    for n, lacking in enumerate(missing):
        subject = chosen[0] if n < 3 else chosen[1]
        kind = lot.choices(list(KINDS), list(KINDS.values()))[0]
        if not asks and kind in ("repeat", "follow_up"):
            kind = "book"
        body: dict[str, Any] = {"session_id": session}
        path, about_book = "/query", kind not in ("missing", "greeting", "rude")
        if kind == "repeat":
            path, body, about_book = asks[-1].path, dict(asks[-1].body), asks[-1].about_book
        else:
            body["question"] = {
                "missing": lacking,
                "follow_up": lot.choice(FOLLOW_UPS),
                "greeting": lot.choice(GREETINGS),
                "rude": lot.choice(RUDE),
                "overview": lot.choice(OVERVIEWS),
            }.get(kind, lot.choice(_new(subject, asks)))
            if kind == "selection" and subject.passage:
                path = "/query-selected-text"
                body["selected_text"] = subject.passage
            elif kind == "highlight" and subject.chunk.parts:
                body["mode"] = "highlight"
                body["highlight"] = _highlight(subject.chunk)
            elif lot.random() < 0.8:
                body |= _page(subject.chunk, lot)
        asks.append(Ask(path, body, at, about_book, student))
        at += timedelta(seconds=lot.randint(25, 240))
    return asks


def _new(subject: Subject, asks: Sequence[Ask]) -> Sequence[str]:
    asked = {ask.body["question"] for ask in asks}
    return [each for each in subject.questions if each not in asked] or subject.questions


def _highlight(chunk: StoredChunk) -> dict[str, Any]:
    return {
        "text": chunk.text[:1000],
        "source_path": chunk.source_path,
        "start_block": chunk.parts[0].block,
        "end_block": chunk.parts[-1].block,
    }


def _page(chunk: StoredChunk, lot: random.Random) -> dict[str, Any]:
    # Now and then a site names a chapter that the book does not have.
    known = lot.random() < 0.97
    return {
        "page": {"source_path": chunk.source_path, "permalink": chunk.url},
        "chapter_context": {
            "chapter_id": chunk.chapter.id if known else "appendix-z",
            "chapter_title": chunk.chapter.title if known else "",
            "confidence": "high",
            "source": "docusaurus",
        },
    }
