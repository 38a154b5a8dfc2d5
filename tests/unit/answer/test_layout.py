from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.answer.answers import Citation, Claim
from functions.answer.check.check_claims import Check, check_claims
from functions.answer.cite import cite, marked_text
from functions.answer.context import Context, Sentence, context_of_chunks, context_of_selection
from functions.answer.layout import ClaimPart, StyledRange, lay_out
from functions.answer.write.excerpts import joined
from functions.answer.write.writer import DraftClaim
from functions.selected.selection import split_selection
from quoth.calibrate.local_index import chunks_of_book
from tests.unit.answer.contexts import sample_context

PAGE = """# Parts

A robot has `three` parts. They work together:

- **Sensors.** They measure. See [the list][parts].
  1. cameras
  2. encoders
- Actuators $F = ma$ act
  over two lines.

It is built in steps.

7. Write this:

   ```python title="a.py"
   def f():

       return [
           1
       ]
   ```

8. Run it.

| Part | Rate `Hz` |
|------|:---------:|
| eye \\| [lens][parts] | 20 |
| arm | |

[parts]: parts.md
"""
LIST = """- Sensors. They measure. See the list.
  1. cameras
  2. encoders
- Actuators $F = ma$ act over two lines."""
CODE = "def f():\n\n    return [\n        1\n    ]"
TABLE = "Part | Rate Hz\neye | lens | 20\narm | "


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Context:
    book = tmp_path_factory.mktemp("book")
    (book / "parts.md").write_text(PAGE, encoding="utf-8")
    return context_of_chunks([(each.chunk, 1.0) for each in chunks_of_book(book)])


def claim_on(sentences: list[Sentence], context: Context, *answering: str) -> Claim:
    """The claim that quotes sentences, as the chain checks and cites it."""
    (claim,), _ = cited(sentences, context, *answering)
    return claim


def cited(
    sentences: list[Sentence], context: Context, *answering: str
) -> tuple[tuple[Claim, ...], tuple[Citation, ...]]:
    ids = tuple(sentence.id for sentence in sentences)
    (check,) = check_claims([DraftClaim(joined(sentences), ids, answering)], context)
    assert check.proof == "verbatim", check
    return cite([check], context)


def quote_of(context: Context, first: str, last: str, *answering: str) -> Claim:
    """The claim on the sentences from one to another, known by how they begin."""
    at = {
        name: next(n for n, s in enumerate(context.sentences) if s.text.startswith(name))
        for name in (first, last, *answering)
    }
    ids = [context.sentences[at[name]].id for name in answering]
    return claim_on(list(context.sentences[at[first] : at[last] + 1]), context, *ids)


def words(claim: Claim, *ranges: tuple[int, int]) -> list[str]:
    return [claim.text[start:end] for start, end in ranges]


def test_sentences_of_a_paragraph_stay_one_line(page: Context) -> None:
    claim = quote_of(page, "A robot", "They work")
    assert claim.text == "A robot has three parts. They work together:"
    assert claim.parts == (ClaimPart("prose", 0, len(claim.text)),)


def test_a_list_has_its_items_below_the_sentence_that_announces_it(page: Context) -> None:
    claim = quote_of(page, "They work", "Actuators")
    assert claim.text == f"They work together:\n{LIST}"
    prose, items = claim.parts
    assert (prose.form, items.form) == ("prose", "list")
    assert words(claim, (items.start, items.end)) == [LIST]
    assert [(item.level, item.number) for item in items.items] == [
        (0, None),
        (1, 1),
        (1, 2),
        (0, None),
    ]
    assert words(claim, *((item.start, item.end) for item in items.items)) == [
        "Sensors. They measure. See the list.",
        "cameras",
        "encoders",
        "Actuators $F = ma$ act over two lines.",
    ]


def test_one_item_of_a_list_alone_is_prose(page: Context) -> None:
    claim = quote_of(page, "They measure", "See")
    assert claim.text == "They measure. See the list."
    assert [part.form for part in claim.parts] == ["prose"]


def test_steps_keep_their_numbers_and_code_its_lines_between_them(page: Context) -> None:
    claim = quote_of(page, "It is built", "Run it")
    assert claim.text == f"It is built in steps.\n7. Write this:\n{CODE}\n8. Run it."
    assert [part.form for part in claim.parts] == ["prose", "list", "code", "list"]
    assert [part.language for part in claim.parts] == ["", "", "python", ""]
    assert [item.number for part in claim.parts for item in part.items] == [7, 8]


def test_a_table_has_its_header_above_its_rows(page: Context) -> None:
    claim = quote_of(page, "Part: eye", "Part: arm")
    assert claim.text == TABLE
    (table,) = claim.parts
    assert words(claim, *table.header) == ["Part", "Rate Hz"]
    assert [words(claim, *row) for row in table.rows] == [["eye | lens", "20"], ["arm", ""]]
    assert quote_of(page, "Part: arm", "Part: arm").text == "Part | Rate Hz\narm | "


def test_a_part_of_a_block_says_how_much_there_is(page: Context) -> None:
    assert [part.of for part in quote_of(page, "They work", "Actuators").parts] == [0, 0]
    assert [part.of for part in quote_of(page, "They work", "cameras").parts] == [0, 4]
    assert [part.of for part in quote_of(page, "Part: eye", "Part: arm").parts] == [0]
    assert [part.of for part in quote_of(page, "Part: arm", "Part: arm").parts] == [2]
    assert [part.of for part in quote_of(page, "def f", "    ]").parts] == [0]
    assert [part.of for part in quote_of(page, "def f", "    return").parts] == [4]


