"""Asks golden questions as readers would: of an index, leaving no records, or of a deployed API."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2

from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords
from functions.lifecycle.begin_finish import Caller
from functions.lifecycle.choose_writer import ChosenWriter
from functions.lifecycle.not_served import NotServed
from functions.lifecycle.offline import LocalState
from functions.query.app import build_answers
from functions.query.requests import QueryRequest
from functions.runtime.settings import Settings
from functions.web.errors import api_error
from functions.web.fields import PageBody
from functions.web.responses import QueryResponse
from quoth.golden.grade import Judged, judge
from quoth.golden.questions import GoldenQuestion, Place, Places, Wanted, places_of, read_golden
from quoth.json_lines import BadRow, read_rows

FILE_NAME = "golden.yaml"
SESSION = "golden"
WHOLE_FILE = 10**9

Ask = Callable[[QueryRequest], Awaitable[QueryResponse]]
Report = Callable[[Judged], None]


class NotAsked(RuntimeError):
    """A question was answered with an error, so the book cannot be judged."""


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

    `missing` are those that name a section the book lacks, with the reason.
    """

    questions: Sequence[Placed]
    missing: Sequence[tuple[GoldenQuestion, str]] = ()


def load_golden(book: Path, file: Path, *, strict: bool = True) -> GoldenSet:
    """Read a file of golden questions and find its sections in a book.

    Raises BadRow with the line of a question that is wrong, or, if `strict`, that names a
    section the book lacks.
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


def load_questions(book: Path, file: Path) -> GoldenSet:
    """Golden questions, or JSON Lines: `question`, and in `gold_path` (or `gold_file`) the page
    that answers it; without one the book does not treat it. Raises BadRow."""
    if file.suffix != ".jsonl":
        return load_golden(book, file)
    rows = read_rows(file, {"question": str})
    return GoldenSet([_of_row(row, line) for line, row in enumerate(rows, 1)])


def _of_row(row: Mapping[str, Any], line: int) -> Placed:
    page = row.get("gold_path") or row.get("gold_file")
    places = (Place(page, 1, WHOLE_FILE, page),) if page else ()
    wanted: Wanted = "answer" if page else "refusal"
    return Placed(GoldenQuestion(row["question"], wanted, line), places, "")


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
async def unrecorded_chain(
    settings: Settings, writer: ChosenWriter | None = None
) -> AsyncIterator[Ask]:
    """The query function's whole chain over its index, without records or limits.

    `settings` are the query function's; without `writer` answers are quotes.
    """
    whole = build_answers(settings)
    records = _Unrecorded(whole.records._database)
    quotes = replace(whole.writers, large=None, smaller=None)
    writers = replace(quotes, large=writer) if writer else quotes
    answers = replace(whole, records=records, writers=writers, local_state=LocalState())

    async def ask(request: QueryRequest) -> QueryResponse:
        return await answers.answer(request, Caller(None, None))

    try:
        yield ask
    finally:
        await whole.close()


class _Unrecorded(QueryRecords):
    """Admits every query with the database's index state, and records nothing."""

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


SECONDS = 60.0
TRIES = 4
LONGEST_WAIT_S = 65.0
NO_TOKENS = (404, 405)
"""What the API answers where it takes requests without a token."""


@dataclass
class DeployedReader:
    """A reader of `origin` who asks the API at `url`; each question is a session of its own, so
    that the limit per reader is not met. An async context manager."""

    url: str
    origin: str

    async def __aenter__(self) -> DeployedReader:
        self._http = httpx2.AsyncClient(
            base_url=self.url, timeout=SECONDS, headers={"Origin": self.origin}
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def ask(self, request: QueryRequest) -> QueryResponse:
        """Raises NotAsked when there is no answer."""
        session = f"smoke-{uuid.uuid4().hex}"
        body = request.model_dump(mode="json", exclude_none=True, exclude_unset=True)
        body["session_id"] = session
        try:
            headers = await self._begin(session)
            for _ in range(TRIES):
                answer = await self._http.post("/query", json=body, headers=headers)
                if answer.status_code not in (429, 503):
                    break
                waits = float(answer.headers.get("retry-after") or 2)
                await asyncio.sleep(min(waits, LONGEST_WAIT_S))
        except httpx2.HTTPError as error:
            raise NotAsked(f"{self.url} does not answer ({type(error).__name__})") from error
        if answer.status_code != 200:
            raise NotAsked(f"{request.question}: {self.url} answers {answer.status_code}")
        try:
            return QueryResponse.model_validate(answer.json())
        except ValueError as error:
            raise NotAsked(f"{self.url} is no Quoth of this version") from error

    async def _begin(self, session: str) -> dict[str, str]:
        answer = await self._http.post("/session", json={"session_id": session})
        if answer.status_code in NO_TOKENS:
            return {}
        if answer.status_code != 200:
            raise NotAsked(
                f"{self.url}/session answers {answer.status_code}: is {self.origin} let in?"
            )
        return {"Authorization": f"Bearer {answer.json()['token']}"}
