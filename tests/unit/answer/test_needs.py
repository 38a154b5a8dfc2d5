from __future__ import annotations

import pytest

from functions.answer.write.quote_writer import needs_more_than_quotes

LATENCY = "Latency is the time between an event and the response."
JITTER = "Jitter is the variation of that time."
BOTH = "Latency differs from jitter in that jitter is the variation of latency."


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("What is the difference between latency and jitter?", [LATENCY, JITTER]),
        ("Compare latency and jitter.", [LATENCY, JITTER]),
        ("Is jitter worse than latency?", [LATENCY]),
        ("Why is jitter bad?", [JITTER]),
        ("Calculate the latency of two robots.", [LATENCY]),
        ("How many robots are there in total?", ["There are three robots.", "There are two."]),
    ],
)
def test_what_has_to_be_worked_out_needs_more_than_quotes(question: str, quotes: list[str]) -> None:
    assert needs_more_than_quotes(question, quotes)


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("What is latency?", [LATENCY]),
        ("What is the difference between latency and jitter?", [LATENCY, BOTH]),
        ("Why is jitter bad?", ["Jitter is bad because control loops expect even steps."]),
        ("What does forward kinematics calculate?", ["It gives the position of the hand."]),
        ("How do you compute the ZMP?", ["Divide the moment by the force."]),
        ("Why is jitter bad?", []),
        ("", [LATENCY]),
    ],
)
def test_what_a_quote_says_needs_no_more(question: str, quotes: list[str]) -> None:
    assert not needs_more_than_quotes(question, quotes)
