"""Where a selection stands in the book, and what is done about text that does not stand there."""

from __future__ import annotations

from dataclasses import dataclass

from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.adapters.postgres.query_records import QueryRecords, VerifiedSource
from functions.answer.answers import Answer
from functions.answer.gate.confidence import Signals
from functions.answer.refusals import REFUSALS, RefusalReason
from functions.runtime.logs import logger
from functions.selected.requests import SelectedRequest

VERIFY_SECONDS = 3.0
NO_SIGNALS = Signals(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the selection stands; None when it was not found or nobody said where to look.

    `refusal` is why nothing may be answered from it.
    """

    place: VerifiedSource | None = None
    refusal: RefusalReason | None = None

    def refused(self) -> Answer | None:
        """The refusal as an answer; None when the selection may be answered from."""
        if self.refusal is None:
            return None
        return Answer("refused", REFUSALS[self.refusal], 0.0, NO_SIGNALS, refusal=self.refusal)


async def verify_source(records: QueryRecords, asked: SelectedRequest, *, required: bool) -> Source:
    """Look a selection up in the book.

    With `required` the whole book is looked through when the named page does not hold it, or none
    was named, and text that is not the book's is refused. So is all text while the database cannot
    tell: what must be proven is not taken on trust while the proof is away.
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
