from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from functions.book.chunks.cut import count_block_words, count_words
from functions.book.document import ATOMIC
from functions.book.markdown.parse import read_document

SPACES = [" ", "  ", "\n", "\n  ", "\t", "\u00a0", "\u2003", "\u3000", "\n\n", " \n"]
WORDS = st.sampled_from(["word", "a-b_c/d", "é", "x+1", "—", "don't"])
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from(SPACES)), min_size=1, max_size=40)


@given(TEXTS, st.booleans())
def test_code_counts_runs_of_letters_and_prose_what_separates_them(
    pairs: list[tuple[str, str]], has_code: bool
) -> None:
    prose = "".join(word + space for word, space in pairs)
    code = f"\n\n```\n{prose}\n```\n" if has_code else ""
    document = read_document("page.md", f"# Title\n\nStart {prose}{code}".encode())

    counts = count_block_words(document.blocks, document.source)

    for block, count in zip(document.blocks, counts, strict=True):
        text = document.source[block.spans[0].start : block.spans[0].end]
        expected = len(text.split()) + sum(map(text.count, "-/_"))
        if block.kind in ATOMIC:
            expected = count_words(text)
        assert count == expected
