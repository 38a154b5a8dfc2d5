"""Topics over a real database and real vectors, and their grouping."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.topic_records import Asked, TopicRecords, vector_hash
from functions.analytics.format import issue
from functions.analytics.jobs import run_task
from functions.analytics.metrics.period import Period
from functions.analytics.topics.group import (
    ALIKE,
    group_questions,
    refresh_if_stale,
    refresh_topics,
)
from functions.analytics.topics.outcomes import read_topic, read_topics
from functions.answer.gate.thresholds import GATE
from functions.runtime.settings import Settings
from quoth.calibrate.local_index import embedding_model
from quoth.embeddings.app import create_app
from quoth.embeddings.minilm import DIMENSIONS, NAME
from quoth.local_server import served
from tests.postgres_fixtures import BookDatabase
from tests.topic_rows import add_query, add_section

MONTH = Period(date(2026, 11, 1), date(2026, 12, 1))
WALKING = [
    "How does a humanoid keep its balance while walking?",
    "What is the zero moment point?",
    "Why does the zero moment point matter for balance?",
    "How fast can a walking robot step?",
    "When does a walking robot fall?",
]
GRIPPING = [
    "How hard may a gripper squeeze an egg?",
    "Which gripper holds soft fruit?",
    "What does a tactile sensor on a gripper feel?",
    "Why do fingers of a gripper need friction?",
    "How does a gripper notice that an object slips?",
]
OUTSIDE = [
    "What does a train ticket to Paris cost?",
    "When does the train to Paris leave?",
    "Is there a dining car on the train to Paris?",
    "Which train station in Paris is the largest?",
]
ALONE = ["How long do I roast a chicken of two kilos?"]


@pytest.fixture(scope="module")
async def embeddings() -> AsyncIterator[Embeddings]:
    async with embedding_model() as model:
        yield model


@pytest.fixture
async def database(fresh_database: BookDatabase, connect: Callable[..., Database]) -> Database:
    """The database under the function's own role, with two sections and what readers asked."""
    add_section(fresh_database, "walk", "Balance", "Walking", "Zero Moment Point", "/walk#zmp")
    add_section(fresh_database, "grip", "Touch", "Grippers", "Holding Things", "/grip#hold")
    for n, question in enumerate(WALKING * 3):
        add_query(fresh_database, question, f"s{n % 6}", chunk="walk", rating="helpful")
    for n, question in enumerate(GRIPPING * 2):
        add_query(fresh_database, question, f"t{n % 5}", chunk="grip", confidence=0.72)
    for n, question in enumerate(OUTSIDE * 3):
        add_query(fresh_database, question, f"o{n % 7}", refused="out_of_scope", confidence=0.1)
    for question in ALONE * 2:
        add_query(fresh_database, question, "alone", refused="out_of_scope", confidence=0.1)
    add_query(fresh_database, "A rude word", "rude", refused="inappropriate")
    add_query(fresh_database, "Thanks!", "s1", confidence=None)
    return connect(fresh_database.dsn("quoth_analytics"), size=2)


async def test_questions_count_for_their_section_and_the_others_are_grouped(
    database: Database, embeddings: Embeddings
) -> None:
    done = await refresh_topics(TopicRecords(database, NAME), embeddings, 60)
    assert (done.questions, done.grouped, done.groups) == (5, 5, 2)
    told = await read_topics(database, MONTH)
    walking, gripping = told.sections
    assert (walking.name, walking.queries, walking.helpful.count) == ("Zero Moment Point", 15, 15)
    assert (gripping.name, gripping.queries, gripping.advice) == ("Holding Things", 10, "expand")
    assert (walking.advice, gripping.low_confidence.value) == ("none", 1)
    (outside,) = told.missing
    assert outside.name in OUTSIDE
    assert (outside.queries, outside.refused.value, outside.advice) == (12, 1, "add")
    assert (told.rare, told.general, told.inappropriate) == (2, 1, 1)
    counted = sum(use.queries for use in told.topics)
    assert counted + told.rare + told.general + told.inappropriate == told.queries == 41
    assert [(each.title, each.queries) for each in told.chapters] == [
        ("Chapter 1: Balance", 15),
        ("Chapter 1: Touch", 10),
    ]


async def test_the_first_page_of_a_chapter_names_it(
    database: Database, fresh_database: BookDatabase
) -> None:
    chapter = '{"id": "grip", "number": 1, "title": "Chapter 1"}'
    fresh_database.run(
        "UPDATE chunks SET body = jsonb_set(body, '{chapter}', %s) WHERE id = 'walk'", (chapter,)
    )
    (one,) = (await read_topics(database, MONTH)).chapters
    assert (one.title, one.queries, len(one.sections)) == ("Chapter 1: Touch", 25, 2)


