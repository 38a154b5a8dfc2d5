"""The request body of `POST /query-selected-text`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from functions.web.fields import MAX_SELECTION, Clean, PageBody, QuestionBody, at_most

SelectedText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=MAX_SELECTION),
    Clean,
    at_most(MAX_SELECTION),
]


class SelectedRequest(QuestionBody):
    """A question to the reader's selection, and nothing else."""

    mode: Literal["selected-text"] | None = None
    selected_text: SelectedText
    source: PageBody | None = None

    @property
    def answered_mode(self) -> Literal["selected-text"]:
        return "selected-text"
