"""What tests ask of a standing book, and what they read of the answers."""

from __future__ import annotations

import uuid
from typing import Any

from tests.integration.events import Function, Reply
from tests.integration.standing import Standing

BALANCE = "What is the ZMP used for?"


def ask(function: Function, question: str = BALANCE, session: str = "", **more: Any) -> Reply:
    body = {"question": question, "session_id": session or str(uuid.uuid4()), "fresh": True}
    return function.post("/query", body | more)


def notices_of(reply: Reply) -> list[tuple[str, str]]:
    return [(notice["code"], notice["text"]) for notice in reply.answer["notices"]]


def is_an_answer(reply: Reply) -> bool:
    answer = reply.answer
    return answer["status"] == "answered" and "dynamic balance control" in answer["response"]


def recorded(parts: Standing, query_id: str) -> list[tuple[object, ...]]:
    return parts.sql(
        "SELECT status FROM queries JOIN responses USING (query_id) WHERE query_id = %s",
        (query_id,),
    )
