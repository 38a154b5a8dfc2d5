"""Verifies that a selection is text of the book, and refuses other text where that is required."""

from __future__ import annotations

from dataclasses import dataclass

from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.query_records import QueryRecords, VerifiedSource
from functions.answer.answers import Answer
from functions.answer.gate.calibration import Signals
from functions.answer.refusals import REFUSALS, RefusalReason
from functions.runtime.logs import logger
from functions.selected.requests import SelectedRequest

VERIFY_SECONDS = 2.5
NO_SIGNALS = Signals(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Source:
    """The result of verifying a selection.

    `place` is its position in the book: None if it was not found, or no page was given and none is
    required. `refusal` is why it may not be answered from.
    """

    place: VerifiedSource | None = None
    refusal: RefusalReason | None = None

    def refused(self) -> Answer | None:
        """The refusal as an answer; None if the selection may be answered from."""
        if self.refusal is None:
            return None
        return Answer("refused", REFUSALS[self.refusal], 0.0, NO_SIGNALS, refusal=self.refusal)


async def verify_source(records: QueryRecords, asked: SelectedRequest, *, required: bool) -> Source:
    """Look a selection up in the book.

    If `required`, the whole book is searched when the named page does not hold the selection or no
    page is named. Text that is not in the book is refused, and so is any text while the database is
    unavailable.
    """
    page = asked.source.as_record() if asked.source else {}
    if not page and not required:
        return Source()
    named: dict[str, str] = {
        name: page[name] for name in ("source_path", "permalink") if name in page
    }
    version = page.get("version")
    try:
        places = await records.verify_selection(
            named or None, version, asked.selected_text, seconds=VERIFY_SECONDS
        )
        if required and page and not places:
            places = await records.verify_selection(
                None, None, asked.selected_text, seconds=VERIFY_SECONDS
            )
    except (DatabaseUnavailable, DatabaseRejected) as error:
        logger().error("source not verified", error=type(error).__name__, detail=str(error))
        return Source(refusal="unavailable" if required else None)
    if places:
        return Source(places[0])
    return Source(refusal="not_in_book" if required else None)
