from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from functions.book.document import ATOMIC
from functions.book.markdown.parse import read_document
from functions.book.sentences.word_counts import WordCounter, count_words

SPACES = [" ", "  ", "\n", "\n  ", "\t", "\u00a0", "\u2003", "\u3000", "\n\n", " \n"]
WORDS = st.sampled_from(["word", "a-b_c/d", "é", "x+1", "—", "don't"])
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from(SPACES)), min_size=1, max_size=40)


@given(TEXTS, st.booleans(), st.integers(1, 120))
def test_a_section_that_fits_has_no_more_words_than_its_blocks_count(
    pairs: list[tuple[str, str]], has_code: bool, most: int
) -> None:
    prose = "".join(word + space for word, space in pairs)
    code = f"\n\n```\n{prose}\n```\n" if has_code else ""
    document = read_document("page.md", f"# Title\n\nStart {prose}{code}".encode())
    counter = WordCounter(document.source)

    exact = 0
    counts = counter.count(document.blocks)
    for block, count in zip(document.blocks, counts, strict=True):
        text = document.source[block.spans[0].start : block.spans[0].end]
        expected = len(text.split()) + sum(map(text.count, "-/_"))
        if block.kind in ATOMIC:
            expected = count_words(text)
        assert count == expected
        exact += expected

    assert counter.fits(document.blocks, 10_000)
    assert exact <= most or not counter.fits(document.blocks, most)
