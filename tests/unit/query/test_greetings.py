"""What is a greeting, and what asks something."""

from __future__ import annotations

import pytest

from functions.query.intents.greetings import GUIDE, WELCOME, guide_for


@pytest.mark.parametrize(
    "said",
    ["hi", "Hi!", "hello there", "Hey", "Good morning!", "hello, how are you?", "help",
     "What can you do?", "👋", "?"],
)  # fmt: skip
def test_a_greeting_is_told_what_to_ask(said: str) -> None:
    assert guide_for(said) == GUIDE


@pytest.mark.parametrize(
    "said",
    ["thanks!", "Thank you, that helped", "Great, thanks a lot!", "ok", "Perfect.", "bye",
     "Thank you very much for your help", "got it, thanks"],
)  # fmt: skip
def test_thanks_are_answered_as_thanks(said: str) -> None:
    assert guide_for(said) == WELCOME


@pytest.mark.parametrize(
    "asked",
    ["hi, what is ZMP?", "Hello robots", "thanks, and why?", "What is a good day for a robot?",
     "help me understand torque", "Is that a good answer to the balance problem?", "ZMP", "why?",
     "Thank you. What does chapter 4 cover?", "hi " * 60],
)  # fmt: skip
def test_what_asks_more_is_a_question(asked: str) -> None:
    assert guide_for(asked) is None
