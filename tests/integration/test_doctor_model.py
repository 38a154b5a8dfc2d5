"""`quoth doctor model` against a server of one's own that writes well, badly or not at all."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from click.testing import CliRunner, Result

from quoth.cli import main
from quoth.doctor.model_checks import NOT_ANSWERED
from quoth.embeddings.minilm import NAME
from quoth.models import NoModelNamed, embeds_here, model_settings
from tests.openai_server import replies as r
from tests.openai_server.programs import Program
from tests.openai_server.service import OpenAIServer, OwnServer, Recorded, Script

MODEL = "qwen3:8b"
VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "QUOTH_MODEL", "QUOTH_JUDGE_MODEL")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch, openai_server: OpenAIServer) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    openai_server.own = OwnServer(MODEL)


def examine(server: OpenAIServer, *options: str, model: str = MODEL) -> Result:
    given = {"OPENAI_BASE_URL": server.base_url, "QUOTH_MODEL": model}
    return CliRunner().invoke(main, ["doctor", "model", *options], env=given)


def verdicts(server: OpenAIServer, model: str = MODEL) -> dict[str, str]:
    result = examine(server, "--json", model=model)
    found = {each["check"]: each["verdict"] for each in json.loads(result.output)}
    assert result.exit_code == int("failed" in found.values())
    return found


def fitting(sentence: int, ids: list[str] | None = None) -> Script:
    """Answers with a sentence of the context, and none to the last question."""

    def script(request: Recorded) -> r.Reply:
        if NOT_ANSWERED in request.data:
            return r.Answer(status="none")
        id, text = list(request.sentences.items())[sentence]
        return r.Answer([(text, [id] if ids is None else ids)])

    return script


def test_a_model_that_keeps_to_the_schema_and_cites_passes(openai_server: OpenAIServer) -> None:
    openai_server.answer_with(fitting(1))
    assert set(verdicts(openai_server).values()) == {"ok"}
    assert len(openai_server.requests) == 3
    text = examine(openai_server).output
    assert f"3 of 3 answers of {MODEL} keep to it, asked for as structured output" in text
    assert "of 2 claims 2 cite only sentences it was given" in text
    assert "6 checks: 0 failed, 0 warnings" in text


@pytest.mark.parametrize("unknown", [{"text", "reasoning"}, set()], ids=["refused", "ignored"])
def test_a_model_that_is_told_the_schema_in_words_passes_and_it_says_so(
    openai_server: OpenAIServer, unknown: set[str]
) -> None:
    openai_server.own = OwnServer(MODEL, unknown=frozenset(unknown), has_usage=False)
    answers = fitting(1)

    def fenced(request: Recorded) -> r.Reply:
        if "JSON Schema" not in request.body["instructions"]:
            return r.Text("It is used for balance.")
        reply = answers(request)
        assert isinstance(reply, r.Answer)
        return r.Text(f"Of course!\n```json\n{r.written(reply)}\n```")

    openai_server.answer_with(fenced)
    result = examine(openai_server)
    assert result.exit_code == 0
    assert "told in words" in result.output


@pytest.mark.parametrize("told", [False, True], ids=["structured", "told"])
@pytest.mark.parametrize("older", [False, True], ids=["responses", "chat"])
@pytest.mark.parametrize("program", get_args(Program))
def test_the_forms_of_each_server_are_read(
    openai_server: OpenAIServer, program: Program, older: bool, told: bool
) -> None:
    unknown = frozenset({"text", "response_format"} if told else ())
    openai_server.own = OwnServer(MODEL, unknown, has_usage=not told, program=program)
    openai_server.missing_paths = {"/v1/responses"} if older else set()
    openai_server.answer_with(fitting(1))
    result = examine(openai_server)
    assert result.exit_code == 0
    assert ("Ollama has since 0.13.3" in result.output) == older
    assert ("told in words" in result.output) == told
    assert "6 checks: 0 failed, 0 warnings" in result.output


def test_a_model_that_writes_prose_alone_fails_the_schema(openai_server: OpenAIServer) -> None:
    openai_server.answer_with(lambda _: r.Text("The ZMP is used for balance."))
    assert verdicts(openai_server) == {"model.schema": "failed"}


@pytest.mark.parametrize("ids", [[], ["S9.9"], ["S1.1", "S7.1"]], ids=str)
def test_a_model_that_cites_nothing_it_was_given_fails(
    openai_server: OpenAIServer, ids: list[str]
) -> None:
    openai_server.answer_with(fitting(1, ids))
    assert verdicts(openai_server)["model.cites"] == "failed"


def test_a_model_that_says_nothing_fails(openai_server: OpenAIServer) -> None:
    openai_server.answer_with(lambda _: r.Answer(status="none"))
    assert verdicts(openai_server)["model.cites"] == "failed"


def test_invented_claims_and_answers_to_anything_are_warnings(openai_server: OpenAIServer) -> None:
    openai_server.answer_with(lambda _: r.Answer([("The robot costs 9,000 euros.", ["S1.1"])]))
    found = verdicts(openai_server)
    assert (found["model.proof"], found["model.refuses"]) == ("warning", "warning")
    assert examine(openai_server, "--strict").exit_code == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (r.Redirect("http://127.0.0.1:9/v1"), "redirects (307)"),
        (r.Failure(401), "API key is missing or was refused"),
        (r.Failure(500), "The service failed (500)"),
        (r.Dropped(), "Could not reach"),
    ],
    ids=["redirect", "key", "error", "dropped"],
)
def test_a_server_that_does_not_answer_is_named_with_a_remedy(
    openai_server: OpenAIServer, reply: r.Reply, said: str
) -> None:
    openai_server.answer_with(lambda _: reply)
    result = examine(openai_server)
    assert result.exit_code == 1
    assert said in result.output
    assert "→ " in result.output


def test_a_model_that_the_server_lacks_is_named(openai_server: OpenAIServer) -> None:
    result = examine(openai_server, model="qwen4:8b")
    assert "qwen4:8b: The service does not have this model" in result.output


def test_a_dead_server_is_named() -> None:
    given = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "QUOTH_MODEL": MODEL}
    result = CliRunner().invoke(main, ["doctor", "model"], env=given)
    assert result.exit_code == 1
    assert "Could not reach http://127.0.0.1:9/v1" in result.output


def test_says_what_to_set_without_a_model() -> None:
    assert "No model is set" in CliRunner().invoke(main, ["doctor", "model"]).output
    nameless = CliRunner().invoke(main, ["doctor", "model"], env={"OPENAI_BASE_URL": "http://x/v1"})
    assert "set QUOTH_MODEL" in nameless.output


def test_a_server_of_ones_own_needs_no_key_and_leaves_embeddings_to_the_bundled_model() -> None:
    own = {"OPENAI_BASE_URL": "http://localhost:11434/v1", "QUOTH_MODEL": MODEL}
    given = model_settings(own)
    assert given["QUOTH_OPENAI_API_KEY"]
    assert given["QUOTH_JUDGE_MODEL"] == "off"
    assert given["QUOTH_MODERATION_MODEL"] == ""
    assert embeds_here(own)
    assert embeds_here(own | {"OPENAI_API_KEY": "ollama"})
    assert not embeds_here(own | {"QUOTH_EMBEDDING_MODEL": NAME})
    assert model_settings(own | {"QUOTH_JUDGE_MODEL": MODEL})["QUOTH_JUDGE_MODEL"] == MODEL
    with pytest.raises(NoModelNamed, match="QUOTH_MODEL"):
        model_settings({"OPENAI_BASE_URL": "http://localhost:11434/v1"})


@pytest.mark.parametrize("url", ["", "https://api.openai.com/v1", "https://eu.api.openai.com/v1/"])
def test_openai_itself_embeds_judges_and_moderates(url: str) -> None:
    openai = {"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": url}
    given = model_settings(openai)
    assert given["QUOTH_OPENAI_API_KEY"] == "sk-x"
    assert not {"QUOTH_JUDGE_MODEL", "QUOTH_MODERATION_MODEL"} & given.keys()
    assert not embeds_here(openai)
    assert embeds_here({"OPENAI_BASE_URL": url})
