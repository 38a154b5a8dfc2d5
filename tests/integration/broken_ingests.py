"""Ingests with a mistake that a history must bring to light."""

from __future__ import annotations

from typing import Any

from functions.ingest.ingest_document import Ingest


class Otherwise:
    """A part of which one method does something else."""

    def __init__(self, part: Any, **methods: Any) -> None:
        self._part = part
        self.__dict__.update(methods)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


def removes_first(ingest: Ingest) -> Ingest:
    whole: Any = ingest.index

    async def add(points: Any) -> None:
        for document_id in {point.document_id for point in points}:
            await whole.remove(document_id)
        await whole.add(points)

    ingest.index = Otherwise(whole, add=add)  # type: ignore[assignment]
    return ingest


def keeps_what_was_deleted(ingest: Ingest) -> Ingest:
    async def remove(document_id: str) -> None:
        pass

    ingest.index = Otherwise(ingest.index, remove=remove)  # type: ignore[assignment]
    return ingest
