from __future__ import annotations

import json
from dataclasses import replace

import pytest

from functions.adapters.postgres.admission import Begun
from functions.answer.answers import Answer, Claim, SectionLink
from functions.answer.chain import answer_from
from functions.answer.gate.calibration import Calibration, Signals
from functions.answer.layout import ClaimPart, ListItem
from functions.answer.refusals import REFUSALS
from functions.answer.write.prompts import PROMPT_VERSION
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, Usage
from functions.lifecycle.reply import (
    QueueTicket,
    Reply,
    answer_fields,
    answered,
    writer_notices,
)
from functions.web.build_response import notice_bodies, query_response, selected_response
from functions.web.sentences import BUDGET_SPENT, MODEL_DOWN, MORE_THAN_QUOTES, PART_SHOWN, QUEUED
from tests.unit.answer.contexts import SOON, STANDING, Scripted, context, selection

OPEN = Calibration(30, 0, 0, 0, 0)
NOTHING = Signals(0, 0, 0, 0)
REFUSED = Answer("refused", "No.", 0.25, NOTHING, refusal="out_of_scope", quotes_only=True)
CLAIM = (STANDING[0], ("S1.1",))


ASKED = Reply(query_id="q-1", response_id="r-1", session_id="s-1", mode="book-wide")


async def test_an_answer_is_sent_with_every_field() -> None:
    answer = await answer_from("small pushes", context(), Scripted(CLAIM), OPEN, "book", SOON)
    response = query_response(answered(ASKED, answer, Begun("run"), {}))
    (claim,), (citation,) = response.claims, response.citations
    assert (claim.text, claim.citations, claim.verification) == (CLAIM[0], (1,), "verbatim")
    assert citation is answer.citations[0]
    assert citation.quote == citation.quotes[0]
    sent = response.model_dump(mode="json")
    assert type(response).model_validate(sent) == response
    assert set(sent["citations"][0]) == set(type(citation).__slots__)
    assert (response.response, response.refusal) == (answer.text, None)


def test_a_refusal_names_its_reason_and_the_closest_sections() -> None:
    closest = (SectionLink("Balance", "/balance"),)
    reply = replace(answered(ASKED, REFUSED, Begun("run"), {}), closest=closest)
    response = query_response(reply)
    assert response.refusal is not None
    assert (response.refusal.reason, response.refusal.closest) == ("out_of_scope", [*closest])
    # Other refusals than the chain's are told in the sentence of their reason.
    bare = query_response(replace(ASKED, refusal="inappropriate"))
    assert (bare.status, bare.response) == ("refused", REFUSALS["inappropriate"])


def test_a_reader_is_told_once_why_there_are_only_quotes() -> None:
    def told(answer: Answer, budget: str = "open") -> list[str]:
        begun = Begun("run", budget=budget)  # type: ignore[arg-type]
        return [notice.text for notice in notice_bodies(writer_notices(answer, begun))]

    quotes = Answer("answered", "Yes.", 0.9, NOTHING, quotes_only=True)
    failed = Answer("answered", "Yes.", 0.9, NOTHING, quotes_only=True, writer_failed=True)
    assert told(quotes) == []
    assert told(quotes, "quotes") == [BUDGET_SPENT]
    assert told(failed) == told(failed, "quotes") == [MODEL_DOWN]
    assert told(REFUSED, "quotes") == []


