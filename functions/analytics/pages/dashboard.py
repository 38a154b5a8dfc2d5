"""What every page of the dashboard needs: the database, the period, and errors as pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import Request, Response
from fastapi.routing import APIRoute

from functions.adapters.aws.secrets import SecretUnavailable
from functions.adapters.postgres.analytics_settings import read_settings, today_in
from functions.adapters.postgres.database import Database, DatabaseRejected, DatabaseUnavailable
from functions.analytics.auth.access import Access, Administrator
from functions.analytics.metrics.period import Period
from functions.analytics.pages.render import render
from functions.runtime.logs import logger
from functions.runtime.settings import Settings
from functions.web.errors import ApiError
from functions.web.fields import clean

DEFAULT_DAYS = 28
LONGEST_FORM = 20_000
NO_EMBEDDINGS = "Questions cannot be grouped: no embeddings are set up for the dashboard."
AWAY = "The figures cannot be read right now. Please try again."


@dataclass(frozen=True)
class Shown:
    """A period, as a page shows it and keeps it in its links."""

    period: Period
    today: date

    @property
    def query(self) -> str:
        return "?" + urlencode({"first": self.period.first, "last": self.period.last})

    @property
    def presets(self) -> list[tuple[str, str]]:
        this_month = Period.of_month(self.today, self.period.time_zone)
        periods = [
            *(
                (f"{days} days", Period.of_last_days(days, self.today, self.period.time_zone))
                for days in (7, 28, 90)
            ),
            ("this month", this_month),
            ("last month", this_month.previous()),
        ]
        return [(name, Shown(each, self.today).query) for name, each in periods]


class Dashboard:
    """Everything the pages share. Connects when the first page is asked for."""

    def __init__(
        self, read: Callable[[], Settings], access: Access, database: Callable[[], Database]
    ) -> None:
        self._read = read
        self._database = database
        self.access = access

    @property
    def settings(self) -> Settings:
        return self._read()

    @property
    def database(self) -> Database:
        return self._database()

    @property
    def site(self) -> str:
        """Where the book is, if not beside the dashboard."""
        if self.settings.stage == "local":
            return ""
        return self.settings.allowed_origins.split(",")[0].strip()

    async def refresh_topics(self, seconds: float) -> str:
        """Group questions anew when a day has passed. What kept it from that, or ""."""
        from functions.adapters.postgres.topic_records import TopicRecords
        from functions.analytics.topics.embed import embeddings_of
        from functions.analytics.topics.group import refresh_if_stale

        records = TopicRecords(self.database, self.settings.embedding_model)
        embeddings = embeddings_of(self.settings)
        if embeddings is None:
            return "" if await records.state() else NO_EMBEDDINGS
        try:
            await refresh_if_stale(records, embeddings, seconds)
        except (DatabaseUnavailable, DatabaseRejected) as error:
            logger().error("topics not grouped", error=type(error).__name__, detail=str(error))
            return "Topics could not be brought up to date just now; these are the last ones."
        finally:
            await embeddings.close()
        return ""

    async def administrator(self, request: Request) -> Administrator:
        return await self.access.administrator(request)

    async def shown(self, request: Request) -> Shown:
        """The period the address asks for, 28 days without one. ApiError 422."""
        zone = (await read_settings(self.database)).time_zone
        today = await today_in(self.database, zone)
        first, last = request.query_params.get("first"), request.query_params.get("last")
        if not first and not last:
            return Shown(Period.of_last_days(DEFAULT_DAYS, today, zone), today)
        try:
            until = date.fromisoformat(last) if last else today
            since = date.fromisoformat(first) if first else until - timedelta(DEFAULT_DAYS - 1)
            return Shown(Period(since, until + timedelta(days=1), zone), today)
        except (ValueError, OverflowError) as error:
            message = "A period is two days, the first not after the last, 400 days apart at most."
            raise ApiError(422, "invalid_period", message) from error


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a posted form, cleaned. ApiError 422."""
    body = await request.body()
    try:
        fields = parse_qsl(body[:LONGEST_FORM].decode(), keep_blank_values=True, max_num_fields=50)
    except (UnicodeDecodeError, ValueError) as error:
        raise ApiError(422, "invalid_form", "The form could not be read.") from error
    return {name: clean(value) for name, value in fields}


class PageRoute(APIRoute):
    """A route whose failures are pages, too."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle = super().get_route_handler()

        async def handle_page(request: Request) -> Response:
            try:
                return await handle(request)
            except ApiError as error:
                return problem_page(error)
            except (DatabaseUnavailable, DatabaseRejected, SecretUnavailable) as error:
                logger().error("page failed", error=type(error).__name__, detail=str(error))
                return problem_page(ApiError(503, "away", AWAY, {"Retry-After": "30"}))

        return handle_page


def problem_page(error: ApiError) -> Response:
    """What went wrong, and the way in for who is not signed in."""
    titles = {401: "Sign in", 403: "No access", 404: "Not found", 503: "Not available"}
    page = render(
        "problem.html",
        titles.get(error.status, "Something is wrong"),
        status=error.status,
        signed_in=False,
        message=error.message,
        can_sign_in=error.status == 401,
        local_hint=error.status == 401 or error.code == "link_used",
    )
    page.headers.update(error.headers)
    return page