async def test_an_answer_counts_for_the_section_of_its_first_statement(
    database: Database, fresh_database: BookDatabase
) -> None:
    add_query(
        fresh_database, "How hard is gripping while walking?", "s", chunk="walk",
        also_found="grip", cited="/grip#hold",
    )  # fmt: skip
    told = await read_topics(database, MONTH)
    assert [(use.name, use.queries) for use in told.sections] == [
        ("Zero Moment Point", 15), ("Holding Things", 11)
    ]  # fmt: skip


async def test_a_refusal_counts_for_the_nearest_section_if_it_nearly_passed(
    database: Database, fresh_database: BookDatabase
) -> None:
    for confidence in (0.2, 0.5):
        add_query(
            fresh_database, f"How hot is a gripper at {confidence}?", "s", chunk="grip",
            refused="out_of_scope", confidence=confidence,
        )  # fmt: skip
    told = await read_topics(database, MONTH)
    gripping = next(use for use in told.sections if use.name == "Holding Things")
    assert (gripping.queries, gripping.refused.count) == (11, 1)
    assert told.rare == 12 + 2 + 1, "not grouped yet"


def test_the_database_and_the_gate_agree_on_what_nearly_passed(
    fresh_database: BookDatabase,
) -> None:
    (row,) = fresh_database.run("SELECT prosrc FROM pg_proc WHERE proname = 'note_question_key'")
    assert f"< {GATE / 2:g} THEN" in str(row[0]).replace(")", "")


async def test_questions_are_shown_only_where_five_sessions_asked(
    database: Database, embeddings: Embeddings, fresh_database: BookDatabase
) -> None:
    await refresh_topics(TopicRecords(database, NAME), embeddings, 60)
    add_section(fresh_database, "hide", "Touch", "Skin", "Skin", "/skin")
    add_query(fresh_database, "Does skin feel?", "one", chunk="hide")
    topics = {use.name: use for use in (await read_topics(database, MONTH)).topics}
    shown = await read_topic(database, MONTH, topics["Zero Moment Point"].topic_id)
    hidden = await read_topic(database, MONTH, topics["Skin"].topic_id)
    assert shown is not None
    assert {sample.question for sample in shown.samples} == set(WALKING)
    assert (shown.sessions, sum(count for _, count in shown.weeks)) == (6, 15)
    assert hidden is not None
    assert (hidden.withheld, hidden.samples) == (True, ())
    october = Period(date(2026, 10, 1), date(2026, 11, 1))
    assert await read_topic(database, october, shown.use.topic_id) is None


async def test_a_group_tells_what_is_like_it_and_what_is_near_in_the_book(
    database: Database, embeddings: Embeddings, fresh_database: BookDatabase
) -> None:
    for n in range(5):
        add_query(
            fresh_database, OUTSIDE[0], f"p{n}", chunk="walk", refused="out_of_scope",
            confidence=0.2,
        )  # fmt: skip
    await refresh_topics(TopicRecords(database, NAME), embeddings, 60)
    (use,) = (await read_topics(database, MONTH)).missing
    assert use.section is not None
    assert use.section.url == "/walk#zmp"
    detail = await read_topic(database, MONTH, use.topic_id)
    assert detail is not None
    assert detail.samples[0].question == use.name
    assert {each.question for each in detail.samples} == set(OUTSIDE)
    assert [(each.section.title, each.queries) for each in detail.nearest] == [
        ("Zero Moment Point", 5)
    ]
    text = issue(detail)
    assert use.name in text
    assert "17 questions from 12 sessions" in text
    assert "Zero Moment Point: /walk#zmp" in text


async def test_a_group_keeps_its_name_when_more_is_asked(
    database: Database, embeddings: Embeddings, fresh_database: BookDatabase
) -> None:
    records = TopicRecords(database, NAME)
    await refresh_topics(records, embeddings, 60)
    (before,) = (await read_topics(database, MONTH)).missing
    other = next(question for question in OUTSIDE if question != before.name)
    for n in range(20):
        add_query(fresh_database, other, f"n{n}", refused="out_of_scope", confidence=0.0)
    await refresh_topics(records, embeddings, 60)
    (after,) = (await read_topics(database, MONTH)).missing
    assert (after.topic_id, after.name) == (before.topic_id, before.name)
    assert after.queries == before.queries + 20


async def test_vectors_are_kept_no_longer_than_their_questions(
    database: Database, embeddings: Embeddings, fresh_database: BookDatabase
) -> None:
    records = TopicRecords(database, NAME)
    assert (await refresh_topics(records, embeddings, 60)).embedded == 5
    assert (await refresh_topics(records, embeddings, 60)).embedded == 0
    assert await refresh_if_stale(records, embeddings, 60) is None
    fresh_database.run("DELETE FROM queries WHERE session_id = 'alone'")
    await refresh_topics(records, embeddings, 60)
    assert fresh_database.run("SELECT count(*) FROM question_vectors") == [(4,)]


