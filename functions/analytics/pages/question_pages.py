"""The pages of the dashboard that tell what readers ask."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response

from functions.adapters.postgres.analytics_settings import read_settings
from functions.analytics.metrics.models import HELPFUL_TARGET
from functions.analytics.metrics.roi import SPECIFIED_MINUTES, saved_by
from functions.analytics.metrics.summary import read_summary
from functions.analytics.pages.dashboard import Dashboard, PageRoute
from functions.analytics.pages.render import book_link, render
from functions.analytics.pages.review_pages import review_routes
from functions.analytics.pages.value_pages import value_routes
from functions.analytics.topics.models import LEAST_SESSIONS, TopicDetail
from functions.analytics.topics.outcomes import read_topic, read_topics
from functions.web.errors import ApiError

TOP = 10
MOST_TOPICS = 40
REFRESH_SECONDS = 8.0
"""Of a page that finds the topics of yesterday: it waits no longer for new vectors."""
STATIC = {"dashboard.css": "text/css", "charts.js": "text/javascript"}
HERE = Path(__file__).parent


def dashboard_routes(dashboard: Dashboard) -> list[APIRouter]:
    """Every page."""
    return [page_routes(dashboard), review_routes(dashboard), value_routes(dashboard)]


def page_routes(dashboard: Dashboard) -> APIRouter:
    """The overview and the topics."""
    router = APIRouter(prefix="/analytics", include_in_schema=False, route_class=PageRoute)

    @router.get("")
    @router.get("/")  # API Gateway knows no route that ends so, and may hand one over
    async def overview(request: Request) -> Response:
        """How the assistant is used."""
        await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        summary = await read_summary(dashboard.database, shown.period)
        settings = await read_settings(dashboard.database)
        await dashboard.refresh_topics(REFRESH_SECONDS)
        return render(
            "overview.html", "Overview", here="/analytics", query=shown.query,
            period=shown.period, presets=shown.presets, summary=summary,
            helpful_target=HELPFUL_TARGET, saved=saved_by(summary, settings),
            minutes=SPECIFIED_MINUTES, topics=await read_topics(dashboard.database, shown.period),
            most=TOP,
        )  # fmt: skip

    @router.get("/pages/topics")
    async def topics(request: Request) -> Response:
        """Every topic."""
        await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        problem = await dashboard.refresh_topics(REFRESH_SECONDS)
        found = await read_topics(dashboard.database, shown.period)
        return render(
            "topics.html", "Topics", here="/analytics/pages/topics", query=shown.query,
            period=shown.period, presets=shown.presets, topics=found, most=MOST_TOPICS,
            problem=problem, advised=[use for use in found.topics if use.advice != "none"],
        )  # fmt: skip

    @router.get("/pages/topics/{topic_id}")
    async def topic(request: Request, topic_id: uuid.UUID) -> Response:
        """One topic, with samples and what to do."""
        await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        detail = await read_topic(dashboard.database, shown.period, str(topic_id))
        if detail is None:
            raise ApiError(404, "unknown_topic", "Nobody asked about this topic in this period.")
        return render(
            "topic.html", detail.use.name, here="/analytics/pages/topics", query=shown.query,
            period=shown.period, presets=shown.presets, detail=_linked(detail, dashboard.site),
            use=detail.use, rank=detail.rank, least=LEAST_SESSIONS,
        )  # fmt: skip

    @router.get("/static/{name}")
    async def static(name: str) -> Response:
        """The style and the charts: the same for everybody, and no figure in them."""
        if name not in STATIC:
            raise ApiError(404, "not_found", "There is nothing at this address.")
        headers = {"Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff"}
        return FileResponse(HERE / "static" / name, media_type=STATIC[name], headers=headers)

    return router


def _linked(detail: TopicDetail, site: str) -> TopicDetail:
    """With links that lead into the book from here."""
    sections = tuple(
        replace(each, section=replace(each.section, url=book_link(each.section.url, site)))
        for each in detail.sections
    )
    return replace(detail, sections=sections)
