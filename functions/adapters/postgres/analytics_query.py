"""Reads of analytics: several statements over the days of a time zone, in one transaction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from functions.adapters.postgres.database import Connection, Database

SECONDS = 5.0
"""Four times what a first look at a million questions takes."""
Row = Mapping[str, Any]
REFRESH = "SELECT refresh_figures(%(zone)s, %(first)s, %(end)s)"
"""Sums up the days of the period that are not summed up yet, or have changed."""

_WITHIN = re.compile(r"WITHIN\(([\w.]+)\)")
_CONDITION = (
    r"\1 >= day_start(%(first)s::date, %(zone)s) AND \1 < day_start(%(end)s::date, %(zone)s)"
)


class Days(Protocol):
    """The days from `first` until the day before `end`, as they begin and end in `time_zone`."""

    @property
    def first(self) -> date: ...
    @property
    def end(self) -> date: ...
    @property
    def time_zone(self) -> str: ...


async def read_all(
    database: Database, days: Days, statements: Sequence[str], **more: object
) -> list[list[Row]]:
    """The rows of each statement, read in one transaction.

    Statements have the parameters `first`, `end` and `zone`, and `more`. WITHIN(column) in one is
    the condition that a moment lies in the period.
    """
    parameters = {"first": days.first, "end": days.end, "zone": days.time_zone} | more

    async def read(connection: Connection) -> list[list[Row]]:
        found: list[list[Row]] = []
        for each in statements:
            cursor = await connection.execute(_WITHIN.sub(_CONDITION, each).encode(), parameters)
            found.append([*await cursor.fetchall()])
        return found

    return await database.run(read, seconds=SECONDS)
