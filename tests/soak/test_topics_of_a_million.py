"""A million questions of a year are counted by section and grouped; seconds are told, by the
clock and of the two processes' processors, of a first look and of one at what is kept."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import psycopg
import pytest

from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.topic_records import MOST_QUESTIONS, TopicRecords
from functions.analytics.metrics.period import Period
from functions.analytics.topics.group import refresh_topics
from functions.analytics.topics.outcomes import read_topic, read_topics
from tests.postgres_fixtures import BookDatabase
from tests.soak.million_rows import processor_seconds
from tests.soak.test_million_rows import CACHED_S, COLD_S

pytestmark = pytest.mark.soak

ROWS = 1_000_000
DISTINCT = 60_000
DIMENSIONS = 1536
MODEL = "made-up"
MOST_SECONDS = 10.0
"""Of processors: what a quiet machine's clock would show."""
FILL = f"""
INSERT INTO documents (id, source_path, title, content_hash, generation, url)
VALUES (md5('')::uuid, 'docs/page.md', 'Page', '', 1, '/page');
INSERT INTO chunks (id, document_id, generation, ordinal, hash, body)
SELECT 'chunk ' || n, md5('')::uuid, 1, n, 'h', jsonb_build_object(
    'url', '/page#' || n / 2, 'titles', jsonb_build_array('Page', 'Section ' || n / 2),
    'chapter', jsonb_build_object('number', n / 400, 'title', 'Chapter ' || n / 400),
    'place', 'Section ' || n / 2, 'source_path', 'docs/page.md', 'text', repeat('word ', 300))
FROM generate_series(0, 3999) AS n;
INSERT INTO queries (query_id, asked_at, reader, session_id, mode, question)
SELECT md5(n::text)::uuid, now() - n * interval '7 seconds', 'r' || n % 900, 's' || n % 90000,
    'book-wide', 'question ' || floor({DISTINCT} * power(random(), 3))::int
FROM generate_series(1, {ROWS}) AS n;
INSERT INTO responses (response_id, query_id, created_at, status, confidence)
SELECT query_id, query_id, asked_at, CASE WHEN random() < 0.2 THEN 'refused' ELSE 'answered' END,
    random() FROM queries;
INSERT INTO answer_facts (response_id, query_id, asked_at, changed_at, reader, session, confidence,
    claims, verbatim, close, paraphrase, repeated, cached, limited, chapter_sent, mode, status,
    cost_usd, refusal_reason, chunk_id, question_key)
SELECT query_id, query_id, asked_at, asked_at, hashtextextended(reader, 0),
    hashtextextended(session_id, 0), confidence, 1, 1, 0, 0, false, false, false, false, mode,
    status, 0, CASE WHEN status = 'refused' THEN 'out_of_scope' END,
    'chunk ' || floor(random() * 4000)::int,
    CASE WHEN status = 'refused' THEN md5(question)::uuid END
FROM queries JOIN responses USING (query_id);
"""


async def test_a_million_questions_are_grouped_and_shown(
    fresh_database: BookDatabase,
    connect: Callable[..., Database],
) -> None:
    with psycopg.connect(fresh_database.dsn(), autocommit=True) as connection:
        alone = f'ALTER DATABASE "{fresh_database.name}" SET max_parallel_workers_per_gather = 0'
        connection.execute(alone.encode())
        connection.execute("SET session_replication_role = replica")  # no triggers, no checks
        connection.execute(FILL.encode())
        connection.execute("VACUUM ANALYZE queries, responses, answer_facts")
        texts = [str(row[0]) for row in connection.execute("SELECT DISTINCT question FROM queries")]
        random = np.random.default_rng(1)
        middles = random.normal(size=(60, DIMENSIONS))
        with connection.cursor().copy(
            "COPY question_vectors (model, hash, dimensions, vector) FROM STDIN (FORMAT BINARY)"
        ) as copy:
            copy.set_types(["text", "bytea", "int4", "bytea"])
            for at, text in enumerate(texts):
                spread = middles[at % 60] + random.normal(scale=0.5, size=DIMENSIONS)
                vector = np.clip(spread * 30, -127, 127).astype(np.int8).tobytes()
                copy.write_row((MODEL, hashlib.sha256(text.encode()).digest(), DIMENSIONS, vector))
    database = connect(fresh_database.dsn("quoth_analytics"))
    records = TopicRecords(database, MODEL)
    away = Embeddings("http://127.0.0.1:9/v1", "key", MODEL, DIMENSIONS)
    seconds: dict[str, tuple[float, float]] = {}
    (row,) = await database.call("SELECT pg_backend_pid() AS pid", (), seconds=5)
    pid = row["pid"]

    async def timed(name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        started, used = time.perf_counter(), time.process_time() + processor_seconds(pid)
        result = await work()
        seconds[name] = (
            round(time.perf_counter() - started, 2),
            round(time.process_time() + processor_seconds(pid) - used, 2),
        )
        return result

    done = await timed("first grouping", lambda: refresh_topics(records, away, 1))
    await timed("grouping again", lambda: refresh_topics(records, away, 1))
    today = datetime.now(UTC).date() + timedelta(days=1)
    year = Period(today - timedelta(days=365), today)
    month = Period(today - timedelta(days=28), today)
    for name, period in (("four weeks", month), ("a year", year)):
        told = await timed(f"topics of {name}", lambda period=period: read_topics(database, period))
        again = await timed(f"{name}, kept", lambda period=period: read_topics(database, period))
        assert again == told
    detail = await timed(
        "one topic of a year", lambda: read_topic(database, year, told.topics[0].topic_id)
    )
    told_by = f"load {os.getloadavg()[0]:.1f}, (clock, processor) in s"
    sys.stdout.write(f"\n{ROWS:,} rows, {done.questions:,} distinct, {told_by}: {seconds}\n")
    assert done.grouped == MOST_QUESTIONS
    assert max(used for name, (_, used) in seconds.items() if "kept" in name) < CACHED_S, seconds
    assert max(used for name, (_, used) in seconds.items() if "topic" in name) < COLD_S, seconds
    assert max(used for _, used in seconds.values()) < MOST_SECONDS, seconds
    assert told.queries == ROWS
    assert sum(use.queries for use in told.topics) + told.rare == ROWS
    assert len(told.sections) == 2_000
    assert 0 < len(told.missing) <= 4_000
    assert detail is not None
    assert detail.samples
    await away.close()
