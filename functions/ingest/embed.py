"""Vectors for passages: kept ones where the text is known, computed ones where it is new."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.book_records import BookRecords
from functions.ingest.prepare import passage_hash

TEXTS_AT_ONCE = 256
"""Vectors are kept after so many, so that an interrupted document is not paid for twice."""

DATABASE_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """Vectors by the hash of their passage, and how many passages were computed or known."""

    by_hash: dict[str, list[float]]
    embedded: int
    reused: int


async def embed_passages(
    passages: Iterable[str],
    records: BookRecords,
    embeddings: Embeddings,
    kept_as: str,
    seconds: float,
) -> PassageVectors:
    """The vectors of all passages; only text that no document ever had is embedded.

    `kept_as` names the model and its dimensions; `seconds` bounds each call of the service.
    """
    texts: dict[str, str] = {}
    count = 0
    for passage in passages:
        texts[passage_hash(passage)] = passage
        count += 1
    vectors = await records.known_vectors(kept_as, list(texts), seconds=DATABASE_SECONDS)
    missing = [each for each in texts if each not in vectors]
    for at in range(0, len(missing), TEXTS_AT_ONCE):
        hashes = missing[at : at + TEXTS_AT_ONCE]
        rows = await embeddings.embed([texts[each] for each in hashes], seconds)
        fresh = dict(zip(hashes, rows, strict=True))
        await records.store_vectors(kept_as, fresh, seconds=DATABASE_SECONDS)
        vectors.update(fresh)
    return PassageVectors(vectors, embedded=len(missing), reused=count - len(missing))
