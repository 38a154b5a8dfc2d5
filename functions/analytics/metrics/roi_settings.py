"""What an administrator says that returns rest on, in the database."""

from __future__ import annotations

from dataclasses import asdict, fields

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.storable import as_jsonb
from functions.analytics.metrics.roi_models import RoiSettings

SECONDS = 5.0
_NAMES = tuple(each.name for each in fields(RoiSettings))


async def read_settings(database: Database) -> RoiSettings:
    """As they are now."""
    statement = f"SELECT {', '.join(_NAMES)} FROM analytics_settings"  # noqa: S608  # our own names
    rows = await database.call(statement, (), seconds=SECONDS)
    return RoiSettings(**rows[0])


async def save_settings(database: Database, settings: RoiSettings) -> None:
    """All at once. DatabaseRejected when one is out of its bounds, or no time zone."""
    await database.call(
        "SELECT save_analytics_settings(%s)", (as_jsonb(asdict(settings)),), seconds=SECONDS
    )
