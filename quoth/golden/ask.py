"""Asks golden questions as readers would, without a trace in the readers' records."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import BeginRequest, Begun, QueryRecord, QueryRecords
from functions.answer.write.writer import Writer
from functions.lifecycle.begin_finish import Caller
from functions.lifecycle.choose_writer import ChosenWriter
from functions.lifecycle.not_served import NotServed
from functions.lifecycle.offline import LocalState
from functions.query.answer_query import BookAnswers
from functions.query.app import build_answers
from functions.query.requests import QueryRequest
from functions.runtime.settings import Settings
from functions.web.errors import api_error
from functions.web.fields import PageBody
from functions.web.responses import QueryResponse
from quoth.golden.grade import Judged, judge
from quoth.golden.parse import read_golden
from quoth.golden.places import Places, places_of
from quoth.golden.questions import GoldenQuestion, Place
from quoth.json_lines import BadRow

FILE_NAME = "golden.yaml"
SESSION = "golden"
WHOLE_FILE = 10**9

Ask = Callable[[QueryRequest], Awaitable[QueryResponse]]
Report = Callable[[Judged], None]


class NotAsked(RuntimeError):
    """A question met an error instead of an answer, so nothing can be said of the book."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A question, the parts of the book that each answer it, and the page its reader is on or
    ""."""

    asked: GoldenQuestion
    places: tuple[Place, ...]
    page: str


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Golden questions, each with where it is asked and must be answered from.

    `missing` are those that name what the book has not, with the reason.
    """

    questions: Sequence[Placed]
    missing: Sequence[tuple[GoldenQuestion, str]] = ()


def load_golden(book: Path, file: Path, *, strict: bool = True) -> GoldenSet:
    """Read a file of golden questions and find its sections in a book.

    Raises BadRow with the line of a question that is wrong, or, if `strict`, that names what the
    book has not.
    """
    places = places_of(book, file)
    found: list[Placed] = []
    missing: list[tuple[GoldenQuestion, str]] = []
    for each in read_golden(file):
        try:
            found.append(_placed(each, places))
        except BadRow as error:
            if strict:
                raise
            missing.append((each, error.reason))
    return GoldenSet(found, missing)


def _placed(asked: GoldenQuestion, places: Places) -> Placed:
    page = places.page(asked, asked.page) if asked.page else ""
    found = places.sections_of(asked)
    if asked.wanted == "overview" and not found and page:
        found = (Place(page, 1, WHOLE_FILE, page),)
    return Placed(asked, found, page)


async def ask_golden(golden: GoldenSet, ask: Ask, report: Report = lambda _: None) -> list[Judged]:
    """Ask every question, one after another, and judge the answers. Raises NotAsked."""
    judged = [Judged(asked, False, False, None, reason) for asked, reason in golden.missing]
    for placed in golden.questions:
        asked, page = placed.asked, placed.page
        request = QueryRequest(
            question=asked.question,
            session_id=SESSION,
            fresh=True,
            page=PageBody(source_path=page) if page else None,
        )
        try:
            response = await ask(request)
        except NotServed as error:
            raise NotAsked(
                f"line {asked.line}: {asked.question}: {api_error(error).message}"
            ) from error
        one = judge(asked, placed.places, response)
        judged.append(one)
        report(one)
    return judged


@asynccontextmanager
async def rehearsal(settings: Settings, writer: Writer | None = None) -> AsyncIterator[Ask]:
    """The query function's whole chain over its own index, with nothing recorded and no limit.

    `settings` are the query function's; without `writer` answers are quotes.
    """
    whole = build_answers(settings)
    records = _Unrecorded(whole.records._database)
    quotes = replace(whole.writers, large=None, smaller=None)
    writers = replace(quotes, large=ChosenWriter(writer, settings.model)) if writer else quotes
    answers = replace(whole, records=records, writers=writers, local_state=LocalState())
    try:
        yield _asker(answers)
    finally:
        await records._database.close()
        await answers.embeddings.close()
        await answers.search.aclose()
        await whole.writers.close()
        if whole.moderator is not None:
            await whole.moderator.close()


def _asker(answers: BookAnswers) -> Ask:
    async def ask(request: QueryRequest) -> QueryResponse:
        return await answers.answer(request, Caller(None, None))

    return ask


class _Unrecorded(QueryRecords):
    """Lets every query run, on what the database says of the index, and keeps nothing of it."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)

    async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
        rows = await self._database.call(
            "SELECT content_version::text, calibration, embedding_model, dimensions"
            " FROM index_state",
            (),
            seconds=seconds,
        )
        return Begun(verdict="run", query_id=request.query_id, **rows[0])

    async def finish(self, record: QueryRecord, *, seconds: float) -> None:
        return None
