"""An index of another size, of another model, or none: what readers get, and what the log says."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import functions.query.app
from functions.adapters.aws.object_store import ObjectStore
from functions.adapters.qdrant.chunk_index import ChunkIndex, IndexMismatch
from functions.answer.refusals import UNAVAILABLE
from functions.ingest.compose import compose_ingest
from functions.ingest.embed import OtherEmbeddingModel
from functions.web.sentences import KEYWORD_SEARCH
from tests.integration.events import Function, Reply, opened
from tests.integration.sample_stage import Stage

QUESTION = "What is the ZMP used for?"


def asked(function: Function) -> Reply:
    body = {"question": QUESTION, "session_id": str(uuid.uuid4()), "fresh": True}
    return function.post("/query", body)


@contextmanager
def indexed_with(stage: Stage, model: str) -> Iterator[None]:
    """The database says that the index holds another model's vectors."""
    (before,) = stage.database.run("SELECT embedding_model FROM index_state")
    stage.database.run("UPDATE index_state SET embedding_model = %s", (model,))
    try:
        yield
    finally:
        stage.database.run("UPDATE index_state SET embedding_model = %s", before)


def test_another_model_of_the_same_size_is_searched_by_words_and_logged(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        indexed_with(stage, "another-model"),
        opened(functions.query.app, stage.settings("query")) as function,
        caplog.at_level(logging.ERROR),
    ):
        answer = asked(function).answer
        assert answer["status"] == "answered"
        assert [notice["text"] for notice in answer["notices"]] == [KEYWORD_SEARCH]
        assert function.get("/search?q=ZMP").answer["sections"]
    (told,) = [each.getMessage() for each in caplog.records if "unusable" in each.getMessage()]
    assert told == "index unusable"
    detail = str(vars(next(r for r in caplog.records if r.getMessage() == told)))
    for said in ("another-model", "QUOTH_EMBEDDING_MODEL", "quoth rebuild"):
        assert said in detail
    with opened(functions.query.app, stage.settings("query")) as function:
        assert asked(function).answer["notices"] == []


async def test_ingest_refuses_another_model_and_names_the_remedy(stage: Stage) -> None:
    ingest = compose_ingest(stage.settings("ingest"), ObjectStore("unused"))
    with (
        indexed_with(stage, "another-model"),
        pytest.raises(OtherEmbeddingModel, match=r"another-model .* `quoth rebuild`"),
    ):
        await ingest.prepare()
    await ingest.prepare()
    await ingest.aclose()


async def test_ingest_refuses_vectors_of_another_size_and_names_the_remedy(stage: Stage) -> None:
    name = f"other-{uuid.uuid4().hex}"
    index = ChunkIndex(stage.qdrant.url, None, name)
    await index.ensure(16)
    ingest = compose_ingest(stage.settings("ingest", qdrant_collection=name), ObjectStore("unused"))
    with pytest.raises(IndexMismatch, match=r"QUOTH_EMBEDDING_DIMENSIONS back, .*`quoth rebuild`"):
        await ingest.prepare()
    await index.delete()
    await index.aclose()
    await ingest.aclose()


async def test_vectors_of_another_size_are_searched_by_words_and_logged(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    name = f"other-{uuid.uuid4().hex}"
    index = ChunkIndex(stage.qdrant.url, None, name)
    await index.ensure(16)
    settings = stage.settings("query", qdrant_collection=name)
    with opened(functions.query.app, settings) as function, caplog.at_level(logging.ERROR):
        answer = asked(function).answer
    assert answer["status"] == "refused"  # nothing is in that index
    assert [notice["text"] for notice in answer["notices"]] == [KEYWORD_SEARCH]
    assert "quoth rebuild" in logged(caplog)
    await index.delete()
    await index.aclose()


def test_a_missing_index_is_unavailable_to_readers_and_named_in_the_log(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    settings = stage.settings("query", qdrant_collection="missing")
    with opened(functions.query.app, settings) as function, caplog.at_level(logging.ERROR):
        reply = asked(function)
    assert reply.error(503, "index_unusable") == UNAVAILABLE
    assert "no collection 'missing'; index the book first" in logged(caplog)


def logged(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(
        str(vars(each)) for each in caplog.records if each.getMessage() == "index unusable"
    )
