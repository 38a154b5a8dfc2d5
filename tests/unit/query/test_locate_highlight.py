"""A highlighted text without block numbers: where it stands in its document."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from functions.adapters.postgres.query_records import FoldedDocument
from functions.book.fold import fold_texts
from functions.query.retrieval.locate_highlight import find_blocks

WORDS = st.text(alphabet="abcdefgh- ’“”", min_size=1, max_size=40)


def document_of(*texts: str) -> FoldedDocument:
    folded = fold_texts(texts)
    return FoldedDocument(
        folded.text, tuple((number, *place) for number, place in enumerate(folded.ranges))
    )


LONG = "It takes many words before the beginning and the end of a text say where it stands in it."
THREE = document_of("Balance", LONG, "A formula: x_i + z_i = 0, as the source has it.", LONG[::-1])


@given(st.lists(WORDS, min_size=1, max_size=6), st.data())
def test_a_text_is_found_in_blocks_that_hold_it(texts: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(texts) - 1))
    last = data.draw(st.integers(first, len(texts) - 1))
    document = document_of(*texts)
    wanted = "\n".join(texts[first : last + 1])
    found = find_blocks(document, wanted, " ".join(texts[:first]))
    if not fold_texts([wanted]).text:
        assert found is None
        return
    assert found is not None
    held = fold_texts(texts[found[0] : found[1] + 1]).text
    assert fold_texts(texts[first : last + 1]).text in held


def test_of_two_places_the_one_after_the_same_words_is_meant() -> None:
    document = document_of("First.", "It holds.", "Second.", "It holds.")
    assert find_blocks(document, "It holds.") == (1, 1)
    assert find_blocks(document, "It holds.", "Second.") == (3, 3)


def test_a_text_whose_middle_the_page_shows_otherwise_is_found_by_its_ends() -> None:
    shown = f"{LONG}\nA formula: xi + zi = 0 xi + zi, as the source has it.\n{LONG[::-1]}"
    assert find_blocks(THREE, shown) == (1, 3)


def test_the_ends_alone_do_not_make_a_passage() -> None:
    assert find_blocks(THREE, LONG + "word " * 400 + LONG[::-1]) is None
    assert find_blocks(THREE, "No such words stand in this document, not even nearly.") is None
    assert find_blocks(THREE, " \u200b ") is None
