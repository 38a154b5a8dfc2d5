"""The HTTP app of `analytics`: readers' feedback, the metrics API and the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from fastapi import FastAPI

from functions.adapters.postgres.database import Database
from functions.analytics.api import create_metric_routes
from functions.analytics.auth.access import Access, Link
from functions.analytics.feedback import analytics_room, build_database, feedback_routes
from functions.analytics.pages.dashboard import Dashboard
from functions.analytics.pages.question_pages import dashboard_routes
from functions.analytics.pages.sign_in import sign_in_routes
from functions.runtime.settings import Settings
from functions.web.app import create_app


def create(read: Callable[[], Settings], link: Link | None = None) -> FastAPI:
    """The app. `read` is called at the first request; `link` signs in the person who started the
    app on a laptop."""

    @cache
    def database() -> Database:
        return build_database(read())

    access = Access(read, database, link)
    return create_app(
        "Quoth: analytics",
        [
            feedback_routes(read, database),
            sign_in_routes(access),
            *dashboard_routes(Dashboard(read, access, database)),
            create_metric_routes(database, access.guard),
        ],
        analytics_room(read, database),
    )
