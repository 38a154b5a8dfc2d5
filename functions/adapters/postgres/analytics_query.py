"""What the queries of analytics share: conditions on days, and reads in one transaction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from functions.adapters.postgres.database import Connection, Database

SECONDS = 20.0
"""A first look at a very long period sums up every day of it."""
Row = Mapping[str, Any]

_WITHIN = (
    "COLUMN >= day_start(%(first)s::date, %(zone)s) AND COLUMN < day_start(%(end)s::date, %(zone)s)"
)


class Days(Protocol):
    """The days from `first` until the day before `end`, as they begin and end in `time_zone`."""

    @property
    def first(self) -> date: ...
    @property
    def end(self) -> date: ...
    @property
    def time_zone(self) -> str: ...


def within_days(statement: str) -> str:
    """A statement over `day_parameters`: WITHIN(column) stands for the condition that a moment
    lies in the period."""
    return re.sub(
        r"WITHIN\(([\w.]+)\)", lambda found: _WITHIN.replace("COLUMN", found[1]), statement
    )


def day_parameters(days: Days) -> dict[str, object]:
    return {"first": days.first, "end": days.end, "zone": days.time_zone}


async def read_all(
    database: Database, statements: Sequence[str], parameters: Mapping[str, object]
) -> list[list[Row]]:
    """The rows of each statement, read in one transaction."""

    async def read(connection: Connection) -> list[list[Row]]:
        return [
            [*await (await connection.execute(each.encode(), parameters)).fetchall()]
            for each in statements
        ]

    return await database.run(read, seconds=SECONDS)