async def test_without_embeddings_there_are_no_groups(
    fresh_database: BookDatabase, connect: Callable[..., Database], embeddings: Embeddings
) -> None:
    database = connect(fresh_database.dsn("quoth_analytics"))
    away = Embeddings("http://127.0.0.1:9/v1", "key", NAME, 384)
    records = TopicRecords(database, NAME)
    assert (await refresh_topics(records, away, 2)).groups == 0
    add_query(fresh_database, "What is a gait?", "s", refused="out_of_scope", confidence=0.0)
    done = await refresh_topics(records, away, 2)
    assert (done.questions, done.grouped) == (1, 0)
    told = await read_topics(database, MONTH)
    assert (told.queries, told.rare, told.topics) == (1, 1, ())
    assert await refresh_if_stale(records, embeddings, 60) is None, "tried a moment ago"
    fresh_database.run(
        "UPDATE question_groups_state SET refreshed_at = refreshed_at - interval '2 minutes'"
    )
    done_later = await refresh_if_stale(records, embeddings, 60)
    assert done_later is not None
    assert done_later.grouped == 1
    await away.close()


async def test_days_that_are_over_are_counted_once_until_they_change(
    fresh_database: BookDatabase, connect: Callable[..., Database], embeddings: Embeddings
) -> None:
    database = connect(fresh_database.dsn("quoth_analytics"))
    add_section(fresh_database, "walk", "Balance", "Walking", "Zero Moment Point", "/walk#zmp")
    now = datetime.now(UTC)
    earlier = now - timedelta(days=3)
    period = Period(earlier.date() - timedelta(days=20), now.date() + timedelta(days=2))

    def ask(n: int, at: datetime, **given: str) -> str:
        question = OUTSIDE[n % 4] if given else WALKING[n % 5]
        return add_query(fresh_database, question, f"s{n}", chunk="walk", asked_at=at,
                         confidence=0.0 if given else 0.9, **given)  # fmt: skip

    async def counted() -> tuple[int, ...]:
        told = await read_topics(database, period)
        helpful, missing = (sum(use.helpful.of for use in told.sections), told.missing)
        return told.queries, helpful, told.rare, *(use.queries for use in missing)

    responses = [ask(n, earlier) for n in range(5)] + [ask(9, now)]
    for n in range(6):
        ask(n, earlier if n < 3 else now, refused="out_of_scope")
    assert await counted() == (12, 0, 6)
    fresh_database.run("UPDATE answer_facts SET changed_at = changed_at - interval '1 hour'")
    await counted()
    kept = fresh_database.run("SELECT DISTINCT made_at FROM topic_sums")
    ask(10, now)
    assert await counted() == (13, 0, 6), "of today"
    assert fresh_database.run("SELECT DISTINCT made_at FROM topic_sums") == kept
    fresh_database.run(
        "INSERT INTO feedback (response_id, session_id, rating) VALUES (%s, 's0', 'helpful')",
        (responses[0],),
    )
    assert await counted() == (13, 1, 6), "a rating of an earlier day"
    await refresh_topics(TopicRecords(database, NAME), embeddings, 60)
    assert await counted() == (13, 1, 0, 6), "sessions of both sides of midnight count once each"
    ask(0, now, refused="out_of_scope")
    assert (await counted())[3] == 7
    fresh_database.run("DELETE FROM queries WHERE session_id = 's0'")
    assert await counted() == (11, 0, 0, 5)


points = st.integers(1, 40).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(-5, 5), min_size=4, max_size=4).filter(any), min_size=n, max_size=n
    )
)


@settings(max_examples=60, deadline=None)
@given(points, st.sets(st.integers(0, 39)))
def test_every_question_is_like_its_leader_and_leaders_stay(
    rows: list[list[int]], leading: set[int]
) -> None:
    asked = [Asked(str(n), f"q{n}", 1 + n % 3, leads=n in leading) for n in range(len(rows))]
    vectors = {
        vector_hash(each.question): np.asarray(row, dtype=np.float32)
        for each, row in zip(asked, rows, strict=True)
    }
    members = group_questions(asked, vectors)
    assert [each.key for each in members] == [each.key for each in asked]
    leaders = {each.leader for each in members}
    assert all(each.likeness >= ALIKE - 1e-3 for each in members)
    assert {each.key for each in members if each.key == each.leader} == leaders
    if led := sorted(n for n in leading if n < len(rows)):
        assert leaders & {str(n) for n in led}, "one that led leads again"


def test_the_schedule_groups_what_was_asked(fresh_database: BookDatabase) -> None:
    for question in WALKING:
        add_query(fresh_database, question, "s", refused="out_of_scope", confidence=0.0)
    with served(create_app()) as url:
        settings = Settings(
            database_url=fresh_database.dsn("quoth_analytics"),
            embeddings_base_url=f"{url}/v1",
            embedding_model=NAME,
            embedding_dimensions=DIMENSIONS,
        )
        done = run_task("topics", settings)
    assert (done["questions"], done["grouped"], done["embedded"]) == (5, 5, 5)
    nowhere = Settings(database_url=settings.database_url)
    assert run_task("topics", nowhere) == {"skipped": "no embeddings are set up"}
