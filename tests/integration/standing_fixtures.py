"""`parts`: a small book over parts that a test may stop and kill, one set for a module."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.integration.sample_stage import BOOK, take_in
from tests.integration.standing import PAGE, Standing, standing_parts


@pytest.fixture(scope="module")
async def standing() -> AsyncIterator[Standing]:
    with standing_parts() as standing:
        await take_in(standing.stage, PAGE, (BOOK / PAGE).read_text("utf-8"))
        standing.sql("UPDATE limit_settings SET network_readers = 1000000")
        yield standing


@pytest.fixture
def parts(standing: Standing) -> Iterator[Standing]:
    """The parts, with nothing held against them."""
    standing.sql("DELETE FROM part_states")
    yield standing
    assert standing.queued("query") == []
    assert standing.queued("selected") == []
    assert standing.sql("SELECT count(*) FROM deferred_queries") == [(0,)]
