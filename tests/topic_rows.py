"""Queries, answers and verdicts put straight into the database, for tests of figures over them."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from psycopg.types.json import Jsonb

from tests.postgres_fixtures import BookDatabase

NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)


def add_query(
    database: BookDatabase,
    question: str,
    session: str,
    *,
    chunk: str = "",
    also_found: str = "",
    cited: str = "",
    confidence: float | None = 0.95,
    refused: str = "",
    rating: str = "",
    asked_at: datetime = NOON,
) -> str:
    """One query as the functions record it, answered from the section `cited`. The id of its
    response."""
    found = [each for each in (chunk, also_found) if each]
    query, response = str(uuid.uuid4()), str(uuid.uuid4())
    database.run(
        "INSERT INTO queries (query_id, asked_at, reader, session_id, mode, question,"
        " retrieved_chunk_ids, similarity_scores) VALUES (%s, %s, %s, %s, 'book-wide', %s, %s, %s)",
        (query, asked_at, session, session, question,
         found, [0.9] * len(found)),
    )  # fmt: skip
    database.run(
        "INSERT INTO responses (response_id, query_id, created_at, status, refusal_reason,"
        " generated_response, confidence, validation_passed, response_latency_ms, cost_usd,"
        " claims, source_references)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, true, 800, 0.0004, %s, %s)",
        (response, query, asked_at, "refused" if refused else "answered", refused or None,
         "" if refused else "An answer of the book.", confidence,
         Jsonb([{"text": "It is so.", "citations": [1]}] if cited else []),
         Jsonb([{"n": 1, "url": cited, "relevance": 1, "quotes": [{"exact": "It is so."}]}]
               if cited else [])),
    )  # fmt: skip
    if rating:
        database.run(
            "INSERT INTO feedback (response_id, session_id, rating) VALUES (%s, %s, %s)",
            (response, session, rating),
        )
    return response


def add_section(
    database: BookDatabase, chunk: str, chapter: str, page: str, section: str, url: str
) -> None:
    """A document with one chunk, as ingest stores it."""
    document = str(uuid.uuid5(uuid.NAMESPACE_URL, chunk))
    path = f"docs/{chunk}.md"
    database.run(
        "INSERT INTO documents (id, source_path, title, content_hash, generation, url)"
        " VALUES (%s, %s, %s, '', 1, %s)",
        (document, path, page, url),
    )
    body = {
        "section": section,
        "titles": [page, section],
        "chapter": {"id": chunk, "number": 1, "title": chapter},
        "place": f"{chapter}, {section}",
        "url": url,
        "source_path": path,
        "text": section,
    }
    database.run(
        "INSERT INTO chunks (id, document_id, generation, ordinal, hash, body)"
        " VALUES (%s, %s, 1, 0, '', %s)",
        (chunk, document, Jsonb(body)),
    )
