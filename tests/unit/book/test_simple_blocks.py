from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.book.markdown import blocks
from functions.book.markdown.blocks import find_blocks
from functions.book.markdown.simple_blocks import Shortened

LINES = [
    "", "", "", "Some words.", "More of them, `code` too.", "# Title", "#", "## Two", "- a", "- b",
    "  - inner", "  goes on", "1. one", "* star", "> quoted", "> - in it", "```", "```python",
    "````", "~~~", "~~~ mermaid", "  ```", "   ````", "> ```", "- ```", "| a | b |", "|---|---|",
    "    indented", "---", "$$", "[^1]: note", "[label]: /url",
]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=14).map("\n".join))
def test_what_is_taken_out_is_what_the_parser_would_see(text: str) -> None:
    taken = find_blocks(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "take_out_stanzas", _whole)
        assert taken == find_blocks(text)


def _whole(text: str) -> Shortened:
    return Shortened(text, list(range(text.count("\n") + 1)), {})
