"""What `POST /query` takes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from functions.web.requests import Asked, Clean, PageBody, ShortText

SelectionText = Annotated[str, StringConstraints(max_length=100_000), Clean]


class ChapterContext(BaseModel):
    """The chapter the reader is in, as the widget found it. It ranks, it never filters."""

    model_config = ConfigDict(extra="ignore")

    chapter_id: ShortText = ""
    chapter_title: ShortText = ""
    confidence: ShortText = ""
    source: ShortText = ""


class QueryRequest(Asked):
    """A question to the whole book."""

    mode: Literal["book-wide"] | None = None
    page: PageBody | None = None
    chapter_context: ChapterContext | None = None
    selected_text: SelectionText | None = None
    highlight: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _no_highlight(self) -> QueryRequest:
        # Ignoring it would answer from blocks that the reader shut out.
        if self.highlight is not None:
            raise ValueError("highlight: this service answers from the whole book only")
        return self
