"""The administrator's settings, and the day it is in their time zone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from datetime import date

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import as_jsonb

SECONDS = 2.5


@dataclass(frozen=True, slots=True)
class RoiSettings:
    """What an administrator says the figures rest on. Survey figures are hours a week that teachers
    spend on repeated questions (SC-007)."""

    minutes_low: float = 1.0
    minutes: float = 2.5
    minutes_high: float = 4.0
    hourly_rate: float | None = None
    currency: str = "USD"
    survey_hours_before: float | None = None
    survey_hours_after: float | None = None
    survey_note: str = ""
    time_zone: str = "UTC"


_COLUMNS = ", ".join(each.name for each in fields(RoiSettings))


async def read_settings(database: Database) -> RoiSettings:
    """The current settings."""
    statement = f"SELECT {_COLUMNS} FROM analytics_settings"  # noqa: S608  # our own names
    rows = await database.call(statement, (), seconds=SECONDS)
    return RoiSettings(**rows[0])


async def save_settings(database: Database, settings: RoiSettings) -> None:
    """Replace all settings. DatabaseRejected for a value out of bounds or an unknown time zone."""
    await database.call(
        "SELECT save_analytics_settings(%s)", (as_jsonb(asdict(settings)),), seconds=SECONDS
    )


async def today_in(database: Database, time_zone: str) -> date:
    """Today's date in a time zone. DatabaseRejected for one that the database does not know."""
    rows = await database.call(
        "SELECT (clock_timestamp() AT TIME ZONE %s)::date AS today", (time_zone,), seconds=SECONDS
    )
    today: date = rows[0]["today"]
    return today
