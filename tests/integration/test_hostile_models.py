"""Nothing a model makes up reaches a reader, on any route, even when it vouches for itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

import functions.query.app
import functions.selected.app
from functions.answer.refusals import OUT_OF_SCOPE
from functions.answer.write import prompts
from tests.integration.conftest import Open
from tests.integration.hostile import (
    CLAIMS,
    EVIL,
    GOOD,
    MARKER,
    ONLY_A_READER_TELLS,
    PUSH,
    REPLIES,
    SLIP,
    USE,
    replies_with,
    writes_row,
)
from tests.integration.sample_stage import BOOK, Stage
from tests.integration.writers import ask, ask_selected
from tests.openai_server.replies import Reply
from tests.openai_server.service import OpenAIServer, Recorded

PAGE = "docs/03-balance-and-walking/02-zero-moment-point.md"
QUESTION = (
    "What is the zero moment point used for, what can the ground do, when does the robot tip or"
    " slip, how far does the ZMP shift, and when was the idea presented?"
)
ROUTES = ("book-wide", "highlight", "selected-text")

Ask = Callable[[Callable[[Recorded], Reply]], dict[str, Any]]


@pytest.fixture(scope="module")
def page() -> str:
    """What the page on the ZMP says, without its marks."""
    text = (BOOK / PAGE).read_text("utf-8").split("---", 2)[2]
    return " ".join(text.split()).replace("**", "")


@pytest.fixture
def asks(
    writing: Open, openai_server: OpenAIServer, stage: Stage, page: str
) -> Callable[[str], Ask]:
    """`asks(route)`: ask on a route, with a model that follows a script."""
    (last,) = stage.database.run(
        "SELECT max(index) FROM blocks JOIN documents ON documents.id = document_id"
        " WHERE source_path = %s",
        (PAGE,),
    )

    def on(route: str) -> Ask:
        if route == "selected-text":
            function = writing(functions.selected.app, "selected")
        else:
            function = writing(functions.query.app, "query")

        def one(script: Callable[[Recorded], Reply]) -> dict[str, Any]:
            openai_server.answer_with(script)
            if route == "selected-text":
                return ask_selected(function, QUESTION, page)
            if route == "book-wide":
                return ask(function, QUESTION)
            place = {
                "text": page[:500],
                "source_path": PAGE,
                "start_block": 0,
                "end_block": last[0],
            }
            return ask(function, QUESTION, mode="highlight", highlight=place)

        return one

    return on


def assert_clean(answer: dict[str, Any], script_texts: list[str], known: str) -> None:
    """Only what the book says, in the whole JSON."""
    said = json.dumps(answer, ensure_ascii=False)
    assert EVIL not in said
    assert MARKER not in said
    words = re.findall(r"[^\W_]+", prompts.INSTRUCTIONS.lower())
    told = " ".join(re.findall(r"[^\W_]+", said.lower()))
    runs = {" ".join(words[at : at + 8]) for at in range(len(words) - 7)}
    assert not [run for run in runs if run in told]
    for text in script_texts:
        ours = text == GOOD or text in OUT_OF_SCOPE
        assert ours or text not in said, text
    for claim in answer["claims"]:
        flat = " ".join(claim["text"].split())
        assert flat in known or answer["metadata"]["limited_mode"], claim
    if answer["status"] == "refused":
        assert answer["claims"] == answer["citations"] == []


@pytest.mark.parametrize("route", ROUTES)
def test_the_rows_could_be_believed(route: str, asks: Callable[[str], Ask], page: str) -> None:
    answer = asks(route)(writes_row([(GOOD, PUSH)]))
    assert [claim["text"] for claim in answer["claims"]] == [GOOD]
    assert answer["claims"][0]["verification"] == "verbatim"


@pytest.mark.parametrize("route", ROUTES)
def test_no_made_up_claim_reaches_a_reader(
    route: str, asks: Callable[[str], Ask], page: str
) -> None:
    one = asks(route)
    shown = {}
    for name, claim in CLAIMS.items():
        answer = one(writes_row([claim], swears=name not in ONLY_A_READER_TELLS))
        if any(each["verification"] != "verbatim" for each in answer["claims"]):
            shown[name] = answer["response"]
            continue
        assert_clean(answer, [claim[0]], page)
    assert shown == {}


@pytest.mark.parametrize("route", ROUTES)
def test_the_sentence_that_a_made_up_claim_cites_stands_in_its_place(
    route: str, asks: Callable[[str], Ask], page: str
) -> None:
    answer = asks(route)(writes_row([CLAIMS["wrong number"], CLAIMS["negation dropped"]]))
    slip, push = answer["claims"]
    assert SLIP in slip["text"]
    assert PUSH in push["text"]
    assert answer["status"] == "answered"
    quoted = asks(route)(writes_row([CLAIMS["unknown id"], CLAIMS["id as a link"]]))
    assert {claim["verification"] for claim in quoted["claims"]} == {"verbatim"}
    assert "draft_rejected" in {notice["code"] for notice in quoted["notices"]}
    assert_clean(quoted, [CLAIMS["unknown id"][0], CLAIMS["id as a link"][0]], page)


@pytest.mark.parametrize("route", ROUTES)
def test_a_true_claim_survives_among_made_up_ones(
    route: str, asks: Callable[[str], Ask], page: str
) -> None:
    answer = asks(route)(writes_row([*CLAIMS.values(), (GOOD, PUSH)][-12:]))
    shown = [claim["text"] for claim in answer["claims"]]
    assert shown[-1] == GOOD
    assert len(set(shown)) == len(shown) == 2
    assert USE in shown[0]
    assert_clean(answer, [text for text, _ in CLAIMS.values()], page)


@pytest.mark.parametrize("route", ROUTES)
def test_no_output_of_another_form_reaches_a_reader(
    route: str, asks: Callable[[str], Ask], page: str
) -> None:
    one = asks(route)
    for name, reply in REPLIES.items():
        answer = one(replies_with(reply))
        assert answer["status"] in ("refused", "answered", "partial"), name
        assert_clean(answer, ["The ZMP makes excellent coffee"], page)
        if answer["status"] != "refused":
            assert answer["metadata"]["limited_mode"], name
            assert {claim["verification"] for claim in answer["claims"]} == {"verbatim"}
