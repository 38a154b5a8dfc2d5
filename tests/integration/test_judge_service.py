"""The judge of paraphrases: what it confirms is shown, and everything else is quoted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import functions.query.app
import functions.selected.app
from functions.answer.write.prompts import ENTAILMENT_INSTRUCTIONS
from tests.integration.conftest import Open
from tests.integration.events import Function
from tests.integration.sample_stage import Stage
from tests.integration.writers import (
    LAMP,
    LAMP_PARAPHRASE,
    MODEL,
    OTHER_PARAPHRASE,
    PARAPHRASE,
    SELECTION,
    USE,
    ask,
    ask_selected,
    is_judging,
)
from tests.openai_server.replies import (
    Answer,
    Declined,
    Dropped,
    Failure,
    Reply,
    Slow,
    Text,
    Truncated,
    Verdicts,
)
from tests.openai_server.service import OpenAIServer, Recorded

JUDGE = "gpt-5.4-nano"


def judges(*texts: str, verdict: Reply) -> Callable[[Recorded], Reply]:
    """A model that claims each text on the same sentence, and then judges so."""

    def script(request: Recorded) -> Reply:
        if is_judging(request):
            return verdict
        id = next(id for id, text in request.sentences.items() if USE in text)
        return Answer([(text, [id]) for text in texts])

    return script


def shown(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(claim["text"], claim["verification"]) for claim in answer["claims"]]


def assert_quoted(answer: dict[str, Any]) -> None:
    """The cited sentence alone, whole: an answer like any other."""
    ((text, verification),) = shown(answer)
    assert text.startswith(USE)
    assert text.endswith(".")
    assert (verification, answer["status"], answer["notices"]) == ("verbatim", "answered", [])
    assert answer["metadata"]["limited_mode"] is False
    assert PARAPHRASE not in json.dumps(answer)


def checks_of(stage: Stage, answer: dict[str, Any]) -> list[dict[str, Any]]:
    ((checks,),) = stage.database.run(
        "SELECT checks FROM responses WHERE query_id = %s", (answer["query_id"],)
    )
    return checks  # type: ignore[return-value]


def test_a_confirmed_paraphrase_is_shown_marked_and_recorded(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=Verdicts([True])))
    answer = ask(writing_query)
    assert (answer["status"], shown(answer)) == ("answered", [(PARAPHRASE, "paraphrase")])
    wrote, judged = openai_server.requests
    assert not is_judging(wrote)
    assert is_judging(judged)
    assert judged.body["instructions"] == ENTAILMENT_INSTRUCTIONS
    assert judged.body["store"] is False
    assert PARAPHRASE in judged.data
    assert USE in judged.data
    (check,) = checks_of(stage, answer)
    assert (check["proof"], check["confirmed"], check["failed"], check["quoted"]) == (
        "paraphrase", True, [], False
    )  # fmt: skip
    ((body,),) = stage.database.run(
        "SELECT body FROM responses WHERE query_id = %s", (answer["query_id"],)
    )
    assert body["claims"][0]["verification"] == "paraphrase"  # type: ignore[call-overload]


def test_all_paraphrases_of_an_answer_go_in_one_call_and_unknown_ids_never(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    def script(request: Recorded) -> Reply:
        if is_judging(request):
            return Verdicts([False, True, True])
        id = next(id for id, text in request.sentences.items() if USE in text)
        return Answer(
            [(PARAPHRASE, [id]), (OTHER_PARAPHRASE, [id]), ("It is used for soup.", ["S88.1"])]
        )

    openai_server.answer_with(script)
    answer = ask(writing_query)
    assert [is_judging(request) for request in openai_server.requests] == [False, True]
    assert "soup" not in openai_server.requests[1].data
    (quote,) = shown(answer)  # it says what the confirmed claim on the same sentence says
    assert quote[0].startswith(USE)
    assert quote[1] == "verbatim"
    assert answer["status"] == "partial"
    kept = [(check["confirmed"], check["quoted"]) for check in checks_of(stage, answer)]
    assert kept == [(False, True), (True, False), (False, False)]


BAD: dict[str, Reply] = {
    "denies": Verdicts([False]),
    "no verdicts": Verdicts([]),
    "both ways": Text(
        '{"verdicts": [{"pair": 1, "supported": true}, {"pair": 1, "supported": false}]}'
    ),
    "another pair": Text('{"verdicts": [{"pair": 2, "supported": true}]}'),
    "pair 0": Text('{"verdicts": [{"pair": 0, "supported": true}]}'),
    "declines": Declined(),
    "prose": Text("Yes, it is supported."),
    "no JSON": Text('{"verdicts": ['),
    "a bare list": Text("[true]"),
    "a word for a verdict": Text('{"verdicts": [{"pair": 1, "supported": "certainly"}]}'),
    "truncated": Truncated(Verdicts([True])),
    "down": Failure(503),
    "busy": Failure(429, "rate_limit_exceeded"),
    "refused": Failure(401, "invalid_api_key"),
    "unknown model": Failure(404, "model_not_found"),
    "hangs up": Dropped(),
}


@pytest.mark.parametrize("verdict", BAD.values(), ids=BAD)
def test_what_no_verdict_confirms_is_quoted(
    writing_query: Function, openai_server: OpenAIServer, verdict: Reply
) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=verdict))
    assert_quoted(ask(writing_query))


def test_a_late_judge_costs_its_own_seconds_and_no_answer(
    writing: Open, openai_server: OpenAIServer, stage: Stage
) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=Slow(15.0, Verdicts([True]))))
    function = writing(functions.query.app, "query", judge_seconds=0.5)
    answer = ask(function)
    assert_quoted(answer)
    assert answer["metadata"]["timings_ms"]["judge"] < 10_000
    assert [check["quoted"] for check in checks_of(stage, answer)] == [True]


def test_the_time_of_the_judge_is_within_the_requests(
    writing: Open, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=Slow(15.0, Verdicts([True]))))
    function = writing(functions.query.app, "query", judge_seconds=60.0, request_seconds=2.0)
    assert_quoted(ask(function))


def test_the_judge_has_a_model_of_its_own(writing: Open, openai_server: OpenAIServer) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=Verdicts([True])))
    answer = ask(writing(functions.query.app, "query", judge_model=JUDGE))
    assert shown(answer) == [(PARAPHRASE, "paraphrase")]
    assert [request.body["model"] for request in openai_server.requests] == [MODEL, JUDGE]
    assert answer["metadata"]["model"] == MODEL


def test_without_a_model_of_its_own_the_one_that_writes_judges(
    writing: Open, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=Verdicts([True])))
    ask(writing(functions.query.app, "query"))
    assert [request.body["model"] for request in openai_server.requests] == [MODEL, MODEL]


def test_a_judge_that_is_switched_off_is_not_called(
    writing: Open, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=Verdicts([True])))
    assert_quoted(ask(writing(functions.query.app, "query", judge_model="off")))
    assert [is_judging(request) for request in openai_server.requests] == [False]


def test_the_judges_call_is_counted_with_the_writers(
    writing: Open, openai_server: OpenAIServer, stage: Stage
) -> None:
    def cost(model: str) -> tuple[int, float]:
        openai_server.answer_with(judges(PARAPHRASE, verdict=Verdicts([True])))
        answer = ask(writing(functions.query.app, "query", judge_model=model))
        ((read, dollars),) = stage.database.run(
            "SELECT input_tokens, cost_usd::float8 FROM responses WHERE query_id = %s",
            (answer["query_id"],),
        )
        return int(str(read)), float(str(dollars))

    without, judged = cost("off"), cost("")
    assert judged[0] > without[0]
    assert judged[1] > without[1]


def test_nobody_judges_when_the_budget_is_spent(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=Verdicts([True])))
    stage.database.run("UPDATE limit_settings SET daily_ceiling_usd = 0")
    try:
        answer = ask(writing_query)
    finally:
        stage.database.run("UPDATE limit_settings SET daily_ceiling_usd = NULL")
    assert [notice["code"] for notice in answer["notices"]] == ["budget_spent"]
    assert openai_server.requests == []


def test_a_judge_that_keeps_failing_is_left_alone_and_the_writer_is_not(
    writing: Open, openai_server: OpenAIServer, stage: Stage
) -> None:
    openai_server.answer_with(judges(PARAPHRASE, verdict=Failure(401, "invalid_api_key")))
    function = writing(functions.query.app, "query", judge_model=JUDGE)
    for _ in range(5):
        assert_quoted(ask(function))
    openai_server.requests.clear()
    openai_server.answer_with(judges(PARAPHRASE, verdict=Verdicts([True])))
    assert_quoted(ask(function))
    assert [is_judging(request) for request in openai_server.requests] == [False]
    stage.database.run("DELETE FROM part_states")
    function.forget_failures()
    assert shown(ask(function)) == [(PARAPHRASE, "paraphrase")]


def test_an_answer_without_its_verdicts_is_not_given_again_when_the_judge_is_back(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    question = "The ZMP, what is it used for?"
    openai_server.answer_with(judges(PARAPHRASE, verdict=Failure(503)))
    assert_quoted(ask(writing_query, question, fresh=False))
    openai_server.answer_with(judges(PARAPHRASE, verdict=Verdicts([True])))
    assert shown(ask(writing_query, question, fresh=False)) == [(PARAPHRASE, "paraphrase")]


def test_a_judge_cannot_save_what_breaks_a_rule(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    lies = ("The ZMP is used in 99 robots.", "The ZMP is not used for dynamic balance control.")
    openai_server.answer_with(judges(*lies, verdict=Verdicts([True] * 9)))
    assert_quoted(ask(writing_query))


def test_paraphrases_of_a_selection_are_judged_too(
    writing: Open, openai_server: OpenAIServer
) -> None:
    def script(verdict: bool) -> Callable[[Recorded], Reply]:
        return lambda request: (
            Verdicts([verdict]) if is_judging(request) else Answer([(LAMP_PARAPHRASE, ["S1.2"])])
        )

    function = writing(functions.selected.app, "selected", judge_model=JUDGE)
    question = "From what distance can the lamp of the lighthouse be seen?"
    openai_server.answer_with(script(True))
    assert shown(ask_selected(function, question)) == [(LAMP_PARAPHRASE, "paraphrase")]
    assert [request.body["model"] for request in openai_server.requests] == [MODEL, JUDGE]
    openai_server.answer_with(script(False))
    lit = SELECTION.partition(". ")[0]
    assert shown(ask_selected(function, question)) == [(f"{lit}. {LAMP}", "verbatim")]
