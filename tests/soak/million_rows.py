"""A million recorded queries of 85 days, made by the database itself, triggers and all, and a book
of which half the pages were edited."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg

from tests.postgres_fixtures import BookDatabase

BOOK = """
    INSERT INTO documents (id, source_path, title, url, content_hash, generation, updated_at)
    SELECT md5(d::text)::uuid, 'docs/' || d || '.md', 'Page ' || d, '/' || d, 'h', 1 + d % 2,
        now() - (5 + d) * interval '1 day'
    FROM generate_series(0, 19) AS d;
    INSERT INTO chunks (id, document_id, generation, ordinal, hash, body)
    SELECT md5(n::text), md5((n % 20)::text)::uuid, 1, n, 'h',
        jsonb_build_object('source_path', 'docs/' || n % 20 || '.md', 'url', '/' || n % 20
            || '#' || n / 60, 'titles', jsonb_build_array('Page ' || n % 20, 'Part ' || n / 60))
    FROM generate_series(0, 499) AS n
"""
QUERIES = """
    INSERT INTO queries (query_id, asked_at, reader, session_id, mode, question, question_hash,
        content_version, retrieved_chunk_ids, chunk_hashes, similarity_scores, repeated, cached,
        chapter_context, search)
    SELECT gen_random_uuid(), at, md5(extract(week FROM at)::text || n %% 19997),
        'session-' || n / 4,
        (ARRAY['book-wide', 'book-wide', 'book-wide', 'highlight', 'selected-text'])[1 + n %% 5],
        'What does the book say about the gait of robot number ' || n || ' on soft ground?',
        md5(n::text), '1', ARRAY[md5((n %% 500)::text), md5((n %% 499)::text)],
        ARRAY[md5((n %% 500)::text), md5((n %% 499)::text)], ARRAY[0.9, 0.8],
        random() < 0.05, random() < 0.1,
        CASE WHEN n %% 3 = 0 THEN '{"chapter_id": "gaits"}'::jsonb END, '{"boost": 1.5}'
    FROM (SELECT n, now() - interval '85 days' * (1 - n::float8 / %(n)s) AS at
        FROM generate_series(1, %(n)s) AS n) AS given
"""
RESPONSES = """
    INSERT INTO responses (response_id, query_id, created_at, status, refusal_reason,
        generated_response, claims, source_references, limited_mode, confidence, cost_usd,
        response_latency_ms, validation_passed, latency_validation_ms, response_similarity_score,
        keyword_overlap_ratio, timings, body)
    SELECT gen_random_uuid(), query_id, asked_at + interval '1 second',
        CASE WHEN lot < 0.12 THEN 'refused' WHEN lot < 0.2 THEN 'partial' ELSE 'answered' END,
        CASE WHEN lot < 0.12 THEN 'out_of_scope' END, repeat('A gait is a way of walking [1]. ', 8),
        CASE WHEN lot < 0.12 THEN '[]'::jsonb ELSE '[{"text": "A gait is a way of walking.",
            "citations": [1], "verification": "verbatim"}]' END,
        '[{"n": 1, "kind": "book", "label": "Chapter 1, Section 1.1, Para 3", 
            "url": "/docs/ch1#what", "quote": {"exact": "A gait is a way of walking.",
            "prefix": "before it there is", "suffix": "and after it that"}}]',
        random() < 0.1,
        CASE WHEN lot < 0.12 THEN 0.7 * random() ELSE 0.7 + 0.3 * sqrt(random()) END,
        0.0004, 300 - 1500 * ln(1 - random()), true, 2 * random(), 0.8, 0.9, '{"search": 12.5}',
        '{"metadata": {"limited_mode": false, "chapter_id": "gaits"}}'
    FROM (SELECT query_id, asked_at, random() AS lot FROM queries) AS given
"""
FEEDBACK = """
    INSERT INTO feedback (response_id, session_id, rating, created_at)
    SELECT response_id, 's', CASE WHEN random() < 0.85 THEN 'helpful' ELSE 'not_helpful' END,
        created_at
    FROM responses WHERE random() < 0.1
"""
REVIEWS = """
    INSERT INTO reviews (response_id, verdict)
    SELECT response_id, CASE WHEN random() < 0.8 THEN 'good_refusal' ELSE 'should_have_answered' END
    FROM responses WHERE status = 'refused' AND random() < 0.05
"""


def fill(database: BookDatabase, count: int) -> None:
    """So many queries, a tenth of them rated, as long ago as they were asked."""
    with psycopg.connect(database.dsn(), autocommit=True) as connection:
        connection.execute(BOOK)
        connection.execute(QUERIES, {"n": count})
        for statement in (RESPONSES, FEEDBACK, REVIEWS):
            connection.execute(statement)
        # What was recorded in these weeks was not changed a moment ago.
        connection.execute("UPDATE answer_facts SET changed_at = asked_at")
        connection.execute("VACUUM (FULL, ANALYZE) answer_facts")
        connection.execute("VACUUM ANALYZE")


def processor_seconds(pid: int) -> float:
    """What a process of this machine has used."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
