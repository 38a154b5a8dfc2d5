"""`quoth up` with a model of one's own: no key, no structured output, and the check as ever."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.up_process import Up, running_up
from tests.openai_server import replies as r
from tests.openai_server.scripts import is_judging
from tests.openai_server.service import OpenAIServer, OwnServer, Recorded

MODEL = "qwen3:8b"
QUESTION = "When was the lamp of Pellworm lit?"
LIGHT = """# Lighthouses

## Pellworm

The lamp of Pellworm was lit in 1907. It can be seen from a distance of twenty nautical miles.
"""
NO_STRUCTURE = OwnServer(MODEL, unknown=frozenset({"text", "reasoning"}), has_usage=False)


@pytest.fixture(scope="module")
def up(running_openai_server: OpenAIServer) -> Iterator[Up]:
    folder = Path(tempfile.mkdtemp(prefix="quoth-own-"))
    folder.chmod(0o755)
    (folder / "book").mkdir()
    (folder / "book" / "light.md").write_text(LIGHT)
    own = {"OPENAI_BASE_URL": running_openai_server.base_url, "QUOTH_MODEL": MODEL}
    with running_up(folder / "book", folder / "data", OPENAI_API_KEY="", **own) as up:
        yield up
    shutil.rmtree(folder)


def in_a_fence(claim: str) -> r.Text:
    return r.Text(f"Here you are:\n```json\n{r.written(r.Answer([(claim, ['S1.1'])]))}\n```")


def test_shows_what_the_check_proves_of_an_answer_in_a_code_fence(
    up: Up, openai_server: OpenAIServer
) -> None:
    openai_server.own = NO_STRUCTURE
    openai_server.answer_with(lambda _: in_a_fence("The lamp of Pellworm was lit in 1907."))
    answer = up.ask(QUESTION)
    assert answer["status"] == "answered"
    assert answer["metadata"]["model"] == MODEL
    assert answer["response"].startswith("The lamp of Pellworm was lit in 1907.")
    assert {one.path for one in openai_server.requests} == {"/v1/responses"}
    assert openai_server.moderated == []


@pytest.mark.parametrize(
    "claim", ["The lamp of Pellworm was lit in 1912.", "Pellworm got its light long ago."]
)
def test_quotes_what_the_check_does_not_prove_and_asks_that_model_for_no_verdict(
    up: Up, openai_server: OpenAIServer, claim: str
) -> None:
    asked: list[Recorded] = []

    def vouches(request: Recorded) -> r.Reply:
        asked.append(request)
        return r.Verdicts([True]) if is_judging(request) else in_a_fence(claim)

    openai_server.own = NO_STRUCTURE
    openai_server.answer_with(vouches)
    answer = up.ask(QUESTION)
    assert claim not in answer["response"]
    assert "The lamp of Pellworm was lit in 1907." in answer["response"]
    assert {each["verification"] for each in answer["claims"]} == {"verbatim"}
    assert asked
    assert not any(map(is_judging, asked))
