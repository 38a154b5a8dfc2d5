"""A reader that a service at `QUOTH_READER_URL` runs: `POST /readings`."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from functions.adapters.openai.client import OpenAIClient, OpenAIFailure
from functions.answer.deadline import Deadline
from functions.answer.reader import Passage, ReaderFailed, Reading
from functions.runtime.settings import Settings

READER_SECONDS = 4.0
"""The longest wait for readings."""


class ReadingBody(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    answerable: float
    margin: float
    masses: tuple[float, ...]
    span: tuple[int, int]


class _Readings(BaseModel):
    data: list[ReadingBody]


class HttpReader:
    """A Reader behind an address."""

    def __init__(self, url: str) -> None:
        self._client = OpenAIClient(url, "")

    async def read(
        self, question: str, passages: Sequence[Passage], deadline: Deadline
    ) -> Sequence[Reading]:
        seconds = deadline.within(READER_SECONDS)
        body = {
            "question": question,
            "passages": [{"text": each.text, "units": each.units} for each in passages],
        }
        try:
            answer = await self._client.post("/readings", body, seconds)
            rows = _Readings.model_validate(answer).data
        except (OpenAIFailure, ValidationError) as failure:
            raise ReaderFailed(str(failure)) from failure
        if [len(row.masses) for row in rows] != [len(each.units) for each in passages]:
            raise ReaderFailed("the readings are not those of the passages")
        return [Reading(row.answerable, row.margin, row.masses, row.span) for row in rows]

    async def close(self) -> None:
        await self._client.close()


def reader_of(settings: Settings) -> HttpReader | None:
    """The reader of the settings; None without an address."""
    return HttpReader(settings.reader_url) if settings.reader_url else None
