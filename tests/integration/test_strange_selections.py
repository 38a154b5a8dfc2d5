"""Selections that no book holds: an answer or a clear refusal, and nothing carried out."""

from __future__ import annotations

import json
import uuid

import pytest

from functions.web.sentences import SELECTION_TOO_SHORT
from tests.integration.events import Function, Reply
from tests.integration.sample_stage import Stage

LAMP = (
    "The lighthouse of Pellworm was lit in 1907. Its lamp can be seen from a distance of twenty "
    "nautical miles. Couples have been marrying in its small round chamber since 1998."
)
STRANGE = {
    "right to left": "מגדלור הוא מבנה גבוה שמאיר את הים בלילה. " * 4 + LAMP,
    "marks of direction": LAMP.replace(" ", " \u202e\u2066"),
    "emoji": LAMP.replace(". ", ". 👩‍🚀🏳️‍🌈🗼 "),
    "halves of characters": "\ud83d " + LAMP + " \udc00",
    "NUL and controls": LAMP.replace(" ", "\x00 \x07"),
    "script": "<script>alert('lit')</script><img src=x onerror=alert(1)>\n\n" + LAMP,
    "template": "{{7*7}} ${7*7} <%= 7*7 %> #{7*7}\n\n" + LAMP,
    "statement": "'; DROP TABLE queries; --\n\n" + LAMP,
    "combining marks": LAMP.replace("lamp", "l" + "\u0301" * 500 + "amp"),
    "one long word": "w" * 50_000 + " " + LAMP,
}


def ask(function: Function, text: str) -> Reply:
    return function.post(
        "/query-selected-text",
        {
            "question": "When was the lighthouse of Pellworm lit?",
            "selected_text": text,
            "session_id": str(uuid.uuid4()),
            "source": {"source_path": "docs/intro.md"},
        },
    )


@pytest.mark.parametrize("name", STRANGE)
def test_answers_from_strange_text_as_from_any(selected: Function, stage: Stage, name: str) -> None:
    answer = ask(selected, STRANGE[name]).answer
    assert answer["status"] in ("answered", "partial", "refused")
    if answer["status"] != "refused":
        assert "1907" in answer["response"]
    assert answer["verified_source"] is None
    assert "\x00" not in json.dumps(answer)
    (row,) = stage.database.run(
        "SELECT selected_text FROM queries WHERE query_id = %s", (answer["query_id"],)
    )
    assert "\x00" not in str(row[0])


@pytest.mark.parametrize("name", ["emoji", "script", "template", "statement"])
def test_finds_the_answer_beside_what_is_strange(selected: Function, name: str) -> None:
    assert "lit in 1907" in ask(selected, STRANGE[name]).answer["response"]


@pytest.mark.parametrize("text", [" \n\t " * 50, "\u200b\u00a0" * 50, "\x00" * 50, "?!. " * 50])
def test_text_without_words_is_too_short(selected: Function, text: str) -> None:
    message = ask(selected, text)
    assert message.status == 422
    assert message.body["code"] in ("selection_too_short", "invalid_request")
    if message.body["code"] == "selection_too_short":
        assert message.body["message"] == SELECTION_TOO_SHORT.format(minimum=20)


@pytest.mark.parametrize("text", ["lamp " * 210_000, "w" * 1_000_000])
def test_a_megabyte_is_refused_in_a_sentence(selected: Function, text: str) -> None:
    assert ask(selected, text).error(413, "too_large") == "The request is too large."
