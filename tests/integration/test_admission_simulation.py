"""The simulation of admission against the database's own functions, the same questions to both."""

from __future__ import annotations

from collections.abc import Callable

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from tests.integration.admission_real import run_for_real
from tests.postgres_fixtures import BookDatabase
from tools.scale.admission import Admission
from tools.scale.load import Limits, draw_questions, quantile
from tools.scale.queue import Queue

LIMITS = Limits(running_cap=10, system_total=25, usual_seconds=0.4)
OVERLOAD = 1.6
SECONDS = 5.0
TAKES = 0.4


async def test_the_simulation_tells_what_the_database_does_under_too_many_questions(
    fresh_database: BookDatabase, connect: Callable[..., Database]
) -> None:
    fresh_database.run(
        "UPDATE limit_settings SET running_cap = %s, system_total = %s, usual_seconds = %s"
        " RETURNING 1",
        (LIMITS.running_cap, LIMITS.system_total, LIMITS.usual_seconds),
    )
    per_second = OVERLOAD * LIMITS.running_cap / TAKES
    asked = draw_questions(per_second, SECONDS, TAKES, TAKES)
    records = QueryRecords(connect(fresh_database.dsn("quoth_query"), size=20))
    real = await run_for_real(records, asked)
    told = Admission(Queue(LIMITS), lock=0.002, trip=quantile(real.calls, 0.5)).run(asked)

    assert real.asked == told.asked == len(asked)
    assert real.full > 20, "too few questions to say anything"
    assert abs(real.share(real.full) - told.share(told.full)) < 0.12
    assert abs(real.share(real.queued) - told.share(told.queued)) < 0.12
    assert real.most_running <= LIMITS.running_cap
    assert told.most_running <= LIMITS.running_cap
    assert abs(real.wait(0.5) - told.wait(0.5)) < 0.5
