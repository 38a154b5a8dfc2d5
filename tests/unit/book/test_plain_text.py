from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.book.markdown.plain_text import defined_labels, plain_text, render_plain

MARKUP = st.text(alphabet=st.sampled_from(list("ab *_`[]()!<>br/&;$\\~\n-1.|é#")), max_size=120)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("A **bold** and *light* word", "A bold and light word"),
        ('See [the `docs`](http://x "t") now', "See the docs now"),
        ("Energy $E=mc^2$ holds", "Energy $E=mc^2$ holds"),
        ("Fish &amp; chips \\* here", "Fish & chips * here"),
        ("One\ntwo  \nthree", "One two three"),
        ("Look ![a cat](cat.png) there", "Look  there"),
        ("![a cat](cat.png)", "a cat"),
        ("- [x] done", "done"),
        ("H<sub>2</sub>O<br>next", "H2O next"),
        ("Word.[^1]\n\n[^1]: Note.", "Word.\n\nNote."),
        ("~~old~~ new", "old new"),
        ("<div>\nraw <b>html</b>\n</div>", "raw\n\nhtml"),
        ("[known] and [unknown]", "known and [unknown]"),
    ],
)
def test_text_is_what_a_reader_sees(raw: str, shown: str) -> None:
    assert render_plain(raw, frozenset({"known"})).text == shown


def test_offsets_lead_back_to_the_markdown() -> None:
    raw = "An *é* `co de` [link](u) end"
    plain = render_plain(raw)

    assert "".join(raw[at] for at in plain.offsets) == plain.text
    assert plain.source_offset(plain.text.index("link")) == raw.index("link")


@settings(max_examples=300)
@given(MARKUP)
def test_offsets_never_fall_and_stay_inside(raw: str) -> None:
    plain = render_plain(raw)
    offsets = plain.offsets

    assert len(offsets) == len(plain.text)
    assert all(0 <= at <= len(raw) for at in offsets)
    assert list(offsets) == sorted(offsets)


@settings(max_examples=300)
@given(MARKUP)
def test_the_fast_way_says_the_same(raw: str) -> None:
    assert plain_text(raw).split() == render_plain(raw).text.split()


def test_labels_are_compared_without_case_and_space() -> None:
    source = "Text.\n\n[The  Label]: http://x\n"

    assert plain_text("[the label] stays", defined_labels(source)) == "the label stays"
