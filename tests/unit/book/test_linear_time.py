"""Text made to be slow to read takes time in proportion to its length.

Processor time of a process of its own, the least of some rounds: other work on the machine counts
little. Quadratic time would give a ratio of 64 where 8 is right.
"""

from __future__ import annotations

import pytest

from functions.book.markdown.parse import UnreadableDocument, read_document
from functions.book.site.heading_ids import HeadingIds
from tools.bench.hostile import measure, read_file
from tools.bench.hostile_forms import FORMS

SHORT, LONG = 20_000, 160_000
ROUNDS = 3
MOST_SECONDS = 60.0
LARGEST_RATIO = 24

ONCE_QUADRATIC = (
    "dots", "ideographic stops", "images", "images in lines", "empty links", "opened footnotes",
    "headings", "references", "sections under a long title", "alerts", "fences", "summaries",
    "fences in quotes", "columns", "long column names", "delimiters", "solutions", "listings",
    "admonitions", "titles of admonitions", "policies", "nested front matter",
    "merged front matter",
)  # fmt: skip


@pytest.mark.parametrize("name", ONCE_QUADRATIC)
def test_eight_times_the_text_takes_about_eight_times_as_long(name: str) -> None:
    texts = [FORMS[name](size) for size in (SHORT, LONG)]
    for _ in range(ROUNDS):
        short, long = (measure(lambda text=text: read_file(text), MOST_SECONDS) for text in texts)
        assert not long.refused
        if long.seconds < LARGEST_RATIO * short.seconds:
            return
    pytest.fail(f"{short.seconds:.3f} s, then {long.seconds:.3f} s")


@pytest.mark.parametrize("heading_ids", ["github", "python-markdown"])
def test_a_heading_again_and_again_has_ids_in_linear_time(heading_ids: HeadingIds) -> None:
    def read(times: int) -> None:
        text = "# a\n" * times + "".join(f"# a_{number}\n" for number in range(times))
        read_document("a.md", text.encode(), heading_ids)

    for _ in range(ROUNDS):
        short, long = (
            measure(lambda times=times: read(times), MOST_SECONDS) for times in (1_000, 8_000)
        )
        if not long.refused and long.seconds < LARGEST_RATIO * short.seconds:
            return
    pytest.fail(f"{short}, then {long}")


def test_more_combining_marks_than_a_language_has_are_refused_with_their_line() -> None:
    text = "# Title\n\nFine: a\u0301.\n\nToo many: a" + "\u0301\u0323" * 16 + ".\n"
    with pytest.raises(UnreadableDocument, match="line 5 has more than 30 combining marks"):
        read_document("a.md", text.encode())
    read_document("a.md", text.replace("\u0323", "").encode())


def test_front_matter_that_nests_too_much_is_read_line_by_line() -> None:
    text = f"---\ntitle: The title\nai: exclude\nx: {'[' * 100_000}\n---\n\nText.\n"
    document = read_document("a.md", text.encode())
    assert (document.front.title, document.front.policy) == ("The title", "exclude")
    assert document.warnings == ("front matter is not valid YAML",)


def test_what_everything_below_it_repeats_has_a_longest_form() -> None:
    box = f":::note[{'label ' * 100}]\n\nIn it.\n\n:::\n"
    text = f"# {'long ' * 1_000}\n\n## Under it\n\nText.\n\n{box}"
    blocks = read_document("a.md", text.encode()).blocks
    assert max(len(title.title) for block in blocks for title in block.headings) == 500
    assert max(len(block.label) for block in blocks) == 500
