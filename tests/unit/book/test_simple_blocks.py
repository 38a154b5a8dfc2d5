from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from functions.book.markdown import blocks
from functions.book.markdown.blocks import find_blocks
from functions.book.markdown.simple_blocks import Remainder

LINES = [
    "", "", "", "Some words.", "More of them, `code` too.", "# Title", "#", "## Two", "- a", "- b",
    "  - inner", "  goes on", "1. one", "* star", "> quoted", "> - in it", "```", "```python",
    "````", "~~~", "~~~ mermaid", "  ```", "   ````", "> ```", "- ```", "| a | b |", "|---|---|",
    "    indented", "---", "$$", "[^1]: note", "[label]: /url",
]  # fmt: skip


@example("```\n````\n```\n\n```\n```")  # a longer fence closes the first
@given(st.lists(st.sampled_from(LINES), max_size=14).map("\n".join))
def test_simple_blocks_are_those_the_parser_finds(text: str) -> None:
    taken = find_blocks(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "take_out_simple_blocks", _nothing_taken_out)
        assert taken == find_blocks(text)


def _nothing_taken_out(text: str) -> Remainder:
    return Remainder(text, list(range(text.count("\n") + 1)), {})
