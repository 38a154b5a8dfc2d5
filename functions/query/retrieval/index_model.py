"""Guards semantic search: embeddings from different models are not comparable."""

from __future__ import annotations

from dataclasses import dataclass

from functions.adapters.postgres.admission import Begun
from functions.answer.deadline import Deadline
from functions.runtime.logs import logger
from functions.runtime.settings import Settings


@dataclass
class IndexModel:
    """The embedding model that the index was built with; each query updates it by `observe`.

    The index rejects vectors of another size. Those of another model of the same size would give
    arbitrary results.
    """

    settings: Settings
    fits: bool = True

    def observe(self, begun: Begun) -> bool:
        """Whether the index can be searched with this function's embeddings; else it is logged."""
        if not begun.embedding_model:
            return self.fits  # the database is away, or nothing is indexed yet
        built = (begun.embedding_model, begun.dimensions)
        mine = (self.settings.embedding_model, self.settings.embedding_dimensions)
        self.fits = built == mine
        if not self.fits:
            logger().error("index unusable", error="IndexMismatch", detail=_remedy(*built, *mine))
        return self.fits


async def not_embedded(question: str, deadline: Deadline) -> None:
    """Instead of embedding, where no vector could be compared."""


def _remedy(built: str, size: int, mine: str, my_size: int) -> str:
    return (
        f"the book was indexed with {built} ({size} dimensions), the settings name {mine} "
        f"({my_size}): set QUOTH_EMBEDDING_MODEL and QUOTH_EMBEDDING_DIMENSIONS back, or index the "
        "book again with `quoth rebuild`; until then it is searched by words"
    )