def test_what_answers_is_emphasised(page: Context) -> None:
    item = quote_of(page, "They work", "Actuators", "cameras")
    assert words(item, *item.emphasis) == ["cameras"]
    neighbours = quote_of(page, "Sensors.", "Actuators", "Sensors.", "They measure", "encoders")
    assert words(neighbours, *neighbours.emphasis) == ["Sensors. They measure.", "encoders"]
    row = quote_of(page, "Part: eye", "Part: arm", "Part: eye")
    assert words(row, *row.emphasis) == ["eye | lens | 20"]


def test_nothing_is_emphasised_where_all_or_nothing_answers_nor_in_code(page: Context) -> None:
    assert quote_of(page, "A robot", "They work", "A robot", "They work").emphasis == ()
    assert quote_of(page, "A robot", "They work").emphasis == ()
    assert quote_of(page, "def f", "    ]", "    return").emphasis == ()


def test_the_mark_stands_on_a_line_of_its_own_below_blocks(page: Context) -> None:
    assert marked_text([quote_of(page, "def f", "    ]")]) == f"{CODE}\n[1]"
    assert marked_text([quote_of(page, "They measure", "They measure")]) == "They measure. [1]"


def test_a_list_that_nothing_announces_stands_under_its_heading(page: Context) -> None:
    given = [sentence for sentence in page.sentences if sentence.kind == "table"]
    ids = tuple(sentence.id for sentence in given)
    claims, citations = cite(check_claims([DraftClaim(joined(given), ids)], page), page)
    assert marked_text(claims, citations) == f"Parts:\n{TABLE}\n[1]"


def test_a_paragraph_that_refers_to_its_heading_stands_under_it(tmp_path: Path) -> None:
    (tmp_path / "tags.md").write_text("# Auto-render\n\nThis is a plugin that skips code.\n")
    found = context_of_chunks([(each.chunk, 1.0) for each in chunks_of_book(tmp_path)])
    claims, citations = cited(list(found.sentences), found)
    assert marked_text(claims, citations) == (
        "Auto-render:\nThis is a plugin that skips code.\n[1]"
    )


def test_a_claim_in_other_words_has_no_parts(page: Context) -> None:
    check = Check(DraftClaim("The robot's parts number three.", ("S1.1",)), "close")
    ((claim,), _) = cite([check], page)
    assert (claim.text, claim.parts) == (check.claim.text, ())
    ((clause,), _) = cite([replace(check, proof="verbatim")], page)
    assert clause.parts == ()


def test_selected_code_keeps_its_lines_and_its_language() -> None:
    text = "Run it:\n\n```rust\nfn main() {\n\n    run();\n}\n```"
    claim = whole(text)
    assert claim.text == "Run it:\nfn main() {\n\n    run();\n}"
    assert [(part.form, part.language) for part in claim.parts] == [("prose", ""), ("code", "rust")]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("| Part | Rate |\n|---|---|\n| eye | 20 |\n| arm | 5 |", ["Part", "Rate"]),
        ("Part\tRate\neye\t20\narm\t5", ["Part", "Rate"]),
        ("eye\t20\narm\t5", []),
    ],
)
def test_a_selected_table_keeps_its_cells(text: str, header: list[str]) -> None:
    claim = whole(text)
    (table,) = claim.parts
    assert words(claim, *table.header) == header
    assert [words(claim, *row) for row in table.rows] == [["eye", "20"], ["arm", "5"]]


def whole(text: str) -> Claim:
    """The claim that quotes the whole of a selection."""
    context = context_of_selection(split_selection(text), (), text)
    return claim_on(list(context.sentences), context)


runs = st.deferred(
    lambda: st.tuples(st.integers(0, len(sample_context().sentences) - 1), st.integers(1, 12))
)


@given(runs)
def test_an_excerpt_has_every_word_of_its_sentences_in_its_place(run: tuple[int, int]) -> None:
    context = sample_context()
    first, count = run
    source = context.sentences[first].source
    sentences = [s for s in context.sentences[first : first + count] if s.source == source]
    layout = lay_out(sentences, context)
    assert list(layout.places) == [sentence.id for sentence in sentences]
    for sentence in sentences:
        start, end = layout.places[sentence.id]
        shown, said = layout.text[start:end], sentence.quote or sentence.text
        assert shown.replace("|", "").split() == said.replace("|", "").split()
    blocks = [list(block) for _, block in groupby(sentences, lambda s: s.block)]
    assert len(layout.parts) == len(blocks)
    ends = [0, *(part.end for part in layout.parts)]
    starts = [*(part.start for part in layout.parts), len(layout.text)]
    assert {layout.text[end:start] for end, start in zip(ends, starts, strict=True)} <= {"", "\n"}


def styled(text: str, styles: Iterable[StyledRange]) -> list[tuple[str, str]]:
    return [(text[each.start : each.end], each.style) for each in styles]


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("A robot", "They work", [("three", "code")]),
        ("They work", "Actuators", [("Sensors.", "strong")]),
        ("Part: eye", "Part: arm", [("Hz", "code")]),
        ("def f", "    ]", []),
    ],
)
def test_the_books_styles_are_kept(
    page: Context, first: str, last: str, expected: list[tuple[str, str]]
) -> None:
    claim = quote_of(page, first, last)
    assert styled(claim.text, claim.styles) == expected


def test_quotes_keep_styles_and_say_what_is_code(page: Context) -> None:
    at = [n for n, s in enumerate(page.sentences) if s.text.startswith(("A robot", "def f"))]
    prose, code = (cited([page.sentences[n]], page)[1][0].quote for n in at)
    assert (prose.is_code, styled(prose.exact, prose.styles)) == (False, [("three", "code")])
    assert (code.is_code, code.exact, code.styles) == (True, "def f():", ())
