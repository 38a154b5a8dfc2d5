"""Request fields and validators shared by the query routes."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from functions.book.fold import long_runs_of_marks

_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


MAX_SELECTION = 60_000
"""Characters of a selection or a highlight: 5,000 words of twelve characters."""
_MOST_MARKS = 30


def clean(text: str) -> str:
    """Text without control characters and lone surrogates, which cannot be stored, and without
    combining marks beyond what any language has, which take quadratic time to put in order."""
    text = _CONTROLS.sub("", _SURROGATES.sub("\ufffd", text))
    for start, end in reversed([*long_runs_of_marks(text, _MOST_MARKS)]):
        text = text[: start + _MOST_MARKS] + text[end:]
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def _cleaned(value: object) -> object:
    return clean(value) if isinstance(value, str) else value


Clean = BeforeValidator(_cleaned)
"""Cleans a field before validation: pydantic rejects lone surrogates."""
not_blank = AfterValidator(_not_blank)


def at_most(longest: int) -> BeforeValidator:
    """Rejects text that is too long before it is cleaned. Put it last in `Annotated`: the last
    BeforeValidator runs first."""

    def check(value: object) -> object:
        if isinstance(value, str) and len(value) > longest:
            raise ValueError(f"must have at most {longest} characters")
        return value

    return BeforeValidator(check)


QuestionText = Annotated[
    str, StringConstraints(min_length=1, max_length=1000), Clean, at_most(1000),
    not_blank,
]  # fmt: skip
ShortText = Annotated[str, StringConstraints(max_length=300), Clean, at_most(300)]
SessionId = Annotated[
    str, StringConstraints(min_length=1, max_length=100), Clean, at_most(100),
    not_blank,
]  # fmt: skip


class PageBody(BaseModel):
    """The page the reader is on, by its source path or its permalink."""

    model_config = ConfigDict(extra="ignore")

    source_path: ShortText = ""
    permalink: ShortText = ""
    version: ShortText = ""
    locale: ShortText = ""

    def as_record(self) -> dict[str, Any]:
        return {name: value for name, value in self.model_dump().items() if value}


class QuestionBody(BaseModel):
    """The fields of both query routes. `query` is an alias of `question`."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    question: QuestionText = Field(validation_alias=AliasChoices("question", "query"))
    session_id: SessionId
    user_id: ShortText | None = None
    mode: str | None = None
    ticket: ShortText | None = None
    fresh: bool = False
