"""Response bodies of the query routes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from functions.answer.answers import Citation, Claim, SectionLink
from functions.answer.refusals import RefusalReason
from functions.lifecycle.reply import QueueTicket


class RefusalBody(BaseModel):
    """Why there is no answer, and the sections nearest to the question, the best first."""

    reason: RefusalReason
    closest: list[SectionLink] = []


class NoticeBody(BaseModel):
    """What the reader should know of the answer. `text` is a whole sentence."""

    code: str
    text: str


class Metadata(BaseModel):
    """How the answer came about.

    `blocks_outside` counts the blocks outside a highlighted range that a last check took out: 0,
    unless the service is broken.
    """

    chapter_filtered: bool = False
    chapter_id: str | None = None
    boost_applied: bool = False
    filtered_count: int = 0
    rewritten_question: str | None = None
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
    """Where in the book the selection stands, as the database found it."""

    source_path: str
    lines: tuple[int, int]
    content_version: str


class SelectedResponse(QueryResponse):
    """The same for a selection, with what was read of it.

    `try_mode` is offered after a refusal: ask the same question in that mode. It is never done by
    itself.
    """

    in_selected_text: bool
    try_mode: Literal["book-wide"] | None = None
    sources: list[SelectionSource] = Field(default_factory=list)
    truncation_warning: str | None = None
    verified_source: VerifiedSource | None = None
