from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.book.sentences.split import sentence_spans


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Joints move.", "Links do not."],
        ["Dr. Smith met J. R. Jones at 5 p.m. on Monday.", "They spoke."],
        ["The limit is 3.5 rad, i.e. 200.5 degrees, cf. Fig. 3.", "See also Sec. 2.1."],
        ["He moved to the U.S. in 1990.", "In 1991 he left the U.S.", "The visit ended."],
        ['"Why does it fall?" she asked.', "It slips."],
        ["(It is so.)", "[Then it was not.]", "“Quoted.”", "Next."],
        ["Wait... what?", "Yes!", "Go."],
        ["Smith et al. (2010) agree.", "Others vs. them do not."],
        ["The price was $3.50.", "20 people came."],
        ["Use v1.2.3 of foo.bar to call it.", "Then stop."],
        ["1. First of all, stand.", "Then walk."],
        ["See No. 5 and p. 7.", "Vitamins help."],
        ["The company, Acme Inc., grew.", "It sold."],
    ],
)
def test_sentences_end_where_a_reader_ends_them(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


def test_list_items_and_blank_lines_end_sentences_and_line_ends_do_not() -> None:
    text = "A line\ngoes on. Then\n\nanother one\n- item one\n- item two\n2. item three"

    assert split(text) == [
        *("A line\ngoes on.", "Then", "another one", "- item one", "- item two", "2. item three")
    ]


def test_text_in_small_letters_is_cut_too() -> None:
    assert split("net income rose. costs fell by 3.5 percent.") == [
        "net income rose.",
        "costs fell by 3.5 percent.",
    ]


def test_chinese_and_japanese_stops_need_no_space() -> None:
    assert split("机器人行走。它会摔倒！为什么？") == ["机器人行走。", "它会摔倒！", "为什么？"]


@settings(max_examples=300)
@given(st.text(alphabet=st.sampled_from(list("aB1 .!?…\"')([\n-。é")), max_size=200))
def test_every_character_stands_in_exactly_one_sentence(text: str) -> None:
    spans = sentence_spans(text)

    covered = [at for start, end in spans for at in range(start, end)]
    assert covered == sorted(set(covered))
    assert all(character.isspace() for at, character in enumerate(text) if at not in set(covered))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
