"""The figures as administrators get them, and as nobody else does."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
import yaml
from fastapi import Request

from functions.adapters.postgres.database import Database
from functions.analytics.api import create_metric_routes
from functions.analytics.app import create
from functions.analytics.feedback import analytics_room
from functions.runtime.settings import Settings
from functions.web.app import create_app
from tests.fact_rows import Asked, asked_at, store
from tests.postgres_fixtures import BookDatabase
from tests.topic_rows import add_query, add_section

NOW = datetime.now(UTC)
FIGURES = (
    *("summary", "validation", "chapters", "coverage", "audits", "roi", "topics"),
    *("review", "settings"),
)
NOWHERE = "postgresql://nobody@127.0.0.1:9/quoth"


async def let_pass(request: Request) -> None:
    """A guard for whom everybody is an administrator."""


@asynccontextmanager
async def client_of(dsn: str) -> AsyncIterator[httpx2.AsyncClient]:
    database = Database(dsn)
    room = analytics_room(Settings, lambda: database)
    app = create_app("figures", [create_metric_routes(lambda: database, let_pass)], room)
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://api") as client:
        yield client
    await database.close()


@pytest.fixture
async def client(fresh_database: BookDatabase) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(fresh_database.dsn("quoth_analytics")) as opened:
        yield opened


async def get(client: httpx2.AsyncClient, address: str) -> Any:
    reply = await client.get(f"/analytics/{address}")
    assert reply.status_code == 200, reply.text
    return reply.json()


def refused(confidence: float = 0.3, **given: Any) -> Asked:
    return asked_at(NOW, status="refused", confidence=confidence, **given)


async def test_nobody_passes_where_nobody_can_sign_in(fresh_database: BookDatabase) -> None:
    settings = Settings(database_url=fresh_database.dsn("quoth_analytics"))
    transport = httpx2.ASGITransport(app=create(lambda: settings))
    async with httpx2.AsyncClient(transport=transport, base_url="http://api") as client:
        for name in (*FIGURES, "golden.yaml"):
            reply = await client.get(f"/analytics/{name}?first=nonsense")
            assert (reply.status_code, next(iter(reply.json()))) == (401, "code")
        reply = await client.post(f"/analytics/review/{uuid.uuid4()}", json={"verdict": "nonsense"})
        assert reply.status_code == 401


@pytest.mark.parametrize("answers", [[], [asked_at(NOW)], [refused(), refused()]])
async def test_every_figure_is_there_without_data_with_one_query_and_with_refusals_only(
    client: httpx2.AsyncClient, fresh_database: BookDatabase, answers: list[Asked]
) -> None:
    store(fresh_database, answers)
    for name in FIGURES:
        await get(client, name)
    assert (await get(client, "summary"))["queries"] == len(answers)
    roi = await get(client, "roi?time_zone=Asia/Tokyo")
    assert roi["now"]["specified_hours"] == len(answers) * 2.5 / 60
    assert roi["now"]["counted"] == sum(one.record.status == "answered" for one in answers)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("summary?first=2026-02-30", "first"),
        ("summary?first=2026-03-02&end=2026-03-02", "end: a period has from 1 to 400 days"),
        ("summary?first=0001-01-01&end=9999-12-31", "end: a period has from 1 to 400 days"),
        ("summary?end=0001-01-02", "end: "),
        ("summary?time_zone=Mars/Olympus", "time_zone: there is no such time zone"),
        ("summary?first=2026-01-01&end=2026-01-02&time_zone=Mars/Olympus", "database refuses"),
        ("roi?time_zone=a'b", "time_zone"),
        ("review?concern=boredom", "concern"),
        ("review?most=0", "most"),
        ("review?after=yesterday", "after: not of this list"),
        ("review?after=2026-01-01_x", "database refuses"),
    ],
)
async def test_says_what_is_no_period(client: httpx2.AsyncClient, asked: str, said: str) -> None:
    reply = await client.get(f"/analytics/{asked}")
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")
    assert said in reply.json()["message"]


async def test_says_to_try_again_when_the_database_is_away() -> None:
    async with client_of(NOWHERE) as client:
        reply = await client.get("/analytics/summary")
    assert (reply.status_code, reply.json()["code"]) == (503, "figures_unavailable")


async def test_a_reviewed_refusal_becomes_a_golden_question(
    client: httpx2.AsyncClient, fresh_database: BookDatabase
) -> None:
    good, wrong = refused(question="Who painted it: da 'Vinci'?"), refused(confidence=0.6)
    answer = asked_at(NOW, confidence=0.75, question="What is a gait? #1\n- x")
    fine = asked_at(NOW, confidence=0.99)
    flagged = refused(refusal_reason="inappropriate")
    answer.ratings = {"a": "not_helpful"}
    store(fresh_database, [good, wrong, answer, fine, flagged])

    listed = await get(client, "review?order=sample")
    concerns = {item["response_id"]: item["concerns"] for item in listed["items"]}
    assert concerns == {
        good.record.response_id: ["refused"],
        wrong.record.response_id: ["refused"],
        answer.record.response_id: ["low_confidence", "not_helpful"],
        flagged.record.response_id: ["flagged"],
    }
    assert (listed["total"], listed["unreviewed"], listed["next"]) == (4, 4, None)

    async def post(one: Asked, path: str, **body: Any) -> tuple[int, str]:
        reply = await client.post(f"/analytics/review/{one.record.response_id}{path}", json=body)
        return reply.status_code, reply.json().get("message", "")

    assert await post(good, "", verdict="good_refusal", note="Call 030 1234567") == (200, "")
    assert await post(good, "", verdict="wrong_answer") == (
        422,
        "verdict: does not fit what the answer is",
    )
    assert await post(asked_at(NOW), "", verdict=None) == (404, "There is no such answer.")
    assert await post(good, "/golden") == (200, "")
    assert (await post(wrong, "/golden"))[1].startswith("section: nothing tells which section")
    assert await post(wrong, "/golden", section="ch2.md#feet") == (200, "")
    assert await post(answer, "/golden") == (200, "")
    written = await client.get("/analytics/golden.yaml")
    assert yaml.safe_load(written.text) == [
        {"question": good.record.question, "refuse": True, "kind": "near-scope"},
        {"question": "What is a gait?", "section": "ch2.md#feet"},
        {"question": answer.record.question, "section": "docs/ch1.md#gaits"},
    ]
    items = (await get(client, "review?reviewed=true"))["items"]
    assert [(item["verdict"], item["is_golden"]) for item in items] == [("good_refusal", True)]
    path = f"/analytics/review/{good.record.response_id}/golden"
    assert [(await client.delete(path)).status_code for _ in range(2)] == [200, 404]


async def test_the_list_goes_on_where_a_part_of_it_ended(
    client: httpx2.AsyncClient, fresh_database: BookDatabase
) -> None:
    moment = NOW - timedelta(hours=1)
    store(fresh_database, [refused(asked_at=moment.isoformat()) for _ in range(7)])
    for order in ("newest", "sample"):
        seen: list[str] = []
        after = ""
        for _ in range(3):
            part = await get(client, f"review?order={order}&most=3{after}")
            seen += [item["response_id"] for item in part["items"]]
            after = f"&after={part['next']}".replace("+", "%2B")
        assert part["next"] is None
        assert len(set(seen)) == len(seen) == 7


async def test_settings_are_kept_and_change_what_is_worth(
    client: httpx2.AsyncClient, fresh_database: BookDatabase
) -> None:
    answers = [asked_at(NOW) for _ in range(30)]
    for one in answers[:10]:
        one.ratings = {"v": "helpful"}
    answers[29].ratings = {"v": "not_helpful"}
    store(fresh_database, answers)
    given = {
        "minutes_low": 1, "minutes": 2, "minutes_high": 6, "hourly_rate": 30, "currency": "EUR",
        "survey_hours_before": 10, "survey_hours_after": 6, "time_zone": "Europe/Berlin",
        "survey_note": "Twelve teachers.",
    }  # fmt: skip
    assert (await client.post("/analytics/settings", json=given)).json() == given
    assert await get(client, "settings") == given
    roi = await get(client, "roi")
    now = roi["now"]
    assert now["specified_hours"] == 30 * 2.5 / 60
    assert (now["counted"], now["confirmed"]) == (29, 10)
    share = now["helpful"]
    assert (share["count"], share["of"]) == (10, 11)
    assert now["hours"]["low"] == pytest.approx((10 + 19 * share["low"]) * 1 / 60)
    assert now["hours"]["value"] == pytest.approx((10 + 19 * 10 / 11) * 2 / 60)
    assert now["hours"]["high"] == pytest.approx((10 + 19 * share["high"]) * 6 / 60)
    assert now["money"]["high"] == pytest.approx(now["hours"]["high"] * 30)
    assert roi["reduction"] == pytest.approx(0.4)
    assert roi["before"]["queries"] == 0
    for wrong in (
        {"minutes_low": 3}, {"minutes": -1}, {"time_zone": "Mars/Olympus"}, {"currency": "euros"},
        {"hourly_rate": float("1e300")}, {"survey_hours_before": 0}, {"surprise": 1},
    ):  # fmt: skip
        reply = await client.post("/analytics/settings", json=given | wrong)
        assert reply.status_code == 422, wrong
    assert await get(client, "settings") == given


async def test_topics_and_a_draft_issue_for_what_the_book_lacks(
    fresh_database: BookDatabase, client: httpx2.AsyncClient
) -> None:
    add_section(fresh_database, "walk", "Balance", "Walking", "Gaits", "/walk#gaits")
    for n in range(6):
        add_query(fresh_database, "What is a gait?", f"s{n}", chunk="walk", asked_at=NOW)
        add_query(fresh_database, "What is a boat?", f"s{n}", refused="out_of_scope",
                  confidence=0.0, asked_at=NOW)  # fmt: skip
    fresh_database.run(
        "INSERT INTO question_groups SELECT DISTINCT question_key, question_key, 1"
        " FROM answer_facts WHERE question_key IS NOT NULL"
    )
    told = await get(client, "topics")
    (section,), (missing,) = told["sections"], told["missing"]
    assert (section["name"], section["queries"], section["share"]["value"]) == ("Gaits", 6, 0.5)
    assert (missing["name"], missing["queries"]) == ("What is a boat?", 6)
    treated = await get(client, f"topics/{section['topic_id']}")
    assert treated["issue"] is None
    lacking = await get(client, f"topics/{missing['topic_id']}")
    assert lacking["issue"].startswith("Readers ask: What is a boat?")
    assert (await client.get(f"/analytics/topics/{uuid.uuid4()}")).status_code == 404