async def test_a_reader_is_told_when_quotes_are_not_the_whole_answer() -> None:
    question = "Compare the ankle strategy with a capture step."
    answer = await answer_from(question, context(), QuoteWriter(), OPEN, "book", SOON)
    assert answer.status == "partial"
    assert [n.text for n in notice_bodies(writer_notices(answer, Begun("run")))] == [
        MORE_THAN_QUOTES
    ]
    away = replace(answer, writer_failed=True)
    notices = notice_bodies(writer_notices(away, Begun("run")))
    assert [n.text for n in notices] == [MODEL_DOWN, MORE_THAN_QUOTES]


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (ClaimPart("list", 0, 4, items=(ListItem(0, 1), ListItem(2, 4)), of=7), "2 of 7 items"),
        (ClaimPart("table", 0, 4, rows=(((0, 1),), ((2, 4),)), of=9), "2 of 9 rows"),
        (ClaimPart("code", 0, 4, of=90), "a part of the code"),
        (ClaimPart("table", 0, 4, rows=(((0, 4),),), of=9), None),  # the row that was asked for
        (ClaimPart("list", 0, 4, items=(ListItem(0, 1), ListItem(2, 4))), None),
    ],
)
def test_a_reader_is_told_that_a_block_is_not_shown_whole(
    part: ClaimPart, told: str | None
) -> None:
    claim = Claim("Legs", (1,), "verbatim", parts=(part,))
    answer = Answer("answered", "Legs [1]", 0.9, NOTHING, claims=(claim, claim))
    texts = [notice.text for notice in notice_bodies(writer_notices(answer, Begun("run")))]
    assert texts == ([PART_SHOWN.format(what=told)] if told else [])


def test_a_place_in_the_queue_is_a_ticket() -> None:
    ticket = QueueTicket("t-1", position=23, eta_s=15, poll_after_ms=1000)
    reply = replace(ASKED, status="queued", ticket=ticket)
    response = query_response(reply)
    assert response.model_dump()["ticket"] == {
        "id": "t-1", "position": 23, "eta_s": 15, "poll_after_ms": 1000
    }  # fmt: skip
    assert (response.status, response.query_id) == ("queued", "q-1")
    assert response.response == QUEUED.format(position=23, wait="15 seconds")
    waiting = selected_response(replace(reply, mode="selected-text"))
    assert (waiting.in_selected_text, waiting.try_mode, waiting.sources) == (False, None, [])


def test_a_refusal_is_no_limited_mode() -> None:
    reply = answered(ASKED, REFUSED, Begun("run", content_version="7"), {"search": 1.5})
    metadata = query_response(reply).metadata
    assert (metadata.limited_mode, metadata.confidence, metadata.content_version) == (
        False, 0.25, "7"
    )  # fmt: skip
    assert (metadata.model, metadata.prompt_version) == ("", "")
    assert metadata.timings_ms == {"search": 1.5}


async def test_a_record_tells_enough_to_replay_an_answer() -> None:
    lie = ("The ankle strategy corrects 99 pushes.", ("S1.1",))
    writer = Scripted(CLAIM, lie)
    writer._draft = Draft("full", writer._draft.claims, "raw words", Usage(70, 7, "model-2"))
    answer = await answer_from("small pushes", context(), writer, OPEN, "book", SOON)
    fields = answer_fields(answer, context(), "model-1")
    assert json.loads(json.dumps(fields))["raw_output"] == "raw words"
    assert (fields["model_asked"], fields["model_returned"]) == ("model-1", "model-2")
    assert fields["prompt_version"] == PROMPT_VERSION
    kept, dropped = fields["checks"]
    assert kept["failed"] == []
    assert "number" in dropped["failed"]
    assert fields["validation_passed"] is False
    assert len(fields["retrieved_chunk_ids"]) == len(fields["chunk_hashes"]) == 1
    assert fields["similarity_scores"] == [None]
    compared = replace(context(), cosines=dict.fromkeys(fields["retrieved_chunk_ids"], 0.31))
    assert answer_fields(answer, compared, "model-1")["similarity_scores"] == [0.31]


async def test_a_record_of_quotes_from_a_selection_names_no_model_and_no_chunk() -> None:
    answer = await answer_from("pushes", selection(), QuoteWriter(), OPEN, "selection", SOON)
    fields = answer_fields(answer, selection(), "model-1")
    assert (fields["model_asked"], fields["prompt_version"], fields["raw_output"]) == ("", "", None)
    assert fields["retrieved_chunk_ids"] == fields["similarity_scores"] == []
    assert fields["validation_passed"] is True
    refused = answer_fields(REFUSED, selection(), "")
    assert refused["validation_passed"] is refused["keyword_overlap_ratio"] is None
