"""The dashboard's pages where there is next to nothing to show."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from functions.analytics.auth.access import OneTimeLink
from functions.runtime.settings import Settings
from tests.analytics_app import served_analytics
from tests.fact_rows import CLAIM, Asked, asked_at, store
from tests.postgres_fixtures import BookDatabase

NOW = datetime.now(UTC) - timedelta(minutes=5)
PAGES = ("", "pages/topics", "pages/review", "pages/coverage", "pages/quality", "pages/value")
REFUSED = [asked_at(NOW, status="refused", confidence=0.3) for _ in range(2)]


@pytest.fixture
def browser(fresh_database: BookDatabase) -> Iterator[httpx2.Client]:
    """Somebody who opened the one-time link."""
    link = OneTimeLink()
    settings = Settings(database_url=fresh_database.dsn("quoth_analytics"))
    with (
        served_analytics(settings, link) as url,
        httpx2.Client(base_url=url, follow_redirects=True, timeout=30) as client,
    ):
        assert client.get(link.path).status_code == 200
        yield client


@pytest.mark.parametrize("answers", [[], [asked_at(NOW)], REFUSED], ids=len)
def test_every_page_makes_sense(
    browser: httpx2.Client, fresh_database: BookDatabase, answers: list[Asked]
) -> None:
    store(fresh_database, answers)
    fresh_database.run("UPDATE analytics_settings SET time_zone = 'Europe/Berlin'")
    # A month of 31 days that a change of clocks cuts short, the shortest one, and one to come.
    for days in ("", "?first=2026-03-01&last=2026-03-31", "?first=2026-02-28&last=2026-02-28",
                 "?first=2027-12-31&last=2028-01-01"):  # fmt: skip
        for path in PAGES:
            reply = browser.get(f"/analytics/{path}{days}")
            assert reply.status_code == 200, (path, days)
            said = reply.text.replace("\u00a0", " ")
            for nonsense in ("None", "nan", "inf ", "within –", "-0"):
                assert f">{nonsense}" not in said, (path, days, nonsense)
                assert f" {nonsense}<" not in said, (path, days, nonsense)
    overview = browser.get("/analytics/").text
    assert ("No question was asked in this period" in overview) == (not answers)


WITHOUT_JUDGE = "no statement rests on the judge alone"


@pytest.mark.parametrize(
    ("proofs", "said", "unsaid"),
    [
        ([], "No statement was shown in this period", "Confirmed by the judge alone"),
        (["verbatim"], WITHOUT_JUDGE, "Of these statements, wrong"),
        (["verbatim", "paraphrase"], "Of these statements, wrong", WITHOUT_JUDGE),
    ],
    ids=len,
)
def test_the_quality_page_says_whether_a_judge_confirmed_anything(
    browser: httpx2.Client,
    fresh_database: BookDatabase,
    proofs: list[str],
    said: str,
    unsaid: str,
) -> None:
    store(
        fresh_database,
        [asked_at(NOW, claims=[CLAIM | {"verification": proof}]) for proof in proofs],
    )
    page = browser.get("/analytics/pages/quality").text
    assert said in page
    assert unsaid not in page


def test_a_day_that_is_none_is_said_in_words(browser: httpx2.Client) -> None:
    reply = browser.get("/analytics/?first=2026-02-30&last=2026-03-01")
    assert reply.status_code in (400, 422)
    assert "%" not in reply.text.split("<main", 1)[-1]
