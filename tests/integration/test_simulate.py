"""Made-up readers, through the real functions; each figure against the rows they left (DR-003)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import httpx2
import pytest
from click.testing import CliRunner

import functions.analytics.app
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.chapter_detection import read_chapters
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.reviews import mark
from functions.analytics.metrics.summary import read_summary
from functions.book.chunks.chunk import StoredChunk
from quoth.cli import main
from quoth.commands.simulate import Traffic, ask_all, claim_store, mark_refusals, move_to
from quoth.simulated_visits import MOST_OF_A_STUDENT, Ask, made_subjects, plan_visits
from quoth.store import Store, store_of
from tests.analytics.raw_metrics import raw_rows, summary_of
from tests.analytics.test_summary import assert_same
from tests.integration.events import Function
from tests.integration.sample_stage import Stage

NOW = datetime.now(UTC)
QUERIES = 60


class ToFunctions(httpx2.AsyncBaseTransport):
    """Sends each request to its function, as the gateway does."""

    def __init__(self, query: Function, selected: Function, analytics: httpx2.ASGITransport):
        self._functions = {"/query": query, "/query-selected-text": selected}
        self._analytics = analytics

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        function = self._functions.get(request.url.path)
        if function is None:
            return await self._analytics.handle_async_request(request)
        body = json.loads(await request.aread())
        reply = await asyncio.to_thread(function.post, request.url.path, body)
        return httpx2.Response(reply.status, json=reply.body)


def plan(stage: Stage, seed: int, queries: int = QUERIES) -> list[list[Ask]]:
    rows = stage.database.run("SELECT body FROM chunks ORDER BY document_id, ordinal")
    subjects = made_subjects([StoredChunk.from_payload(row[0]) for row in rows])  # type: ignore[arg-type]
    return plan_visits(subjects, weeks=4, queries=queries, students=9, until=NOW, seed=seed)


@pytest.fixture
async def traffic(stage: Stage, query: Function, selected: Function) -> Traffic:
    """What four weeks of a few readers left, moved to these weeks."""
    database = Database(stage.settings("analytics").database_url)
    app = functions.analytics.app.create(lambda: stage.settings("analytics"))
    transport = ToFunctions(query, selected, httpx2.ASGITransport(app=app))
    with patch.object(functions.analytics.app, "build_database", lambda _: database):
        async with httpx2.AsyncClient(transport=transport, base_url="http://api") as client:
            traffic = await ask_all(client, plan(stage, 5), 5)
    await mark_refusals(traffic, lambda id, verdict: mark(database, id, verdict), 5, 0.5)
    await database.close()
    assert move_to(stage.database.dsn(), traffic.moments) == QUERIES
    return traffic


async def test_figures_of_made_up_weeks_equal_the_rows(
    stage: Stage, traffic: Traffic, connect: Callable[..., Database]
) -> None:
    database = connect(stage.database.dsn("quoth_analytics"))
    rows = raw_rows(stage.database)
    said = traffic.counts
    assert said["answered"] > QUERIES / 2
    assert said["refused"] > 2
    assert said["limited"] == 0
    for zone in ("UTC", "Australia/Lord_Howe"):
        today = date.today()
        period = Period(today - timedelta(days=30), today + timedelta(days=2), zone)
        summary = await read_summary(database, period)
        assert_same(summary, summary_of(rows, period.first, period.end, zone))
        assert summary.queries >= QUERIES
    asked = {str(row["query_id"]): row["asked_at"] for row in rows}
    assert all(asked[query_id] == at for query_id, at in traffic.moments.items())
    weeks = Period((NOW - timedelta(days=29)).date(), (NOW - timedelta(days=1)).date())
    chapters = await read_chapters(database, weeks)
    assert chapters.detected.value is not None
    assert chapters.detected.value > 0.8
    assert chapters.mean_boost == pytest.approx(1.5)
    assert chapters.search_ms


def test_one_seed_is_one_plan(stage: Stage) -> None:
    first, again, other = plan(stage, 1), plan(stage, 1), plan(stage, 2)
    assert first == again != other
    asks = [ask for visit in first for ask in visit]
    assert len(asks) == QUERIES
    assert all(NOW - timedelta(weeks=5) < ask.at < NOW for ask in asks)
    by_student: dict[str, int] = {}
    for ask in (ask for visit in plan(stage, 3, 400) for ask in visit):
        student = ask.body["user_id"]
        by_student[student] = by_student.get(student, 0) + 1
    assert max(by_student.values()) <= MOST_OF_A_STUDENT


def test_writes_only_where_it_made_the_store_itself(tmp_path: Path) -> None:
    made, used = Store(tmp_path / "made"), Store(tmp_path / "used")
    assert claim_store(made, False)
    assert claim_store(made, False)
    used.folder.mkdir()
    assert not claim_store(used, False)
    assert claim_store(used, True)


def test_the_command_leaves_a_used_store_alone(tmp_path: Path) -> None:
    book, data = tmp_path / "book", tmp_path / "data"
    book.mkdir()
    (book / "a.md").write_text("# A\n\nText.\n")
    folder = store_of(book, data).folder
    folder.mkdir(parents=True)
    result = CliRunner().invoke(main, ["simulate", str(book), "--data", str(data)])
    assert result.exit_code == 1
    assert "was not made by a simulation" in result.output
    assert list(folder.iterdir()) == []
