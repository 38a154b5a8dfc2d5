from __future__ import annotations

from functions.query.retrieval.retrieve import sections_of
from tests.unit.answer.contexts import chunk

BALANCE = chunk(("One.",), titles=("Book", "Balance"), path="docs/a.md")
AGAIN = chunk(("Two.",), titles=("Book", "Balance"), path="docs/a.md")
GAIT = chunk(("Three.",), titles=("Book", "Gait"), path="docs/b.md")


def test_a_section_stands_where_the_best_of_its_chunks_was_found() -> None:
    titles = [section.title for section in sections_of([BALANCE, GAIT, AGAIN])]
    assert titles == ["Book › Balance", "Book › Gait"]
