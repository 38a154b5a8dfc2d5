"""A model that answers from what it knows, not from the selection: no word of it is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from functions.answer.refusals import INSUFFICIENT_SELECTION, NOT_IN_SELECTION
from tests.integration.events import Function
from tests.integration.writers import ask_selected, is_judging
from tests.openai_server.replies import Answer, Reply, Verdicts
from tests.openai_server.service import OpenAIServer, Recorded

ROWS = json.loads(Path(__file__).with_name("outside_knowledge.json").read_text("utf-8"))
PASSAGES = [
    "The lighthouse of Pellworm was lit in 1907. Its lamp can be seen from a distance of twenty "
    "nautical miles. Couples have been marrying in its small round chamber since 1998.",
    "The zero moment point is used for balance in walking: the motion is planned so that the point "
    "stays inside the support polygon, and the foot of the robot does not begin to rotate.",
    "Bees see ultraviolet light, which people cannot. Many flowers carry marks that only bees can "
    "see, and these marks lead the bee to the nectar deep inside the flower.",
    "Solder the sensor to the controller board with short wires. Long wires pick up noise from the "
    "motors, and the readings of the sensor then jump although the arm stands still.",
]


def knows(outside: str, question: str) -> str:
    """A sentence as a model would write it."""
    return f"{question.removesuffix('?')}: it is {outside}."


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_shows_no_word_of_what_a_model_knows_from_elsewhere(
    writing_selected: Function, openai_server: OpenAIServer, number: int
) -> None:
    row = ROWS[number]
    form = ("bare", "sentence", "with a true half")[number % 3]
    passage = PASSAGES[int(row["passage"])]
    outside = row["outside"]

    def answer(request: Recorded) -> Reply:
        if is_judging(request):
            return Verdicts([False] * 8)
        ids = list(request.sentences)
        text = outside if form == "bare" else knows(outside, row["question"])
        if form == "with a true half":
            text = f"{request.sentences[ids[0]].rstrip('.')}, and it is {outside}."
        return Answer([(text, ids[:1])])

    openai_server.answer_with(answer)
    reply = ask_selected(writing_selected, row["question"], passage)
    assert outside not in json.dumps(reply, ensure_ascii=False)
    if reply["status"] != "refused":
        (claim,) = reply["claims"]
        assert claim["verification"] == "verbatim"
        assert passage.startswith(claim["text"])
        return
    assert (reply["claims"], reply["citations"]) == ([], [])
    assert (reply["refusal"]["reason"], reply["response"]) in {
        ("insufficient_selection", INSUFFICIENT_SELECTION),
        ("not_grounded", NOT_IN_SELECTION),
    }
