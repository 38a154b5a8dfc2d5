"""A recorded query again: the same answer on the same text, and what changed since."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from quoth.replay.recorded import NotRecorded, read_recorded
from quoth.replay.replay import Replayed, Replays
from tests.integration.events import Function
from tests.integration.sample_stage import Stage, take_in
from tests.integration.writers import (
    MODEL,
    OTHER_PARAPHRASE,
    PARAPHRASE,
    USE,
    USE_WHOLE,
    ask,
    ask_selected,
    writes,
)
from tests.openai_server.service import OpenAIServer

QUESTIONS = json.loads((Path(__file__).parent / "sample_questions.json").read_text("utf-8"))


@pytest.fixture
async def replays(stage: Stage) -> AsyncIterator[Replays]:
    """Replays without a model."""
    replays = Replays(stage.settings("query"), stage.database.dsn())
    yield replays
    await replays.close()


@pytest.fixture
async def written_replays(stage: Stage, openai_server: OpenAIServer) -> AsyncIterator[Replays]:
    """Replays with the scripted model."""
    settings = stage.settings(
        "query",
        openai_api_key=openai_server.api_key,
        openai_base_url=openai_server.base_url,
        model=MODEL,
    )
    replays = Replays(settings, stage.database.dsn())
    yield replays
    await replays.close()


async def replay(replays: Replays, stage: Stage, query_ids: Sequence[str]) -> list[Replayed]:
    return [await replays.replay(q) for q in read_recorded(stage.database.dsn(), query_ids)]


async def test_fifty_recorded_queries_are_answered_the_same(
    query: Function, selected: Function, stage: Stage, replays: Replays
) -> None:
    asked = [each["question"] for each in QUESTIONS][:45]
    ids = [ask(query, question)["query_id"] for question in asked]
    ids += [
        ask_selected(selected, question)["query_id"]
        for question in (
            "When was the lighthouse lit?",
            "How far can its lamp be seen?",
            "Who marries there?",
            "Who built it?",
            "What happens in its chamber?",
        )
    ]
    again = await replay(replays, stage, ids)
    assert len(again) == 50
    assert [each.query_id for each in again if not each.is_identical] == []
    assert {each.status[0] for each in again} >= {"answered", "refused"}
    assert [each.changes for each in again] == [()] * 50


async def test_a_written_answer_is_the_same_when_the_model_writes_the_same(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage, written_replays: Replays
) -> None:
    openai_server.answer_with(writes((USE_WHOLE, USE)))
    (again,) = await replay(written_replays, stage, [ask(writing_query)["query_id"]])
    assert again.is_identical
    assert again.variance == 0.0


async def test_a_paraphrase_has_a_variance_and_another_answer_is_flagged(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage, written_replays: Replays
) -> None:
    openai_server.answer_with(writes((PARAPHRASE, USE), verdicts=[True]))
    query_id = ask(writing_query)["query_id"]
    openai_server.answer_with(writes((OTHER_PARAPHRASE, USE), verdicts=[True]))
    (near,) = await replay(written_replays, stage, [query_id])
    assert near.variance > 0
    assert near.diff != ()
    openai_server.answer_with(writes((_other_sentence(stage), _other_sentence(stage))))
    (far,) = await replay(written_replays, stage, [query_id])
    assert far.variance > near.variance
    assert far.is_flagged


def _other_sentence(stage: Stage) -> str:
    """A sentence that the question's chunks hold as well, on something else."""
    rows = stage.database.run(
        "SELECT sentence ->> 'text' FROM chunks, jsonb_array_elements(body -> 'parts') AS part,"
        " jsonb_array_elements(part -> 'sentences') AS sentence"
        " WHERE body ->> 'source_path' LIKE '%%zero-moment%%' AND part ->> 'kind' = 'paragraph'"
        " AND length(sentence ->> 'text') BETWEEN 60 AND 140"
        " AND sentence ->> 'text' NOT LIKE '%%ZMP%%' ORDER BY (body ->> 'ordinal')::int LIMIT 1"
    )
    return str(rows[0][0])


async def test_after_an_edit_the_answer_is_still_replayed_and_the_changed_sentence_named(
    query: Function, stage: Stage, replays: Replays
) -> None:
    key, said = (
        "docs/lighthouse.md",
        "The lighthouse of Pellworm was lit for the first time in 1907",
    )
    text = f"# A Lighthouse\n\n{said}. It stands on a dam.\n"
    try:
        await take_in(stage, key, text)
        query_id = ask(query, "When was the lighthouse of Pellworm lit?")["query_id"]
        await take_in(stage, key, text.replace("1907", "1908"))
        (again,) = await replay(replays, stage, [query_id])
        await take_in(stage, key, text)
        (restored,) = await replay(replays, stage, [query_id])
    finally:
        await take_in(stage, key, None)
    assert again.recorded.startswith(said)
    assert again.is_identical
    (change,) = [each for each in again.changes if each.source_path == key]
    assert change.removed == (f"{said}.",)
    assert change.added == (f"{said[:-1]}8.",)
    assert restored.changes == ()


async def test_an_unknown_query_and_a_lost_text_are_named(
    query: Function, stage: Stage, replays: Replays
) -> None:
    with pytest.raises(NotRecorded, match="no record"):
        read_recorded(stage.database.dsn(), [str(uuid.uuid4())])
    query_id = ask(query)["query_id"]
    stage.database.run(
        "UPDATE queries SET search = jsonb_set(search, '{hits,0,hash}', '\"gone\"')"
        " WHERE query_id = %s",
        (query_id,),
    )
    with pytest.raises(NotRecorded, match="1 no longer kept"):
        await replay(replays, stage, [query_id])
