"""The metrics as JSON, for administrators: `/analytics/…`."""

from __future__ import annotations

import re
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from functions.adapters.postgres import analytics_reviews, analytics_settings
from functions.adapters.postgres.analytics_reviews import Concern, ReviewPage, Verdict
from functions.adapters.postgres.analytics_settings import RoiSettings
from functions.adapters.postgres.database import Database, DatabaseRejected, DatabaseUnavailable
from functions.analytics.format import advice, issue
from functions.analytics.metrics import reviews
from functions.analytics.metrics.chapter_detection import ChapterFigures, read_chapters
from functions.analytics.metrics.coverage import Coverage, read_coverage
from functions.analytics.metrics.period import DEFAULT_DAYS, Period
from functions.analytics.metrics.reviews import Audits, read_audits
from functions.analytics.metrics.roi import Roi, read_roi
from functions.analytics.metrics.summary import Summary, read_summary
from functions.analytics.metrics.validation import Validation, read_validation
from functions.analytics.topics.outcomes import TopicDetail, Topics, read_topic, read_topics
from functions.web.errors import ApiError
from functions.web.fields import Clean, at_most

Guard = Callable[[Request], Awaitable[None]]
"""Raises ApiError for everybody but administrators."""
TIME_ZONE = r"^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$"
Text = Annotated[str, StringConstraints(max_length=2000), Clean, at_most(2000)]
Zone = Annotated[str, StringConstraints(pattern=TIME_ZONE)]

YAML_FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/yaml": {}}}}
INVALID = "invalid_request"
REFUSALS: Mapping[type[Exception], tuple[int, str, str]] = {
    DatabaseRejected: (422, INVALID, "The database refuses this."),
    analytics_reviews.UnknownAnswer: (404, "unknown_response", "There is no such answer."),
    analytics_reviews.UnfitVerdict: (422, INVALID, "verdict: does not fit what the answer is"),
    reviews.NoSection: (
        422, INVALID, "section: nothing tells which section answers this; name it"
    ),
}  # fmt: skip


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _written_day(value: object) -> object:
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise ValueError("must be a day, as 2026-11-22")
    return value


Day = Annotated[date, BeforeValidator(_written_day)]
"""As 2026-11-22. Pydantic alone would also accept a number of seconds since 1970."""


class ReviewBody(BaseModel):
    """A reviewer's verdict on an answer; null takes it back."""

    model_config = ConfigDict(extra="forbid")

    verdict: Verdict | None
    note: Text = ""


class GoldenBody(BaseModel):
    """`section`: which section answers the question, as golden.yaml names sections; may be left
    out where the answer's own citation says it."""

    model_config = ConfigDict(extra="forbid")

    section: Annotated[str, StringConstraints(max_length=500), Clean, at_most(500)] = ""


class SettingsBody(BaseModel):
    """What returns rest on: minutes a question, money an hour, a survey's hours a week."""

    model_config = ConfigDict(extra="forbid")

    minutes_low: float = Field(ge=0, le=600)
    minutes: float = Field(ge=0, le=600)
    minutes_high: float = Field(ge=0, le=600)
    hourly_rate: float | None = Field(default=None, ge=0, le=1e6)
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    survey_hours_before: float | None = Field(default=None, gt=0, le=1e6)
    survey_hours_after: float | None = Field(default=None, ge=0, le=1e6)
    survey_note: Text = ""
    time_zone: Zone = "UTC"


class TopicBody(BaseModel):
    """A topic. `issue`: a text for the book's authors, where the book does not treat it."""

    detail: TopicDetail
    recommendation: str
    issue: str | None


class Done(BaseModel):
    """It is stored."""

    status: Literal["done"] = "done"


async def read_period(
    database: Database, first: date | None, end: date | None, time_zone: str | None
) -> Period:
    """The period from `first` until the day before `end`, the last 28 days by default, in
    `time_zone` or that of the settings. ApiError for an invalid period."""
    zone = time_zone or (await analytics_settings.read_settings(database)).time_zone
    try:
        if end is None:
            end = await analytics_settings.today_in(database, zone) + timedelta(days=1)
        return Period(first or end - timedelta(days=DEFAULT_DAYS), end, zone)
    except DatabaseRejected as error:
        raise _unknown_zone() from error
    except (ValueError, OverflowError) as error:
        raise ApiError(422, INVALID, f"end: {error}") from error


def _unknown_zone() -> ApiError:
    return ApiError(422, INVALID, "time_zone: there is no such time zone")


