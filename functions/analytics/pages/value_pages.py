"""The pages on quality and value, and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import ConfigDict, ValidationError, field_validator, model_validator

from functions.adapters.postgres.analytics_settings import RoiSettings, save_settings
from functions.adapters.postgres.database import DatabaseRejected
from functions.adapters.postgres.outline_records import OutlineRecords
from functions.analytics.api import SettingsBody
from functions.analytics.metrics.chapter_detection import read_chapters
from functions.analytics.metrics.drift import drift_of
from functions.analytics.metrics.reviews import read_audits
from functions.analytics.metrics.roi import SPECIFIED_MINUTES, read_roi
from functions.analytics.metrics.summary import HELPFUL_TARGET, read_summary
from functions.analytics.metrics.validation import read_validation
from functions.analytics.pages.dashboard import Dashboard, View, page_router
from functions.analytics.report.content import MOST_LACKING, Report, report_name
from functions.analytics.report.csv_export import write_csv
from functions.analytics.topics.outcomes import read_detail, read_topics
from functions.book.outline import outline_of

NAMES = {
    "minutes_low": "Minutes, at least",
    "minutes": "Minutes, usually",
    "minutes_high": "Minutes, at most",
    "hourly_rate": "Hourly rate",
    "currency": "Currency",
    "survey_hours_before": "Hours a week before",
    "survey_hours_after": "Hours a week after",
    "survey_note": "Note on the survey",
    "time_zone": "Time zone",
}


class _Form(SettingsBody):
    """As a browser posts it: an empty field means none, and the form has fields of its own."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    @field_validator("hourly_rate", "survey_hours_before", "survey_hours_after", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if value == "" else value

    @model_validator(mode="after")
    def _in_order(self) -> _Form:
        if not self.minutes_low <= self.minutes <= self.minutes_high:
            raise ValueError("The usual minutes lie between the fewest and the most")
        return self


def read_settings_form(form: Mapping[str, str]) -> tuple[RoiSettings | None, tuple[str, ...]]:
    """The settings, or None and a sentence for each field that is wrong."""
    try:
        read = _Form.model_validate({name: value.strip() for name, value in form.items()})
    except ValidationError as error:
        return None, tuple(
            f"{NAMES.get(str(each['loc'][0]), '')}: {each['msg']}."
            if each["loc"]
            else each["msg"].removeprefix("Value error, ") + "."
            for each in error.errors()
        )
    return RoiSettings(**read.model_dump()), ()


OUTLINE_SECONDS = 2.5


def value_routes(dashboard: Dashboard) -> APIRouter:
    """Quality, value with its settings, and the report as PDF and CSV."""
    router = page_router()
    viewed, posted = Depends(dashboard.view), Depends(dashboard.form)

    async def report_of(view: View) -> Report:
        await dashboard.refresh_topics()
        entries = await OutlineRecords(dashboard.database).outline(seconds=OUTLINE_SECONDS)
        opening = outline_of(entries).opening
        topics = await read_topics(dashboard.database, view.period)
        lacking = [
            await read_detail(dashboard.database, topics, use)
            for use in topics.missing[:MOST_LACKING]
        ]
        return Report(
            book=opening.title if opening else "",
            roi=await read_roi(dashboard.database, view.period),
            summary=await read_summary(dashboard.database, view.period),
            topics=topics,
            audits=await read_audits(dashboard.database, view.period),
            lacking=tuple(lacking),
        )

    async def value_page(view: View, problems: Sequence[str] = (), **values: Any) -> Response:
        roi = await read_roi(dashboard.database, view.period)
        return view.render(
            "value.html", "Value", minutes=SPECIFIED_MINUTES, roi=roi, problems=problems, **values
        )

    @router.get("/pages/quality")
    async def quality(view: View = viewed) -> Response:
        """Are answers right, and is the threshold of the gate where it should be?"""
        summary = await read_summary(dashboard.database, view.period)
        return view.render(
            "quality.html", "Quality", helpful_target=HELPFUL_TARGET, summary=summary,
            drift=drift_of(summary.days),
            validation=await read_validation(dashboard.database, view.period),
            chapters=await read_chapters(dashboard.database, view.period),
            audits=await read_audits(dashboard.database, view.period),
        )  # fmt: skip

    @router.get("/pages/value")
    async def value(request: Request, view: View = viewed) -> Response:
        """What the answers are worth, and the assumptions behind it."""
        return await value_page(view, saved="saved" in request.query_params)

    @router.post("/pages/value")
    async def save(form: dict[str, str] = posted, view: View = viewed) -> Response:
        """Change the assumptions."""
        settings, problems = read_settings_form(form)
        if settings is not None:
            try:
                await save_settings(dashboard.database, settings)
                return RedirectResponse(f"/analytics/pages/value{view.query}&saved=1", 303)
            except DatabaseRejected:
                problems = ("The time zone is not known.",)
        return await value_page(view, problems, saved=False, status=422)

    @router.get("/pages/report.pdf")
    async def report_pdf(view: View = viewed) -> Response:
        """The report, to print."""
        from functions.analytics.report.pdf_export import write_pdf  # the only one that needs pydyf

        body = write_pdf(await report_of(view))
        return _file(body, "application/pdf", report_name(view.period, "pdf"))

    @router.get("/pages/report.csv")
    async def report_csv(view: View = viewed) -> Response:
        """The report's metrics, for a spreadsheet."""
        # Without the byte order mark, spreadsheets do not read it as UTF-8.
        body = b"\xef\xbb\xbf" + write_csv(await report_of(view)).encode()
        return _file(body, "text/csv; charset=utf-8", report_name(view.period, "csv"))

    return router


def _file(body: bytes, kind: str, name: str) -> Response:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(body, media_type=kind, headers=headers)
