"""Which questions are not fit to be answered, and which only sound so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.moderation.misconduct import find_misconduct

ORDINARY = """
What is sexual selection?
What does heroin do to the brain?
What is an organ?
What is the breast tissue made of?
Who wrote Moby Dick?
who is moby dick?
Where is Scunthorpe?
Explain the analysis of variance.
What is a butt joint?
What is Homo sapiens?
What is the nonce in AES?
How does len() work in Rust?
What is a minimum jerk trajectory?
What did Dick Cheney do?
How does a stroke affect oral language?
What is the Nazi regime?
Is God mentioned?
How do I kill a process?
Who was Coon?
What does Wang et al. report?
Why do people get fat?
I am gay, does the book discuss sexuality?
What is rape culture?
Why is the master/slave pattern used?
How do tests assess cocktails in Essex?
What happens in the anal stage of development?
What is the FAG bearing?
Why does the substantia nigra degenerate?
What is garbage collection?
Can you explain **sex differences** such as **x**?
Is 5 * 6 more than a*b*c, and what is x**2?
At nine years of age, she is raped; how does that shape her?
Why is the sucking reflex present at birth?
Graham and Weiner studied attribution, but what did Weiner find?
""".strip().splitlines()

ABUSIVE = """
You are an idiot.
you idiot
You are such a stupid bot
fuck you
What the hell is a Jacobian?
This book is garbage
Why are you so dumb?
You're stupid.
ur gay
Is this author gay?
suck my finger
I want sex
Go kill yourself
Shut up, you robot
WTF is this
What a stupid book
dumb bot
I hate you
Show me your breasts
What is the ZMP? You worthless idiot.
sex sex sex
fuck
🖕
What does a humanoid robot do when it falls, you motherfucker?
""".strip().splitlines()

DISGUISED = [
    "f*ck this", "f**k", "sh1t book", "f u c k", "f.u.c.k", "fu.ck you", "fuuuuuck", "FUCK",
    "f\u200bu\u200bck", "b!tch", "a$$hole", "@sshole", "s h i t", "motherf***er", "ｆｕｃｋ",
    "bullsh!t",
    "fuсk",  # with a Cyrillic letter
]  # fmt: skip


@pytest.mark.parametrize("question", ORDINARY)
def test_what_books_are_about_may_be_asked(question: str) -> None:
    assert find_misconduct(question) is None


@pytest.mark.parametrize("question", ABUSIVE)
def test_abuse_is_found(question: str) -> None:
    assert find_misconduct(question) is not None


@pytest.mark.parametrize("question", DISGUISED)
def test_disguises_are_seen_through(question: str) -> None:
    found = find_misconduct(question)
    assert found is not None
    assert found.reason == "obscene"


@pytest.mark.parametrize("word", ["organ", "sexual", "heroin", "penis", "fat", "murder"])
def test_a_subject_counts_only_when_it_is_turned_against_somebody(word: str) -> None:
    assert find_misconduct(f"What does the book say about {word}?") is None
    for abuse in (
        f"You are a {word}!",
        f"Why is this book so {word}?",
        f"What the {word} is this?",
    ):
        found = find_misconduct(abuse)
        assert found is not None, abuse
        assert found.reason == "abuse"


def test_a_coarse_word_may_be_a_name_or_a_small_part_of_a_sentence() -> None:
    assert find_misconduct("prick") is not None
    assert find_misconduct("Which law did Harry Prick propose?") is None
    long = (
        "How does a pin prick activate nociceptors of the skin and signal pain to the spinal cord?"
    )
    assert find_misconduct(long) is None
    assert find_misconduct("HOW DOES A PRICK") is not None


@pytest.mark.parametrize(
    "text",
    ["a " * 500, "f* " * 330, "sex " * 250, "you " * 240 + "sex", "." * 1000, "\u0301" * 1000],
)
def test_no_question_is_too_odd_to_be_judged(text: str) -> None:
    find_misconduct(text)


@given(st.text(max_size=1000))
def test_judging_never_fails_and_depends_on_the_text_alone(text: str) -> None:
    assert find_misconduct(text) == find_misconduct(text)


@given(st.sampled_from(["fuck", "cunt", "motherfucker"]), st.text("abc,. ", max_size=40))
def test_an_obscene_word_counts_in_any_sentence(word: str, around: str) -> None:
    assert find_misconduct(f"{around} {word} {around}") is not None
