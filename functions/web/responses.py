"""Response bodies of the query routes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from functions.answer.answers import Citation, Claim, SectionLink
from functions.answer.refusals import RefusalReason
from functions.lifecycle.reply import QueueTicket


class RefusalBody(BaseModel):
    """Why there is no answer, and the sections closest to the question, best first."""

    reason: RefusalReason
    closest: list[SectionLink] = []


class NoticeBody(BaseModel):
    """A notice about the answer for the reader. `text` is a full sentence."""

    code: str
    text: str


class Metadata(BaseModel):
    """How the answer was made.

    `about` is the earlier subject that a follow-up question was read with, and
    `rewritten_question` the question as it was understood. `blocks_outside` counts the blocks
    outside a highlighted range that a final check removed. Any number but 0 means a defect.
    """

    chapter_filtered: bool = False
    chapter_id: str | None = None
    boost_applied: bool = False
    filtered_count: int = 0
    rewritten_question: str | None = None
    about: str | None = None
    content_version: str = ""
    model: str = ""
    prompt_version: str = ""
    confidence: float = 0.0
    limited_mode: bool = False
    blocks_outside: int = 0
    timings_ms: dict[str, float] = {}


class QueryResponse(BaseModel):
    """An answer with its citations, or a refusal with the closest sections, or a ticket."""

    query_id: str
    response_id: str
    status: Literal["answered", "partial", "refused", "queued", "deferred", "full"]
    mode: Literal["book-wide", "highlight", "selected-text"]
    response: str
    claims: list[Claim] = []
    citations: list[Citation] = []
    refusal: RefusalBody | None = None
    related: list[SectionLink] = []
    clarify: list[str] = []
    notices: list[NoticeBody] = []
    ticket: QueueTicket | None = None
    metadata: Metadata = Metadata()
    session_id: str


class SelectionSource(BaseModel):
    type: Literal["selected_text"] = "selected_text"
    excerpt: str


class VerifiedSource(BaseModel):
    """The position of the selection in the book."""

    source_path: str
    lines: tuple[int, int]
    content_version: str


class SelectedResponse(QueryResponse):
    """The response for a selection, with the part of it that was read.

    `try_mode` is offered after a refusal: the same question can be asked in that mode. The server
    never switches modes.
    """

    in_selected_text: bool
    try_mode: Literal["book-wide"] | None = None
    sources: list[SelectionSource] = Field(default_factory=list)
    truncation_warning: str | None = None
    verified_source: VerifiedSource | None = None
