"""A thousand made-up queries over four weeks, by the command itself: each number of the summary
equals one counted from the raw rows (DR-003)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from functions.adapters.postgres.database import Database
from functions.analytics.metrics.period import Period
from functions.analytics.metrics.summary import read_summary
from quoth.commands.stored_book import database_of
from quoth.parts import DATABASE
from quoth.postgres.embedded import start_server
from quoth.store import DEFAULT_BOOK, store_of
from tests.analytics.raw_metrics import raw_rows, summary_of
from tests.analytics.test_summary import assert_same
from tests.integration.up_process import command
from tests.postgres_fixtures import BookDatabase

QUERIES = 1000
SECONDS = 3600.0
ZONES = ("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York")

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def simulated() -> Iterator[Path]:
    """Where a simulation of the sample book left its data."""
    data = Path(tempfile.mkdtemp(prefix="quoth-simulated-", dir="/tmp"))
    data.chmod(0o755)  # the database runs under an account of its own
    try:
        asked = command("simulate", "--queries", str(QUERIES), "--data", data)
        subprocess.run(asked, check=True, timeout=SECONDS)
        yield data
    finally:
        shutil.rmtree(data)


async def test_every_number_of_a_thousand_queries(simulated: Path) -> None:
    store = store_of(DEFAULT_BOOK, simulated)
    with database_of(store):
        server = start_server(store.folder / "postgres")
        rows = raw_rows(BookDatabase(server, DATABASE, server.port))
        figures = Database(server.dsn("quoth_analytics", DATABASE))
        try:
            for zone in ZONES:
                today = date.today()
                period = Period(today - timedelta(days=30), today + timedelta(days=2), zone)
                summary = await read_summary(figures, period)
                assert_same(summary, summary_of(rows, period.first, period.end, zone))
                assert summary.queries == QUERIES
        finally:
            await figures.close()
