from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from functions.book.document import letters_of
from functions.book.markdown.literals import find_marks

PIECES = ["`", "<", "{", "\\", "$", "~", "~~", ":", "::", "\n", "import", "export", " ", "a", "é"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_marks_are_found_wherever_one_begins_also_inside_another(source: str) -> None:
    mark = re.compile(r"[`<{\\$]|~~~|:::|\n(?:import|export)\b")

    marks = find_marks(source, letters_of(source))

    assert list(marks) == [int(mark.match(source, at) is not None) for at in range(len(source))]
