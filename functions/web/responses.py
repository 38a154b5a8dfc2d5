"""The response of both query routes, as the API promises it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from functions.answer.refusals import RefusalReason


class QuoteBody(BaseModel):
    """Words of the page with what stands beside them, to find them again."""

    exact: str
    prefix: str = ""
    suffix: str = ""


class CitationBody(BaseModel):
    """Where claims come from. `quote` is the first of `quotes`; lines count from 1."""

    n: int
    kind: Literal["book", "selection"]
    label: str
    chapter: str
    section: str
    subsection: str
    paragraph_id: str
    url: str
    quote: QuoteBody
    quotes: list[QuoteBody]
    source_path: str
    lines: tuple[int, int]
    relevance: float
    updated_at: str


class ClaimBody(BaseModel):
    """A sentence of the answer. `citations` are the `n` of those it rests on."""

    text: str
    citations: list[int]
    verification: Literal["verbatim", "supported"]


class SectionLink(BaseModel):
    """A section of the book, to be looked at."""

    title: str
    url: str


class RefusalBody(BaseModel):
    """Why there is no answer, and the sections nearest to the question, the best first."""

    reason: RefusalReason
    closest: list[SectionLink] = []


class NoticeBody(BaseModel):
    """What the reader should know of the answer. `text` is a whole sentence."""

    code: str
    text: str


class TicketBody(BaseModel):
    """A place in the queue. `eta_s` is in seconds, `poll_after_ms` in milliseconds."""

    id: str
    position: int
    eta_s: float
    poll_after_ms: int


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
    claims: list[ClaimBody] = []
    citations: list[CitationBody] = []
    refusal: RefusalBody | None = None
    related: list[SectionLink] = []
    clarify: list[str] = []
    notices: list[NoticeBody] = []
    ticket: TicketBody | None = None
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


Json = dict[str, Any]
