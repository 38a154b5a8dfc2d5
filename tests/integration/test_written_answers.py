"""Answers a model writes: what of them reaches a reader, and what the model gets to see."""

from __future__ import annotations

import uuid

import pytest

from functions.answer.refusals import INSUFFICIENT_SELECTION, OUT_OF_SCOPE
from functions.answer.write.prompts import PROMPT_VERSION
from tests.integration.events import Function
from tests.integration.sample_stage import Stage
from tests.integration.writers import (
    MODEL,
    PARAPHRASE,
    SELECTION,
    USE,
    ask,
    ask_selected,
    writes,
)
from tests.openai_server.replies import Answer, Reply
from tests.openai_server.service import OpenAIServer, Recorded

LIT = "The lighthouse of Pellworm was lit in 1907."
PUSH = "The ground can only push and never pull"


def test_claims_come_back_with_the_servers_own_citations(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    said = "The ZMP is used for dynamic balance control in bipedal walking."
    openai_server.answer_with(writes((said, USE)))
    answer = ask(writing_query)
    assert (answer["status"], answer["response"]) == ("answered", f"{said} [1]")
    (claim,) = answer["claims"]
    assert (claim["text"], claim["citations"]) == (said, [1])
    assert claim["verification"] in ("verbatim", "close")
    (citation,) = answer["citations"]
    assert citation["quote"]["exact"].startswith(USE)
    assert citation["url"] == "/balance-and-walking/zero-moment-point#what-the-zmp-is-used-for"
    assert answer["notices"] == []
    assert answer["metadata"]["limited_mode"] is False
    assert (answer["metadata"]["model"], answer["metadata"]["prompt_version"]) == (
        MODEL, PROMPT_VERSION
    )  # fmt: skip
    assert len(openai_server.requests) == 1
    (row,) = stage.database.run(
        "SELECT model_asked, model_returned, prompt_version, input_tokens > 0, output_tokens > 0,"
        " raw_output, checks FROM responses WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert row[:5] == (MODEL, MODEL, PROMPT_VERSION, True, True)
    assert said in str(row[5])
    assert [check["failed"] for check in list(row[6])] == [[]]  # type: ignore[call-overload]


def test_a_whole_sentence_of_the_book_is_called_verbatim(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    def script(request: Recorded) -> Reply:
        (id, text) = next((i, t) for i, t in request.sentences.items() if USE in t)
        return Answer([(text, [id])])

    openai_server.answer_with(script)
    assert [claim["verification"] for claim in ask(writing_query)["claims"]] == ["verbatim"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The ZMP is used for dynamic balance control.", "S99.1"),
        ("The ZMP makes excellent coffee for all engineers in Belgrade.", USE),
        ("The ZMP was presented by Miomir Vukobratović in January 1986.", "in January 1968"),
        ("The ZMP is not used for dynamic balance control in bipedal walking.", USE),
        ("The ZMP is used for dynamic balance control in quadrupedal walking.", USE),
        ("Marie Curie presented the idea in January 1968 at a congress.", "in January 1968"),
        ("https://evil.example explains dynamic balance control.", USE),
    ],
    ids=["unknown id", "invented", "number", "negation", "other word", "other name", "link"],
)
def test_the_book_stands_in_place_of_what_it_does_not_say_and_the_rest_stays(
    writing_query: Function, openai_server: OpenAIServer, text: str, words: str
) -> None:
    good = f"{PUSH}."
    question = "Who presented the ZMP, when, what is it used for, and what can the ground do?"
    openai_server.answer_with(writes((text, words), (good, PUSH)))
    answer = ask(writing_query, question)
    *replaced, last = answer["claims"]
    assert last["text"] == good
    assert answer["status"] == ("answered" if replaced else "partial")
    assert bool(replaced) == (words != "S99.1")
    assert all(words in claim["text"] for claim in replaced)
    assert {claim["verification"] for claim in replaced} <= {"verbatim"}
    assert text not in str(answer)


def test_quotes_alone_when_nothing_that_was_written_stands(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    lie = "The ZMP makes excellent coffee for all engineers in Belgrade."
    openai_server.answer_with(writes((lie, USE)))
    answer = ask(writing_query)
    assert answer["status"] == "answered"
    assert [claim["text"][: len(USE)] for claim in answer["claims"]] == [USE]
    assert (answer["notices"], answer["metadata"]["limited_mode"]) == ([], False)
    assert lie not in str(answer)
    (row,) = stage.database.run(
        "SELECT checks, validation_passed FROM responses WHERE query_id = %s",
        (answer["query_id"],),
    )
    ((check,), passed) = row  # type: ignore[misc]
    assert (check["text"], check["quoted"], check["confirmed"]) == (lie, True, False)
    assert check["failed"]
    assert passed is False


@pytest.mark.parametrize(
    "claims",
    [
        [("The ZMP was presented in 1821.", "S99.9")],
        [("The ZMP makes excellent coffee in Belgrade.", "S99.9"), ("It is tea.", "S77.7")],
    ],
    ids=["wrong number", "nothing that bears"],
)
def test_quotes_of_the_book_where_nothing_of_a_draft_can_be_shown(
    writing_query: Function,
    openai_server: OpenAIServer,
    stage: Stage,
    claims: list[tuple[str, str]],
) -> None:
    openai_server.answer_with(writes(*claims))
    answer = ask(writing_query)
    assert answer["status"] in ("answered", "partial")
    assert any(USE in claim["text"] for claim in answer["claims"])
    assert {claim["verification"] for claim in answer["claims"]} == {"verbatim"}
    assert [notice["code"] for notice in answer["notices"]] == ["draft_rejected"]
    assert answer["metadata"]["limited_mode"] is True
    assert not any(text in str(answer) for text, _ in claims)
    (row,) = stage.database.run(
        "SELECT raw_output, validation_passed, jsonb_array_length(checks), notices, limited_mode"
        " FROM responses JOIN queries USING (query_id) WHERE query_id = %s",
        (answer["query_id"],),
    )
    assert claims[0][0] in str(row[0])
    assert row[1:] == (False, len(claims), ["draft_rejected"], True)


def test_refuses_when_the_model_finds_no_answer(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(lambda request: Answer((), "none"))
    answer = ask(writing_query)
    assert (answer["status"], answer["response"]) == ("refused", OUT_OF_SCOPE)
    assert answer["refusal"]["reason"] == "out_of_scope"


def test_a_claim_beside_the_status_none_is_not_shown(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(writes((f"{USE}.", USE), status="none"))
    assert ask(writing_query)["response"] == OUT_OF_SCOPE


def test_never_calls_the_model_for_a_question_from_another_world(
    writing_query: Function, openai_server: OpenAIServer
) -> None:
    assert ask(writing_query, "Who painted the Mona Lisa?")["response"] == OUT_OF_SCOPE
    assert openai_server.requests == []


def test_asks_the_service_to_keep_nothing(
    writing_query: Function, writing_selected: Function, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(writes((PARAPHRASE, USE)))
    ask(writing_query)
    openai_server.answer_with(writes(("It is lit.", "lighthouse")))
    ask_selected(writing_selected, "When was the lighthouse lit?")
    assert len(openai_server.requests) >= 3
    assert {request.body["store"] for request in openai_server.requests} == {False}
    sent = str([request.body for request in openai_server.requests])
    assert "session" not in sent


def test_the_model_sees_only_sentences_of_the_book_when_the_book_is_asked(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    openai_server.answer_with(lambda request: Answer((), "none"))
    session = str(uuid.uuid4())
    ask(writing_query, "How far can the elbow of the arm turn?", session_id=session)
    ask(writing_query, selected_text=SELECTION, session_id=session)
    request = openai_server.requests[-1]
    assert "Pellworm" not in str(request.body)
    assert "How far can the elbow" not in str(request.body)
    rows = stage.database.run("SELECT body ->> 'text' FROM chunks")
    book = " ".join(" ".join(str(row[0]) for row in rows).split())
    assert len(request.sentences) > 5
    plain = [text for text in request.sentences.values() if text.isascii() and "$" not in text]
    known = [text for text in plain if text in book]
    assert len(known) > len(plain) / 2  # the others carry marks in the source


def test_the_model_sees_only_the_selection_when_the_selection_is_asked(
    writing_selected: Function, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(lambda request: Answer((), "none"))
    answer = ask_selected(writing_selected, "When was the lighthouse of Pellworm lit?")
    assert answer["response"] == INSUFFICIENT_SELECTION
    (request,) = openai_server.requests
    assert " ".join(request.sentences.values()) == SELECTION


def test_at_most_ten_thousand_characters_of_a_selection_reach_the_model(
    writing_selected: Function, openai_server: OpenAIServer
) -> None:
    paragraph = "The harbour has ships that come and go with the tide. Some carry wool or salt."
    text = "\n\n".join([*[paragraph] * 200, SELECTION])
    openai_server.answer_with(writes((LIT, "lit in 1907")))
    answer = ask_selected(writing_selected, "When was the lighthouse of Pellworm lit?", text)
    assert answer["response"] == f"{LIT} [1]"
    assert answer["truncation_warning"]
    (request,) = openai_server.requests
    assert 5_000 < sum(len(sentence) for sentence in request.sentences.values()) <= 10_000


def test_the_selection_is_quoted_where_nothing_of_a_draft_can_be_shown(
    writing_selected: Function, openai_server: OpenAIServer
) -> None:
    openai_server.answer_with(writes(("The lighthouse was lit in 1821.", "S9.9")))
    answer = ask_selected(writing_selected, "When was the lighthouse of Pellworm lit?")
    assert answer["claims"][0]["text"].startswith(LIT)
    assert "lit in 1821" not in str(answer)  # the year alone may stand in an id
    assert [notice["code"] for notice in answer["notices"]] == ["draft_rejected"]
    assert answer["in_selected_text"] is True
