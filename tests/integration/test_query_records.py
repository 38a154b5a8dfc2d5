"""What a query is told when it begins, and what is kept of it when it ends."""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from collections.abc import Callable
from dataclasses import asdict, replace

import pytest

from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.adapters.postgres.database import Database, DatabaseRejected
from functions.adapters.postgres.query_records import ErrorRecord, QueryRecord, QueryRecords
from tests.postgres_fixtures import BookDatabase
from tests.query_samples import LIMIT, begin, record_of, request_of


async def test_names_a_reader_by_a_keyed_hash_and_keeps_no_id(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    request = replace(request_of(), user_id="lea@school.example", network="203.0.113.9")
    begun = await begin(queries, request)
    await queries.finish(replace(record_of(request), user_id=request.user_id), seconds=LIMIT)
    salt = fresh_database.run("SELECT salt FROM salts")[0][0]
    assert isinstance(salt, bytes)
    expected = hmac.new(salt, b"user:lea@school.example", hashlib.sha256).hexdigest()
    assert begun.reader == expected[:32]
    everything = str(
        fresh_database.run(
            "SELECT a::text, q::text, r::text, w::text"
            " FROM admissions a, queries q, responses r, reader_windows w"
        )
    )
    assert begun.reader in everything
    assert "school.example" not in everything
    assert "203.0.113.9" not in everything


async def test_finishing_twice_counts_and_stores_once(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    request = request_of()
    begun = await begin(queries, request)
    record = replace(record_of(request), cost_usd=0.25, input_tokens=100, output_tokens=10)
    for _ in range(2):
        await queries.finish(record, seconds=LIMIT)
    assert fresh_database.run(
        "SELECT queries, input_tokens, output_tokens, cost_usd::float FROM spend_days"
    ) == [(1, 100, 10, 0.25)]
    assert fresh_database.run("SELECT to_jsonb(asked_at) #>> '{}', reader FROM queries") == [
        (begun.accepted_at, begun.reader)
    ]


async def test_keeps_every_field_of_a_record(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    full = QueryRecord(
        query_id=str(uuid.uuid4()),
        response_id=str(uuid.uuid4()),
        mode="book-wide",
        session_id="session-1",
        question="What is a gait? \x00\ud800",
        status="partial",
        question_hash="hash",
        rewritten_question="What is a gait of a robot?",
        selected_text="gait",
        page={"source_path": "docs/ch1.md"},
        chapter_context={"chapter_id": "ch1"},
        highlight={"start_block": 1},
        content_version="7",
        retrieved_chunk_ids=["a", "b"],
        chunk_hashes=["x", "y"],
        similarity_scores=[0.75, 0.5],
        repeated=True,
        cached=True,
        refusal_reason="not_grounded",
        notices=["content_updated"],
        limited_mode=True,
        raw_output="{}",
        checks=[{"passed": True}],
        prompt_version="p1",
        model_asked="m",
        model_returned="m-1",
        input_tokens=3,
        output_tokens=4,
        cost_usd=0.125,
        confidence=0.875,
        response_similarity_score=0.625,
        keyword_overlap_ratio=0.5,
        validation_passed=False,
        latency_validation_ms=1.5,
        response_latency_ms=900.25,
        timings={"write": 700.5},
        body={
            "status": "partial",
            "nothing": None,
            "response": "A way of walking [1].",
            "claims": [{"text": "A way of walking", "citations": [1]}],
            "citations": [{"n": 1, "url": None}],
        },
        asked_at="2026-01-02T03:04:05+00:00",
        reader="f00d",
    )
    await queries.finish(full, seconds=LIMIT)
    row = fresh_database.run(
        "SELECT to_jsonb(q) || to_jsonb(r) FROM queries q JOIN responses r USING (query_id)"
    )[0][0]
    assert isinstance(row, dict)
    unstored = {"cacheable", "cache_key", "parts", "user_id", "personal_session"}
    expected = {key: value for key, value in asdict(full).items() if key not in unstored}
    expected["question"] = "What is a gait? \ufffd\ufffd"
    assert full.body is not None
    expected |= {
        "generated_response": full.body["response"],
        "claims": full.body["claims"],
        "source_references": full.body["citations"],
    }
    assert {key: row[key] for key in expected} == expected
    assert set(row) - set(expected) == {"created_at"}


async def test_keeps_a_late_record_of_a_query_the_database_never_saw_begin(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    request = replace(request_of(), user_id="lea")
    known = await begin(queries, request)
    late = replace(
        record_of(request, str(uuid.uuid4())),
        user_id="lea",
        asked_at="2026-01-02T03:04:05+00:00",
    )
    await queries.finish(late, seconds=LIMIT)
    assert fresh_database.run(
        "SELECT reader, extract(year FROM asked_at)::integer, query_id::text FROM queries"
    ) == [(known.reader, 2026, late.query_id)]


async def test_serves_a_cached_answer_until_the_book_changes_or_a_fresh_one_is_wanted(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    request = replace(request_of(), cache_key="gait")
    await begin(queries, request)
    await queries.finish(replace(record_of(request), cacheable=True), seconds=LIMIT)

    def again() -> BeginRequest:
        return replace(request_of("session-2"), cache_key="gait")

    assert (await begin(queries, again())).cached == record_of(request).body
    assert (await begin(queries, replace(again(), fresh=True))).cached is None
    assert (await begin(queries, replace(again(), mode="highlight"))).cached is None
    fresh_database.run("UPDATE index_state SET content_version = content_version + 1")
    begun = await begin(queries, again())
    assert (begun.cached, begun.content_version) == (None, "1")


async def test_caches_no_answer_made_from_a_book_that_changed_meanwhile(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    request = replace(request_of(), cache_key="gait")
    await begin(queries, request)
    fresh_database.run("UPDATE index_state SET content_version = content_version + 1")
    await queries.finish(replace(record_of(request), cacheable=True), seconds=LIMIT)
    assert fresh_database.run("SELECT count(*) FROM answer_cache") == [(0,)]


async def test_tells_the_question_before_and_whether_it_is_the_same(
    queries: QueryRecords,
) -> None:
    request = replace(request_of(), question_hash="gait")
    first = await begin(queries, request)
    assert (first.previous, first.repeated) == (None, False)
    await queries.finish(record_of(request), seconds=LIMIT)
    same = await begin(queries, replace(request_of(), question_hash="gait"))
    assert same.previous is not None
    assert (same.previous.question, same.previous.about) == ("What is a gait?", "")
    assert same.repeated
    other = await begin(queries, replace(request_of(), question_hash="grasp"))
    assert (other.previous, other.repeated) == (same.previous, False)
    stranger = await begin(queries, replace(request_of("session-2"), question_hash="gait"))
    assert (stranger.previous, stranger.repeated) == (None, False)


async def test_tells_what_the_answer_before_it_was_about_and_showed(queries: QueryRecords) -> None:
    request = replace(request_of(), question_hash="gait")
    await begin(queries, request)
    body = {
        "metadata": {"about": "gaits"},
        "citations": [
            {"chapter": "Walking", "section": "Gaits", "subsection": "", "n": 1,
             "quotes": [{"exact": "A gait is a pattern."}, {"exact": "It repeats."}]}
        ],
    }  # fmt: skip
    await queries.finish(replace(record_of(request), body=body), seconds=LIMIT)
    previous = (await begin(queries, replace(request_of(), question_hash="grasp"))).previous
    assert previous is not None
    assert previous.about == "gaits"
    assert {*previous.headings} == {"Walking", "Gaits", ""}
    assert {*previous.shown} == {"A gait is a pattern.", "It repeats."}


async def test_tells_the_role_of_selections_nothing_of_other_modes_or_of_the_past(
    queries: QueryRecords, selections: QueryRecords, fresh_database: BookDatabase
) -> None:
    fresh_database.run("UPDATE index_state SET calibration = '{\"slope\": 1}'")
    wide = replace(request_of(), cache_key="k", question_hash="h", idempotency_key="i")
    begun = await begin(queries, wide)
    assert begun.calibration == {"slope": 1}
    await queries.finish(replace(record_of(wide), cacheable=True), seconds=LIMIT)
    asked = replace(wide, query_id=str(uuid.uuid4()), mode="selected-text")
    seen = await begin(selections, asked)
    assert seen == Begun("run", begun.reader, asked.query_id, seen.accepted_at, content_version="0")
    assert (await selections.ticket(wide.query_id, seconds=LIMIT)).verdict == "expired"
    assert (await queries.ticket(wide.query_id, seconds=LIMIT)).verdict == "done"
    await selections.finish(record_of(asked), seconds=LIMIT)
    assert (await selections.ticket(asked.query_id, seconds=LIMIT)).verdict == "done"
    with pytest.raises(DatabaseRejected):
        await begin(selections, request_of())


async def test_keeps_the_last_verdict_of_a_reader_and_none_for_an_unknown_answer(
    queries: QueryRecords, fresh_database: BookDatabase, connect: Callable[..., Database]
) -> None:
    analytics = QueryRecords(connect(fresh_database.dsn("quoth_analytics")))
    record = record_of(request_of())
    await queries.finish(record, seconds=LIMIT)
    for rating in ("helpful", "not_helpful"):
        assert await analytics.feedback(
            record.response_id, "session-1", None, rating, "wrong", "no \x00", seconds=LIMIT
        )
    assert not await analytics.feedback(
        str(uuid.uuid4()), "session-1", None, "helpful", seconds=LIMIT
    )
    assert fresh_database.run("SELECT rating, reason, comment FROM feedback") == [
        ("not_helpful", "wrong", "no \ufffd")
    ]


async def test_keeps_an_error_with_its_query(
    queries: QueryRecords, fresh_database: BookDatabase
) -> None:
    affected = str(uuid.uuid4())
    error = ErrorRecord("ModelUnavailable", "503", "Traceback", "query", affected, {"try": 2})
    await queries.errors([error], seconds=LIMIT)
    row = fresh_database.run("SELECT to_jsonb(request_errors) FROM request_errors")[0][0]
    assert isinstance(row, dict)
    assert not error.personal_session
    stored = {key: value for key, value in asdict(error).items() if key in row}
    assert stored == {key: row[key] for key in stored}
    assert set(asdict(error)) - set(stored) == {"personal_session"}


async def test_a_record_survives_a_queue_as_json(queries: QueryRecords) -> None:
    record = record_of(request_of())
    assert QueryRecord(**json.loads(json.dumps(record.to_json()))).body == record.body
