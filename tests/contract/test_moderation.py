"""The moderation service beside the rules: it may object, and may be away."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from functions.adapters.openai.moderation import MAX_FAILURES, Moderator
from tests.openai_server.replies import Dropped, Failure, Flagged, Reply, Slow, Truncated
from tests.openai_server.service import API_KEY, OpenAIServer

MODEL = "omni-moderation-latest"
QUESTION = "What is a gyroscope?"


@pytest.fixture
async def moderator(openai_server: OpenAIServer) -> AsyncIterator[Moderator]:
    moderator = Moderator(openai_server.base_url, API_KEY, MODEL, 10.0)
    yield moderator
    await moderator.close()


async def test_names_what_is_turned_against_somebody(
    openai_server: OpenAIServer, moderator: Moderator
) -> None:
    openai_server.script(Flagged(["hate", "harassment", "violence"]), on="moderations")
    assert await moderator.flags(QUESTION, 10) == ("harassment", "hate")
    (request,) = openai_server.moderated
    assert request.body == {"model": MODEL, "input": QUESTION}


async def test_subjects_of_books_pass(openai_server: OpenAIServer, moderator: Moderator) -> None:
    subjects = ["violence", "self-harm", "illicit", "sexual", "violence/graphic"]
    openai_server.script(Flagged(subjects), Flagged(), on="moderations")
    assert await moderator.flags("How did the war end?", 10) == ()
    assert await moderator.flags(QUESTION, 10) == ()


@pytest.mark.parametrize(
    "reply",
    [
        Dropped(), Failure(500), Failure(429), Failure(503, body="<html>"),
        Truncated(Flagged(["hate"])), Failure(200, body="[]"), Failure(200, body='{"results": []}'),
        Failure(200, body='{"results": [{"categories": null}]}'),
    ],
    ids=str,
)  # fmt: skip
async def test_a_service_that_fails_stops_nobody_and_is_asked_again(
    openai_server: OpenAIServer, moderator: Moderator, reply: Reply
) -> None:
    openai_server.script(reply, Flagged(["hate"]), on="moderations")
    assert await moderator.flags(QUESTION, 10) == ()
    assert await moderator.flags(QUESTION, 10) == ("hate",)


async def test_a_slow_service_delays_nobody_for_long(
    openai_server: OpenAIServer, moderator: Moderator
) -> None:
    hasty = Moderator(openai_server.base_url, API_KEY, MODEL, 2)
    openai_server.script(Flagged(["hate"]), Slow(8, Flagged(["hate"])), on="moderations")
    assert await moderator.flags(QUESTION, 10) == ("hate",)  # now all that is slow to load is there
    assert await hasty.flags(QUESTION, 10) == ()
    await hasty.close()


async def test_a_service_that_fails_again_and_again_is_left_alone(
    openai_server: OpenAIServer, moderator: Moderator
) -> None:
    openai_server.answer_with(lambda request: Failure(503), on="moderations")
    for _ in range(MAX_FAILURES + 2):
        assert await moderator.flags(QUESTION, 10) == ()
    assert len(openai_server.moderated) == MAX_FAILURES


async def test_a_service_without_moderation_is_left_alone(
    openai_server: OpenAIServer, moderator: Moderator
) -> None:
    openai_server.missing_paths = {"/v1/moderations"}
    assert await moderator.flags(QUESTION, 10) == ()
    assert await moderator.flags(QUESTION, 10) == ()
    assert len(openai_server.moderated) == 1


async def test_no_time_left_asks_nothing(openai_server: OpenAIServer, moderator: Moderator) -> None:
    assert await moderator.flags(QUESTION, 0) == ()
    assert openai_server.moderated == []
