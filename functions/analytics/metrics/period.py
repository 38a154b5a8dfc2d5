"""The days that a metric covers, in the administrator's time zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

DEFAULT_DAYS = 28
MOST_DAYS = 400
"""Daily totals are kept for 13 months."""


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `first` up to, but not including, `end`, in `time_zone` (an IANA name known to
    the database). ValueError when the period is empty or longer than `MOST_DAYS`."""

    first: date
    end: date
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        if not 1 <= self.days <= MOST_DAYS:
            raise ValueError(f"a period has from 1 to {MOST_DAYS} days")

    @classmethod
    def of_month(cls, day: date, time_zone: str = "UTC") -> Period:
        """The calendar month of a day."""
        first = day.replace(day=1)
        return cls(first, _next_month(first), time_zone)

    @classmethod
    def of_last_days(cls, days: int, today: date, time_zone: str = "UTC") -> Period:
        """The last `days` days, today included."""
        end = today + timedelta(days=1)
        return cls(end - timedelta(days=days), end, time_zone)

    @property
    def days(self) -> int:
        return (self.end - self.first).days

    @property
    def last(self) -> date:
        """The last day."""
        return self.end - timedelta(days=1)

    @property
    def is_month(self) -> bool:
        return self.first.day == 1 and self.end == _next_month(self.first)

    def previous(self) -> Period:
        """The preceding calendar month if this is one; else as many days before this period."""
        if self.is_month:
            return Period.of_month(self.first - timedelta(days=1), self.time_zone)
        return Period(self.first - timedelta(days=self.days), self.first, self.time_zone)


def _next_month(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)
