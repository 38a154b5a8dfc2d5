"""The pages for reviewers: the review list, and the coverage of the book."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
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
from functions.analytics.metrics.coverage import read_coverage
from functions.analytics.metrics.reviews import NoSection, keep_golden, mark, write_golden
from functions.analytics.pages.dashboard import Dashboard, View, book_link, page_router
from functions.web.errors import ApiError

AT_ONCE = 1
"""Answers on a page: one is judged after the other."""
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
"""The verdicts that fit a refusal, and those that fit an answer."""


def review_routes(dashboard: Dashboard) -> APIRouter:
    """The review list with its forms, and the coverage of sections."""
    router = page_router()
    viewed, posted = Depends(dashboard.view), Depends(dashboard.form)

    @router.get("/pages/review")
    async def review(request: Request, view: View = viewed) -> Response:
        """One answer of the review list, the newest first."""
        given = request.query_params
        concern, state = given.get("concern", ""), given.get("state", "open")
        wanted = Wanted(
            concern=_one_of(Concern, concern),
            reviewed={"open": False, "done": True}.get(state),
            after=given.get("after") or None,
            most=AT_ONCE,
        )
        try:
            found = await read_review_list(dashboard.database, view.period, wanted)
        except ValueError as error:
            raise ApiError(422, "invalid_page", "This page of the list is not known.") from error
        kept = view.query + "&" + urlencode({"concern": concern, "state": state})
        return view.render(
            "review.html", "Review", page=found, concern=concern, state=state,
            items=[_linked(item, dashboard.site) for item in found.items],
            concerns=CONCERNS, verdicts=VERDICTS, fit=FIT,
            kept=kept, following=kept + "&" + urlencode({"after": found.next or ""}),
            said=SAID.get(given.get("said", ""), ""),
        )  # fmt: skip

    @router.post("/pages/review/{response_id}")
    async def mark_answer(response_id: uuid.UUID, form: dict[str, str] = posted) -> Response:
        """Store or remove a reviewer's verdict or a golden question."""
        said = await _act(dashboard, str(response_id), form)
        back = form.get("back", "")
        # Only a query of this page: a form must not redirect anywhere else.
        query = back if back.startswith("?") and "\n" not in back else "?"
        return RedirectResponse(f"/analytics/pages/review{query}&said={said}#answer", 303)

    @router.get("/pages/golden.yaml", dependencies=[Depends(dashboard.guard)])
    async def golden_file() -> Response:
        """The golden questions made by reviewers, for the book's own file."""
        headers = {
            "Content-Disposition": 'attachment; filename="golden.yaml"',
            "Cache-Control": "no-store",
        }
        text = await write_golden(dashboard.database)
        return PlainTextResponse(text, media_type="application/yaml", headers=headers)

    @router.get("/pages/coverage")
    async def coverage(view: View = viewed) -> Response:
        """Sections with their gaps, and the effect of edits."""
        found = await read_coverage(dashboard.database, view.period)
        return view.render(
            "coverage.html", "Coverage", coverage=found,
            links={each.url: book_link(each.url, dashboard.site) for each in found.sections},
        )  # fmt: skip

    return router


SAID = {
    "marked": "The verdict is stored.",
    "taken": "The verdict is removed.",
    "golden": "The question is now a golden question.",
    "dropped": "The question is no longer a golden question.",
    "unknown": "There is no such answer any more.",
    "unfit": "This verdict does not fit: an answer cannot be a refusal, nor a refusal an answer.",
    "section": "Nothing tells which section answers this question; name it in the field.",
}


async def _act(dashboard: Dashboard, response_id: str, form: dict[str, str]) -> str:
    """The outcome, as a key of `SAID`. ApiError 422."""
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
        chosen = _one_of(Verdict, verdict)
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


def _one_of(choices: Any, given: str) -> Any:
    """The choice of a Literal that was given, or None."""
    return given if given in get_args(choices) else None


def _linked(item: ReviewItem, site: str) -> ReviewItem:
    places = tuple(replace(place, url=book_link(place.url, site)) for place in item.places)
    return replace(item, places=places)
