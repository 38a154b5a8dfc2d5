"""The pages a reviewer works with: what to look at, and where the book has gaps."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

from functions.adapters.postgres.analytics_reviews import (
    Concern,
    ReviewItem,
    UnfitVerdict,
    UnknownAnswer,
    Verdict,
    Wanted,
    drop_golden,
    read_review_list,
)
from functions.analytics.auth.access import check_form
from functions.analytics.metrics.coverage import read_coverage
from functions.analytics.metrics.reviews import NoSection, keep_golden, mark, write_golden
from functions.analytics.pages.dashboard import Dashboard, PageRoute, read_form
from functions.analytics.pages.render import book_link, render
from functions.web.errors import ApiError

MOST_ITEMS = 20
LONGEST_NOTE = 2000
CONCERNS: dict[str, str] = {
    "low_confidence": "Unsure",
    "not_helpful": "Not helpful",
    "refused": "Refused",
    "flagged": "Flagged",
}
VERDICTS: dict[str, str] = {
    "good_refusal": "Good refusal",
    "should_have_answered": "Should have answered",
    "right_answer": "Right answer",
    "wrong_answer": "Wrong answer",
    "fixed": "Fixed in the book",
}
FIT = {
    True: ("good_refusal", "should_have_answered", "fixed"),
    False: ("right_answer", "wrong_answer", "fixed"),
}
"""What can be said of a refusal, and of an answer."""


def review_routes(dashboard: Dashboard) -> APIRouter:
    """The review list with its forms, and the coverage of sections."""
    router = APIRouter(prefix="/analytics", include_in_schema=False, route_class=PageRoute)

    @router.get("/pages/review")
    async def review(request: Request) -> Response:
        """What somebody should look at, the newest first."""
        administrator = await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        given = request.query_params
        concern, state = given.get("concern", ""), given.get("state", "open")
        wanted = Wanted(
            concern=_concern(concern),
            reviewed={"open": False, "done": True}.get(state),
            after=given.get("after") or None,
            most=MOST_ITEMS,
        )
        try:
            found = await read_review_list(dashboard.database, shown.period, wanted)
        except ValueError as error:
            raise ApiError(422, "invalid_page", "This page of the list is not known.") from error
        kept = shown.query + "&" + urlencode({"concern": concern, "state": state})
        return render(
            "review.html", "Review", here="/analytics/pages/review", query=shown.query,
            period=shown.period, presets=shown.presets, page=found, concern=concern, state=state,
            items=[_linked(item, dashboard.site) for item in found.items],
            concerns=CONCERNS, verdicts=VERDICTS, fit=FIT, csrf=administrator.csrf or "",
            kept=kept, following=kept + "&" + urlencode({"after": found.next or ""}),
            said=SAID.get(given.get("said", ""), ""),
        )  # fmt: skip

    @router.post("/pages/review/{response_id}")
    async def mark_answer(request: Request, response_id: uuid.UUID) -> Response:
        """A reviewer's verdict, or a golden question made of an answer or taken back."""
        administrator = await dashboard.administrator(request)
        form = await read_form(request)
        check_form(administrator, form.get("csrf", ""))
        said = await _act(dashboard, str(response_id), form)
        back = form.get("back", "")
        # Only a query of this page: the address to go to must not be anybody else's.
        query = back if back.startswith("?") and "\n" not in back else "?"
        return RedirectResponse(f"/analytics/pages/review{query}&said={said}#main", 303)

    @router.get("/pages/golden.yaml")
    async def golden_file(request: Request) -> Response:
        """The golden questions that reviewers made, for the book's own file."""
        await dashboard.administrator(request)
        headers = {
            "Content-Disposition": 'attachment; filename="golden.yaml"',
            "Cache-Control": "no-store",
        }
        text = await write_golden(dashboard.database)
        return PlainTextResponse(text, media_type="application/yaml", headers=headers)

    @router.get("/pages/coverage")
    async def coverage(request: Request) -> Response:
        """Sections by their gaps, and what edits did."""
        await dashboard.administrator(request)
        shown = await dashboard.shown(request)
        found = await read_coverage(dashboard.database, shown.period)
        return render(
            "coverage.html", "Coverage", here="/analytics/pages/coverage", query=shown.query,
            period=shown.period, presets=shown.presets, coverage=found,
            links={each.url: book_link(each.url, dashboard.site) for each in found.sections},
        )  # fmt: skip

    return router


SAID = {
    "marked": "The mark is stored.",
    "taken": "The mark is taken back.",
    "golden": "The question is a golden one now.",
    "dropped": "The question is no golden one any more.",
    "unknown": "There is no such answer any more.",
    "unfit": "This mark does not fit: an answer cannot be a refusal, nor a refusal an answer.",
    "section": "Nothing tells which section answers this question; name it in the field.",
}


async def _act(dashboard: Dashboard, response_id: str, form: dict[str, str]) -> str:
    """What was done, as a key of `SAID`. ApiError 422."""
    action, verdict = form.get("action", ""), form.get("verdict", "")
    try:
        if action == "golden":
            await keep_golden(dashboard.database, response_id, form.get("section", "")[:500])
            return "golden"
        if action == "drop":
            await drop_golden(dashboard.database, response_id)
            return "dropped"
        if action == "take-back":
            await mark(dashboard.database, response_id, None)
            return "taken"
        chosen = next((each for each in get_args(Verdict) if each == verdict), None)
        if action != "mark" or chosen is None:
            raise ApiError(422, "invalid_form", "The form does not say what to do.")
        await mark(dashboard.database, response_id, chosen, form.get("note", "")[:LONGEST_NOTE])
    except UnknownAnswer:
        return "unknown"
    except UnfitVerdict:
        return "unfit"
    except NoSection:
        return "section"
    return "marked"


def _concern(given: str) -> Concern | None:
    return next((each for each in get_args(Concern) if each == given), None)


def _linked(item: ReviewItem, site: str) -> ReviewItem:
    places = tuple(replace(place, url=book_link(place.url, site)) for place in item.places)
    return replace(item, places=places)
