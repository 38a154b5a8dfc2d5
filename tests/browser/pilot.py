"""A pilot of four weeks: a thousand queries of a class over the sample book, put straight into the
database, and the dashboard over it."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from functions.adapters.postgres.database import Database
from functions.adapters.postgres.topic_records import TopicRecords
from functions.analytics.auth.access import OneTimeLink
from functions.analytics.topics.group import embeddings_of, refresh_topics
from functions.runtime.settings import Settings
from quoth.calibrate.local_index import chunks_of_book
from quoth.embeddings.app import create_app as create_embeddings
from quoth.embeddings.minilm import DIMENSIONS, NAME
from quoth.golden.questions import GoldenQuestion, read_golden
from quoth.local_server import served
from tests.analytics_app import served_analytics
from tests.postgres_fixtures import BookDatabase

BOOK = Path(__file__).parents[2] / "examples" / "book"
QUERIES = 1000
DAYS = 28
ATTACK = "<img src=x onerror=alert(1)>"
FORMULA = '=HYPERLINK("http://evil.example","win")'


@dataclass(frozen=True)
class Pilot:
    """The running dashboard. `link` is the path of the one-time link; `queries` how many rows."""

    url: str
    database: BookDatabase
    links: list[OneTimeLink] = field(default_factory=list)

    @property
    def way_in(self) -> str:
        return self.url + self.links[0].path


@contextmanager
def running_pilot(database: BookDatabase, queries: int = QUERIES) -> Iterator[Pilot]:
    """The dashboard over a database with so many queries."""
    if queries:
        fill(database, queries)
    with served(create_embeddings()) as embeddings:
        settings = Settings(
            database_url=database.dsn("quoth_analytics"),
            database_pool_size=2,
            embeddings_base_url=f"{embeddings}/v1",
            embedding_model=NAME,
            embedding_dimensions=DIMENSIONS,
        )
        with ThreadPoolExecutor(1) as aside:  # a thread of its own: it makes an event loop
            aside.submit(asyncio.run, _group(settings)).result()
        link = OneTimeLink()
        with served_analytics(settings, link) as url:
            yield Pilot(url, database, [link])


async def _group(settings: Settings) -> None:
    """What the schedule does, with time enough on a busy machine."""
    database = Database(settings.database_url)
    embeddings = embeddings_of(settings)
    assert embeddings is not None
    await refresh_topics(TopicRecords(database, NAME), embeddings, 300)
    await embeddings.close()
    await database.close()


def fill(database: BookDatabase, queries: int) -> None:
    """Golden questions, some much more often than others, asked over four weeks by thirty students,
    and what a reader may try against the page."""
    golden = [q for q in read_golden(BOOK / "golden.yaml") if q.wanted != "overview"]
    chunks = chunks_of_book(BOOK)
    by_page: dict[str, list[Any]] = {}
    for each in chunks:
        by_page.setdefault(each.chunk.source_path.removeprefix("docs/"), []).append(each.chunk)
    chance = random.Random(4)
    weights = [chance.paretovariate(1.1) for _ in golden]
    now = datetime.now(UTC).replace(microsecond=0)
    with psycopg.connect(database.dsn(), autocommit=False) as connection:
        documents: dict[str, str] = {}
        for each in chunks:
            chunk = each.chunk
            if chunk.source_path not in documents:
                documents[chunk.source_path] = chunk.document_id
                connection.execute(
                    "INSERT INTO documents (id, source_path, title, content_hash, generation, url,"
                    " updated_at) VALUES (%s, %s, %s, '', 1, %s, %s)",
                    (chunk.document_id, chunk.source_path, chunk.titles[0], chunk.url,
                     now - timedelta(days=12)),
                )  # fmt: skip
            connection.execute(
                "INSERT INTO chunks (id, document_id, generation, ordinal, hash, body)"
                " VALUES (%s, %s, 1, %s, %s, %s)",
                (chunk.chunk_id, chunk.document_id, chunk.ordinal, chunk.hash,
                 Jsonb(chunk.to_payload())),
            )  # fmt: skip
        asked: Sequence[GoldenQuestion] = chance.choices(golden, weights, k=queries)
        for at, question in enumerate(asked):
            _record(connection, question, at, queries, now, chance, by_page)
        connection.commit()


def _record(
    connection: psycopg.Connection[Any], golden: GoldenQuestion, at: int, of: int, now: datetime,
    chance: random.Random, by_page: dict[str, list[Any]],
) -> None:  # fmt: skip
    student = f"student-{chance.randrange(30)}"
    moment = now - timedelta(days=DAYS - 0.2) * (of - at - 1) / of
    refused = golden.wanted == "refusal" or chance.random() < 0.05
    question = golden.question
    if at == of - 1:
        question, refused = ATTACK, True
    if at == of - 2:
        question, refused = FORMULA, True
    page = golden.sections[0].split("#")[0] if golden.sections else ""
    chunk = next(iter(by_page.get(page, ())), None)
    confidence = chance.uniform(0.1, 0.6) if refused else chance.betavariate(14, 1.5)
    query, response = str(uuid.uuid4()), str(uuid.uuid4())
    connection.execute(
        "INSERT INTO queries (query_id, asked_at, reader, session_id, mode, question,"
        " retrieved_chunk_ids, similarity_scores)"
        " VALUES (%s, %s, %s, %s, 'book-wide', %s, %s, %s)",
        (query, moment, student, f"{student}-{moment:%j}", question,
         [chunk.chunk_id] if chunk else [], [confidence] if chunk else []),
    )  # fmt: skip
    connection.execute(
        "INSERT INTO responses (response_id, query_id, created_at, status, refusal_reason,"
        " generated_response, confidence, validation_passed, response_latency_ms, cost_usd,"
        " source_references, claims) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (response, query, moment, "refused" if refused else "answered",
         "out_of_scope" if refused else None,
         "" if refused else "The book says so. [1]", confidence, None if refused else True,
         chance.lognormvariate(7.4, 0.4), 0.0004,
         Jsonb([] if refused or not chunk else [
             {"n": 1, "label": chunk.place, "url": chunk.url, "quote": {"exact": chunk.text[:80]}}
         ]),
         Jsonb([] if refused else [
             {"text": "The book says so.", "citations": [1],
              "verification": chance.choices(("verbatim", "close", "paraphrase"), (8, 3, 1))[0]}
         ])),
    )  # fmt: skip
    if chance.random() < 0.3:
        rating = "helpful" if chance.random() < (0.3 if refused else 0.92) else "not_helpful"
        connection.execute(
            "INSERT INTO feedback (response_id, session_id, rating, comment, created_at)"
            " VALUES (%s, %s, %s, %s, %s)",
            (response, student, rating, ATTACK if at % 50 == 0 else None, moment),
        )
