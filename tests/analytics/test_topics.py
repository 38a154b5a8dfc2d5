"""Topics over a real database and real vectors, and their grouping."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.adapters.openai.embeddings import Embeddings
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.topic_records import TopicRecords
from functions.analytics.jobs import run_task
from functions.analytics.metrics.period import Period
from functions.analytics.topics.clustering import group_points, match_groups, unit
from functions.analytics.topics.group import refresh_if_stale, refresh_topics
from functions.analytics.topics.names import ASKING, leading_heading, name_of, name_topics
from functions.analytics.topics.outcomes import read_topic, read_topics
from functions.answer.text.words import STOP_WORDS
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
    for question in OUTSIDE * 3:
        add_query(fresh_database, question, "alone", refused="out_of_scope", confidence=0.1)
    add_query(fresh_database, "A rude word", "rude", refused="inappropriate")
    return connect(fresh_database.dsn("quoth_analytics"), size=2)


async def test_questions_are_grouped_named_and_placed_in_the_book(
    database: Database, embeddings: Embeddings
) -> None:
    done = await refresh_topics(TopicRecords(database, NAME), embeddings, 60)
    assert (done.questions, done.grouped) == (14, 14)
    told = await read_topics(database, MONTH)
    assert (told.queries, told.other) == (37, 0)
    walking = next(use for use in told.topics if use.section and use.section.url == "/walk#zmp")
    gripping = next(use for use in told.topics if use.section and use.section.url == "/grip#hold")
    outside = next(use for use in told.topics if use.section is None)
    assert (walking.queries, walking.helpful.count, walking.advice) == (15, 15, "none")
    assert (gripping.queries, gripping.low_confidence.value, gripping.advice) == (10, 1, "expand")
    assert (outside.queries, outside.refused.value, outside.advice) == (12, 1, "add")
    assert gripping.name.startswith("Holding Things: gripper")
    assert walking.name.startswith("Zero Moment Point: ")
    assert "train" in outside.name
    for use in told.topics:
        assert not (STOP_WORDS | ASKING) & set(" ".join(use.terms).split())


async def test_samples_are_shown_only_where_five_sessions_asked(
    database: Database, embeddings: Embeddings
) -> None:
    await refresh_topics(TopicRecords(database, NAME), embeddings, 60)
    details = {}
    for use in (await read_topics(database, MONTH)).topics:
        details[use.sessions] = await read_topic(database, MONTH, use.topic_id)
    shown, hidden = details[6], details[1]
    assert shown is not None
    assert {sample.question for sample in shown.samples} == set(WALKING)
    assert [(use.section.url, use.queries) for use in shown.sections] == [("/walk#zmp", 15)]
    assert sum(count for _, count in shown.weeks) == 15
    assert hidden is not None
    assert (hidden.withheld, hidden.samples) == (True, ())
    october = Period(date(2026, 10, 1), date(2026, 11, 1))
    assert await read_topic(database, october, shown.use.topic_id) is None


async def test_a_topic_keeps_its_identity_when_more_is_asked(
    database: Database, embeddings: Embeddings, fresh_database: BookDatabase
) -> None:
    records = TopicRecords(database, NAME)
    await refresh_topics(records, embeddings, 60)
    before = {use.topic_id: use for use in (await read_topics(database, MONTH)).topics}
    for n in range(12):
        add_query(fresh_database, f"Does recipe {n} ask for butter or oil?", f"c{n}")
        add_query(fresh_database, f"How does a robot walk over {n} stairs?", f"c{n}", chunk="walk")
    await refresh_topics(records, embeddings, 60)
    after = {use.topic_id: use for use in (await read_topics(database, MONTH)).topics}
    assert set(before) <= set(after)
    for topic_id, use in before.items():
        assert after[topic_id].section == use.section
        assert after[topic_id].first_seen == use.first_seen
    assert any("butter" in use.name for key, use in after.items() if key not in before)


async def test_vectors_are_kept_no_longer_than_their_questions(
    database: Database, embeddings: Embeddings, fresh_database: BookDatabase
) -> None:
    records = TopicRecords(database, NAME)
    assert (await refresh_topics(records, embeddings, 60)).embedded == 16
    assert (await refresh_topics(records, embeddings, 60)).embedded == 0
    assert await refresh_if_stale(records, embeddings, 60) is None
    fresh_database.run("DELETE FROM queries WHERE session_id = 'alone'")
    await refresh_topics(records, embeddings, 60)
    assert fresh_database.run("SELECT count(*) FROM question_vectors") == [(12,)]


async def test_without_embeddings_and_without_questions_there_are_no_topics(
    fresh_database: BookDatabase, connect: Callable[..., Database], embeddings: Embeddings
) -> None:
    database = connect(fresh_database.dsn("quoth_analytics"))
    away = Embeddings("http://127.0.0.1:9/v1", "key", NAME, 384)
    records = TopicRecords(database, NAME)
    assert (await refresh_topics(records, away, 2)).topics == 0
    add_query(fresh_database, "What is a gait?", "s")
    done = await refresh_topics(records, away, 2)
    assert (done.questions, done.grouped) == (1, 0)
    told = await read_topics(database, MONTH)
    assert (told.queries, told.other, told.topics) == (1, 1, ())
    assert await refresh_if_stale(records, embeddings, 60) is None, "tried a moment ago"
    fresh_database.run("UPDATE topic_state SET refreshed_at = refreshed_at - interval '2 minutes'")
    done_later = await refresh_if_stale(records, embeddings, 60)
    assert done_later is not None
    assert done_later.grouped == 1
    await away.close()


points = st.integers(1, 40).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(-5, 5), min_size=4, max_size=4).filter(any), min_size=n, max_size=n
    )
)


@settings(max_examples=60, deadline=None)
@given(points, st.integers(1, 12), st.booleans())
def test_every_point_is_in_the_group_of_its_nearest_centroid(
    rows: list[list[int]], count: int, again: bool
) -> None:
    given_points = unit(np.asarray(rows, dtype=np.float32))
    weights = np.ones(len(rows), dtype=np.float32)
    groups = group_points(given_points, weights, count)
    if again:
        groups = group_points(given_points, weights, count, groups.centroids)
    assert len(groups.centroids) <= count
    assert set(groups.labels.tolist()) == set(range(len(groups.centroids)))
    cosines = given_points @ groups.centroids.T
    own = cosines[np.arange(len(rows)), groups.labels]
    assert (own >= cosines.max(axis=1) - 1e-3).all() or len(groups.centroids) == 1


def test_centroids_are_matched_one_to_one_and_only_when_near() -> None:
    old = np.eye(3, dtype=np.float32)
    new = unit(np.asarray([[0.1, 1, 0], [0.2, 0.9, 0], [1, 1, 1.1]], dtype=np.float32))
    assert match_groups(new, old) == {0: 1}


def test_names_are_words_as_readers_write_them() -> None:
    first, second = name_topics(
        [
            ["Is a trajectory smooth?", "Why are smooth trajectories planned?"],
            ["How are cameras calibrated?", "Do cameras drift?"],
        ]
    )
    assert set(first[:2]) & {"smooth", "trajectory", "trajectories"}
    assert "cameras" in second[0]


def test_one_question_asked_by_many_does_not_name_its_topic() -> None:
    many = ["Does rust harm a gripper?", "does rust harm a gripper", "Please, does rust harm it?"]
    first, second = name_topics(
        [[*many * 9, "How does a gripper hold eggs?", "Which gripper is soft?"], ["What is rust?"]]
    )
    assert first[0] == "gripper"
    assert second[0] == "rust"


def test_a_topic_of_one_question_is_called_what_it_asks() -> None:
    (terms, _) = name_topics(
        [
            ["What is the zero moment point?", "what is the Zero Moment Point ?"] * 5,
            ["Which gripper holds soft fruit?"],
        ]
    )
    assert terms[0] == "zero moment point"


def test_the_books_heading_leads_the_name() -> None:
    walking = ("Chapter 3: Balance and Walking", "Gaits")
    found = [((*walking, "Trot"), 2), ((*walking, "Gallop"), 2), (walking, 1), (("2. Bodies",), 3)]
    assert leading_heading(found) == "Gaits"
    assert leading_heading([*found, ((), 3)]) == "Balance and Walking"
    assert leading_heading([*found, ((*walking, "Trot"), 20)]) == "Trot"
    assert leading_heading([(("2. Bodies", "Arms"), 1), (("2. Bodies", "Legs"), 1)]) == "Bodies"
    assert leading_heading([(("A", "b"), 1), ((), 4)]) == ""
    assert leading_heading([]) == ""
    assert name_of("Gaits", ("gait", "trot", "stairs", "legs")) == "Gaits: trot, stairs"
    assert name_of("Gaits", ("gaits",)) == "Gaits"
    assert name_of("", ("train", "paris", "station", "car")) == "train, paris, station"


def test_the_schedule_groups_what_was_asked(fresh_database: BookDatabase) -> None:
    for question in WALKING:
        add_query(fresh_database, question, "s")
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