class MetricRoute(APIRoute):
    """A route that maps exceptions to errors an administrator may see."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_exceptions(request: Request) -> Response:
            try:
                return await handle(request)
            except DatabaseUnavailable as error:
                message = "Figures cannot be read right now. Please try again."
                headers = {"Retry-After": "30"}
                raise ApiError(503, "figures_unavailable", message, headers) from error
            except tuple(REFUSALS) as error:
                raise ApiError(*REFUSALS[type(error)]) from error

        return handle_exceptions


def create_metric_routes(database: Callable[[], Database], guard: Guard) -> APIRouter:
    """The routes. `guard` runs before anything is read."""
    router = APIRouter(prefix="/analytics", dependencies=[Depends(guard)], route_class=MetricRoute)

    async def period_of(
        first: Day | None = None,
        end: Day | None = None,
        time_zone: Zone | None = None,
    ) -> Period:
        return await read_period(database(), first, end, time_zone)

    # A default, not an annotation: annotations are evaluated where local names are unknown.
    days = Depends(period_of)

    @router.get("/summary")
    async def summary_of(period: Period = days) -> Summary:
        """What happened in a period."""
        return await read_summary(database(), period)

    @router.get("/validation")
    async def validation_of(period: Period = days) -> Validation:
        """What the check did, and what another threshold would do."""
        return await read_validation(database(), period)

    @router.get("/chapters")
    async def chapters_of(period: Period = days) -> ChapterFigures:
        """How readers' chapters were found, and the alarms on it."""
        return await read_chapters(database(), period)

    @router.get("/coverage")
    async def coverage_of(period: Period = days) -> Coverage:
        """Sections by their gaps, and what edits did."""
        return await read_coverage(database(), period)

    @router.get("/audits")
    async def audits_of(period: Period = days) -> Audits:
        """Verdicts on samples of answers."""
        return await read_audits(database(), period)

    @router.get("/roi")
    async def roi_of(period: Period = days) -> Roi:
        """What answers are worth, beside the period before."""
        return await read_roi(database(), period)

    @router.get("/topics")
    async def topics_of(period: Period = days) -> Topics:
        """What was asked about, by section, and what the book lacks."""
        return await read_topics(database(), period)

    @router.get("/topics/{topic_id}")
    async def topic_of(topic_id: uuid.UUID, period: Period = days) -> TopicBody:
        """One topic with its questions."""
        detail = await read_topic(database(), period, str(topic_id))
        if detail is None:
            message = "Nobody asked about this topic in this period."
            raise ApiError(404, "unknown_topic", message)
        drafted = issue(detail) if detail.use.is_missing else None
        return TopicBody(detail=detail, recommendation=advice(detail.use), issue=drafted)

    @router.get("/settings")
    async def settings_now() -> RoiSettings:
        """What returns rest on."""
        return await analytics_settings.read_settings(database())

    @router.post("/settings")
    async def save_settings(body: SettingsBody) -> RoiSettings:
        """Set all of it."""
        settings = RoiSettings(**body.model_dump())
        if not settings.minutes_low <= settings.minutes <= settings.minutes_high:
            raise ApiError(422, INVALID, "minutes: must lie between low and high")
        try:
            await analytics_settings.save_settings(database(), settings)
        except DatabaseRejected as error:
            raise _unknown_zone() from error
        return settings

    @router.get("/review")
    async def review(
        period: Period = days,
        concern: Concern | None = None,
        reviewed: bool | None = None,
        order: Literal["newest", "sample"] = "newest",
        after: Annotated[str | None, Query(max_length=100)] = None,
        most: Annotated[int, Query(ge=1, le=analytics_reviews.MOST_ITEMS)] = 50,
    ) -> ReviewPage:
        """Queries that somebody should look at."""
        wanted = analytics_reviews.Wanted(concern, reviewed, order, after, most)
        try:
            return await analytics_reviews.read_review_list(database(), period, wanted)
        except ValueError as error:
            raise ApiError(422, INVALID, "after: not of this list") from error

    @router.post("/review/{response_id}")
    async def mark(response_id: uuid.UUID, body: ReviewBody) -> Done:
        """Say what a reviewer thinks of an answer."""
        await reviews.mark(database(), str(response_id), body.verdict, body.note)
        return Done()

    @router.post("/review/{response_id}/golden")
    async def keep_golden(response_id: uuid.UUID, body: GoldenBody) -> Done:
        """Make its question a golden one."""
        await reviews.keep_golden(database(), str(response_id), body.section)
        return Done()

    @router.delete("/review/{response_id}/golden")
    async def drop_golden(response_id: uuid.UUID) -> Done:
        """Take the golden question back."""
        await analytics_reviews.drop_golden(database(), str(response_id))
        return Done()

    @router.get("/golden.yaml", response_class=Response, responses=YAML_FILE)
    async def golden_file() -> Response:
        """The golden questions, as entries of the author's file."""
        text = await reviews.write_golden(database())
        return Response(text, media_type="application/yaml")

    return router
