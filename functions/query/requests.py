"""The request body of `POST /query`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from functions.query.retrieval.chapter_boost import (
    ReaderPosition,
    log_ignored,
    names_of_chapter,
    terms_of_selection,
)
from functions.query.retrieval.highlight_range import BlockRange
from functions.runtime.privacy.personal_data import has_personal_data
from functions.web.fields import (
    MAX_SELECTION,
    Clean,
    PageBody,
    QuestionBody,
    ShortText,
    at_most,
    not_blank,
)

SelectionText = Annotated[
    str, StringConstraints(max_length=MAX_SELECTION), Clean, at_most(MAX_SELECTION)
]
BlockNumber = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
"""Blocks are counted within a document, headings included, from 0."""


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int | float) else value


LooseText = Annotated[ShortText, BeforeValidator(_as_text)]


class ChapterContext(BaseModel):
    """The chapter the reader is in, as the widget detected it. It affects ranking only."""

    model_config = ConfigDict(extra="ignore")

    chapter_id: LooseText = ""
    chapter_title: LooseText = ""
    confidence: LooseText = ""
    source: LooseText = ""

    def as_logged(self) -> tuple[str, str, str, str]:
        return self.chapter_id, self.chapter_title, self.confidence, self.source


class HighlightBody(BaseModel):
    """A highlighted range of one page: its text, and its first and last block, both included.

    Only these blocks may be answered from. An empty version or locale matches any. Without block
    numbers the blocks are those that contain `text`, after `prefix` if it occurs more than once,
    with `around` more blocks on each side.
    """

    model_config = ConfigDict(extra="ignore")

    text: Annotated[SelectionText, not_blank]
    source_path: Annotated[ShortText, not_blank]
    version: ShortText = ""
    locale: ShortText = ""
    start_block: BlockNumber | None = None
    end_block: BlockNumber | None = None
    prefix: ShortText = ""
    around: Annotated[int, Field(strict=True, ge=0, le=5)] = 0

    @model_validator(mode="after")
    def _in_order(self) -> HighlightBody:
        if (self.start_block is None) != (self.end_block is None):
            raise ValueError("start_block and end_block go together")
        if (self.start_block or 0) > (self.end_block or 0):
            raise ValueError("start_block must not be after end_block")
        return self

    def as_range(self) -> BlockRange:
        """The range. Raises ValueError without block numbers: `locate_highlight` adds them."""
        if self.start_block is None or self.end_block is None:
            raise ValueError("the highlight's blocks are not known")
        return BlockRange(
            self.source_path, self.start_block, self.end_block, self.version, self.locale
        )


class QueryRequest(QuestionBody):
    """A question to the whole book, or with `highlight` to a range of one page."""

    mode: Literal["book-wide", "highlight"] | None = None
    page: PageBody | None = None
    chapter_context: ChapterContext | None = None
    selected_text: SelectionText | None = None
    highlight: HighlightBody | None = None

    @field_validator("chapter_context", mode="wrap")
    @classmethod
    def _or_none(cls, value: object, read: ValidatorFunctionWrapHandler) -> ChapterContext | None:
        """Ignore an invalid value: the chapter only affects ranking."""
        try:
            context: ChapterContext | None = read(value)
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, e['loc']))}: {e['type']}" for e in error.errors()]
            log_ignored(problems)
            return None
        return context

    @model_validator(mode="after")
    def _mode_fits(self) -> QueryRequest:
        if self.mode == "highlight" and self.highlight is None:
            raise ValueError("highlight: the mode highlight needs it")
        if self.mode == "book-wide" and self.highlight is not None:
            raise ValueError("highlight: the mode book-wide does not take it")
        return self

    @property
    def block_range(self) -> BlockRange | None:
        return self.highlight.as_range() if self.highlight else None

    @property
    def position(self) -> ReaderPosition:
        """What ranks: where the reader is in the book, and what is selected there."""
        chapter = self.chapter_context
        return ReaderPosition(
            names_of_chapter(chapter.chapter_id, chapter.chapter_title) if chapter else None,
            terms_of_selection(self.selected_text) if self.selected_text else frozenset(),
        )

    def highlight_key(self) -> str:
        """A digest of the highlighted blocks, which distinguish questions with the same words."""
        return _digest(astuple(self.block_range)) if self.block_range else ""

    def search_key(self) -> str:
        """A digest of all filters and ranking inputs of the search."""
        if self.block_range:
            return self.highlight_key()
        page, chapter = self.page or PageBody(), self.chapter_context or ChapterContext()
        named = (page.version, page.locale, chapter.chapter_id, chapter.chapter_title)
        return _digest((*named, self.selected_text or ""))

    @property
    def holds_personal_data(self) -> bool:
        """Whether the search input holds personal data."""
        return any(map(has_personal_data, (self.question, self.selected_text or "")))

    @property
    def answered_mode(self) -> Literal["book-wide", "highlight"]:
        """The mode of the answer: `highlight` exactly if the request has a highlight."""
        return "highlight" if self.highlight is not None else "book-wide"


def _digest(parts: Sequence[str | int]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
