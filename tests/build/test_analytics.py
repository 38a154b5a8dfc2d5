"""Feedback and health, over a real database under the function's own role."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import httpx2
import pytest

from functions.adapters.postgres.query_records import QueryRecords
from functions.runtime.settings import Settings
from tests.analytics_app import analytics_client
from tests.postgres_fixtures import BookDatabase
from tests.query_samples import begin, record_of, request_of

pytest_plugins = ("tests.postgres_fixtures",)

NOWHERE = "postgresql://nobody@127.0.0.1:9/quoth"


@pytest.fixture
async def client(fresh_database: BookDatabase) -> AsyncIterator[httpx2.AsyncClient]:
    dsn = fresh_database.dsn("quoth_analytics")
    async with analytics_client(Settings(database_url=dsn)) as opened:
        yield opened


@pytest.fixture
async def response_id(queries: QueryRecords) -> str:
    """An answer a reader was given."""
    request = request_of()
    await begin(queries, request)
    record = record_of(request)
    await queries.finish(record, seconds=5)
    return record.response_id


async def test_stores_a_verdict_and_a_later_one_replaces_it(
    client: httpx2.AsyncClient, fresh_database: BookDatabase, response_id: str
) -> None:
    first = {"response_id": response_id, "session_id": "session-1", "rating": "helpful"}
    later = first | {"rating": "not_helpful", "reason": "wrong_place", "comment": "Not there.\x00"}
    for body in (first, later):
        reply = await client.post("/feedback", json=body)
        assert reply.status_code == 200
        assert reply.json() == {"response_id": response_id, "rating": body["rating"]}
    rows = fresh_database.run("SELECT session_id, rating, reason, comment FROM feedback")
    assert rows == [("session-1", "not_helpful", "wrong_place", "Not there.")]


async def test_an_unknown_answer_is_not_found(client: httpx2.AsyncClient) -> None:
    body = {"response_id": str(uuid.uuid4()), "session_id": "session-1", "rating": "helpful"}
    reply = await client.post("/feedback", json=body)
    assert (reply.status_code, reply.json()["code"]) == (404, "unknown_response")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"rating": "splendid"}, "rating"),
        ({"response_id": "1"}, "response_id"),
        ({"comment": "x" * 2001}, "comment"),
        ({"reason": "x" * 301}, "reason"),
    ],
)
async def test_refuses_what_is_not_a_verdict(changed: dict[str, str], field: str) -> None:
    body = {
        "response_id": str(uuid.uuid4()),
        "session_id": "session-1",
        "rating": "helpful",
    } | changed
    async with analytics_client(Settings(database_url=NOWHERE)) as client:
        reply = await client.post("/feedback", json=body)
    assert (reply.status_code, reply.json()["fields"]) == (422, [field])


async def test_says_to_try_again_when_the_database_is_away() -> None:
    body = {"response_id": str(uuid.uuid4()), "session_id": "session-1", "rating": "helpful"}
    async with analytics_client(Settings(database_url=NOWHERE)) as client:
        reply = await client.post("/feedback", json=body)
    assert (reply.status_code, reply.json()["code"]) == (503, "feedback_unavailable")
    assert reply.headers["retry-after"] == "30"


async def test_health_never_touches_the_database() -> None:
    async with analytics_client(Settings(database_url=NOWHERE)) as client:
        reply = await client.get("/health")
    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})
