"""The overview and the pages on topics."""

from __future__ import annotations

import uuid
from pathlib import Path

from fastapi import APIRouter, Depends
from fastapi.responses import FileResponse, Response

from functions.adapters.postgres.analytics_reviews import Wanted, read_review_list
from functions.analytics.metrics.definitions import DEFINITIONS
from functions.analytics.metrics.drift import drift_of
from functions.analytics.metrics.roi import read_roi
from functions.analytics.metrics.summary import HELPFUL_TARGET, read_summary
from functions.analytics.pages.dashboard import Dashboard, View, page_router
from functions.analytics.pages.review_pages import review_routes
from functions.analytics.pages.value_pages import value_routes
from functions.analytics.topics.outcomes import (
    LEAST_SESSIONS,
    advised,
    read_topic,
    read_topics,
)
from functions.web.errors import ApiError

TOP = 10
MOST_ADVICE = 3
STATIC = {"dashboard.css": "text/css", "charts.js": "text/javascript"}
HERE = Path(__file__).parent


def dashboard_routes(dashboard: Dashboard) -> list[APIRouter]:
    """Every page."""
    return [page_routes(dashboard), review_routes(dashboard), value_routes(dashboard)]


def page_routes(dashboard: Dashboard) -> APIRouter:
    """The overview and the topics."""
    router = page_router()
    viewed = Depends(dashboard.view)

    @router.get("")
    @router.get("/")  # API Gateway has no routes with a trailing slash, and may pass one on
    async def overview(view: View = viewed) -> Response:
        """How the assistant is used."""
        summary = await read_summary(dashboard.database, view.period)
        await dashboard.refresh_topics()
        topics = await read_topics(dashboard.database, view.period)
        wanted = Wanted(concern=None, reviewed=False, after=None, most=1)
        listed = await read_review_list(dashboard.database, view.period, wanted)
        return view.render(
            "overview.html", "Overview", summary=summary, helpful_target=HELPFUL_TARGET,
            roi=await read_roi(dashboard.database, view.period), unreviewed=listed.unreviewed,
            drift=drift_of(summary.days), topics=topics, most=TOP,
            advised=advised(topics)[:MOST_ADVICE],
        )  # fmt: skip

    @router.get("/pages/definitions")
    async def definitions(view: View = viewed) -> Response:
        """How each figure is computed."""
        return view.render(
            "definitions.html", "How the figures are computed", definitions=DEFINITIONS
        )

    @router.get("/pages/topics")
    async def topics(view: View = viewed) -> Response:
        """Every topic."""
        problem = await dashboard.refresh_topics()
        found = await read_topics(dashboard.database, view.period)
        return view.render(
            "topics.html", "Topics", topics=found, problem=problem, site=dashboard.site,
            advised=advised(found),
        )  # fmt: skip

    @router.get("/pages/topics/{topic_id}")
    async def topic(topic_id: uuid.UUID, view: View = viewed) -> Response:
        """One topic, with sample questions and a recommendation."""
        detail = await read_topic(dashboard.database, view.period, str(topic_id))
        if detail is None:
            raise ApiError(404, "unknown_topic", "Nobody asked about this topic in this period.")
        return view.render(
            "topic.html", detail.use.name, detail=detail, use=detail.use, rank=detail.rank,
            least=LEAST_SESSIONS, site=dashboard.site,
        )  # fmt: skip

    @router.get("/static/{name}")
    async def static(name: str) -> Response:
        """The style sheet and the chart script, which hold no data and need no sign-in."""
        if name not in STATIC:
            raise ApiError(404, "not_found", "There is nothing at this address.")
        headers = {"Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff"}
        return FileResponse(HERE / "static" / name, media_type=STATIC[name], headers=headers)

    return router
