"""The pages for who pays and who answers for it: quality, value, and the report to hand on."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from functions.adapters.postgres.analytics_settings import save_settings
from functions.adapters.postgres.database import DatabaseRejected
from functions.analytics.auth.access import check_form
from functions.analytics.metrics.audits import read_audits
from functions.analytics.metrics.chapter_detection import read_chapters
from functions.analytics.metrics.models import HELPFUL_TARGET
from functions.analytics.metrics.roi import SPECIFIED_MINUTES, read_roi
from functions.analytics.metrics.summary import read_summary
from functions.analytics.metrics.validation import read_validation
from functions.analytics.pages.dashboard import Dashboard, PageRoute, Shown, read_form
from functions.analytics.pages.render import render
from functions.analytics.pages.settings_form import read_settings_form
from functions.analytics.report.content import Report, report_name
from functions.analytics.report.csv_export import write_csv
from functions.analytics.topics.outcomes import read_topics

REFRESH_SECONDS = 8.0


def value_routes(dashboard: Dashboard) -> APIRouter:
    """Quality, value with its settings, and the report as PDF and CSV."""
    router = APIRouter(prefix="/analytics", include_in_schema=False, route_class=PageRoute)

    async def report_of(shown: Shown) -> Report:
        await dashboard.refresh_topics(REFRESH_SECONDS)
        return Report(
            roi=await read_roi(dashboard.database, shown.period),
            summary=await read_summary(dashboard.database, shown.period),
            topics=await read_topics(dashboard.database, shown.period),
        )

    @router.get("/pages/quality")
    async def quality(request: Request) -> Response:
        """Is what is answered true, and is the gate where it should be?"""
        await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        return render(
            "quality.html", "Quality", here="/analytics/pages/quality", query=shown.query,
            period=shown.period, presets=shown.presets, helpful_target=HELPFUL_TARGET,
            validation=await read_validation(dashboard.database, shown.period),
            chapters=await read_chapters(dashboard.database, shown.period),
            audits=await read_audits(dashboard.database, shown.period),
        )  # fmt: skip

    @router.get("/pages/value")
    async def value(request: Request) -> Response:
        """What the answers are worth, and what that rests on."""
        administrator = await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        return render(
            "value.html", "Value", here="/analytics/pages/value", query=shown.query,
            period=shown.period, presets=shown.presets, minutes=SPECIFIED_MINUTES,
            roi=await read_roi(dashboard.database, shown.period), csrf=administrator.csrf or "",
            saved="saved" in request.query_params, problems=(),
        )  # fmt: skip

    @router.post("/pages/value")
    async def save(request: Request) -> Response:
        """Change what the value rests on."""
        administrator = await dashboard.administrator(request)
        form = await read_form(request)
        check_form(administrator, form.get("csrf", ""))
        shown = await dashboard.shown(request)
        settings, problems = read_settings_form(form)
        if settings is not None:
            try:
                await save_settings(dashboard.database, settings)
                return RedirectResponse(f"/analytics/pages/value{shown.query}&saved=1", 303)
            except DatabaseRejected:
                problems = ("The time zone is not known.",)
        return render(
            "value.html", "Value", status=422, here="/analytics/pages/value", query=shown.query,
            period=shown.period, presets=shown.presets, minutes=SPECIFIED_MINUTES,
            roi=await read_roi(dashboard.database, shown.period), csrf=administrator.csrf or "",
            saved=False, problems=problems,
        )  # fmt: skip

    @router.get("/pages/report.pdf")
    async def report_pdf(request: Request) -> Response:
        """The report, to print and hand on."""
        from functions.analytics.report.pdf_export import write_pdf  # the only one that needs pydyf

        await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        report = await report_of(shown)
        return _file(write_pdf(report), "application/pdf", report_name(shown.period, "pdf"))

    @router.get("/pages/report.csv")
    async def report_csv(request: Request) -> Response:
        """The report's figures, to calculate with."""
        await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        text = write_csv(await report_of(shown))
        # With its mark, or spreadsheets take UTF-8 for something else.
        body = b"\xef\xbb\xbf" + text.encode()
        return _file(body, "text/csv; charset=utf-8", report_name(shown.period, "csv"))

    return router


def _file(body: bytes, kind: str, name: str) -> Response:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(body, media_type=kind, headers=headers)
