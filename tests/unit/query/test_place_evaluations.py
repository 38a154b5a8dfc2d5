"""The evaluations of ranges and chapters: they count what they should, and can fail."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import functions.query.retrieval.retrieve
from quoth.calibrate.local_index import chunks_of_book
from quoth.json_lines import BadRow
from tools.evaluate.chapters import evaluate_chapters
from tools.evaluate.highlight import evaluate_highlight, generate_ranges, pages_of

TOPICS = {
    "01-foundations": ("Sensors", "A gyroscope measures how fast the torso of the robot turns."),
    "02-bodies": ("Gears", "A harmonic gear multiplies the torque of a small electric motor."),
    "03-walking": ("Balance", "The centre of pressure wanders under the sole of the left foot."),
}
MORE = (
    "Every {0} chapter of this little book has a paragraph about grey elephants on holiday.",
    "Nobody in the {0} workshop remembered who had painted the long corridor bright orange.",
    "Before the {0} lesson ends the teacher hands out seven pencils and one green notebook.",
)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Three chapters of one page: two sections of short paragraphs each."""
    for folder, (title, fact) in TOPICS.items():
        page = tmp_path / "docs" / folder / "01-page.md"
        page.parent.mkdir(parents=True)
        told = [each.format(title.lower()) for each in MORE]
        lines = [f"# {title}", fact, *told, f"## More on {title.lower()}", *reversed(told)]
        page.write_text("\n\n".join(lines), "utf-8")
    return tmp_path


async def test_ranges_of_a_book_stay_inside_and_find_what_was_asked(book: Path) -> None:
    figures = await evaluate_highlight(book, 60)
    assert figures["blocks_outside"] == 0
    assert (figures["n"], figures["returned"], figures["in_top_3"]) == (60, 1.0, 1.0)
    assert min(figures["n_across_chunks"], figures["n_with_a_cut_chunk"], figures["n_wide"]) > 5


async def test_blocks_outside_are_noticed_when_nothing_is_cut(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        functions.query.retrieval.retrieve, "cut_to_range", lambda found, within: found
    )
    figures = await evaluate_highlight(book, 20)
    assert figures["blocks_outside"] > 20


def test_the_same_ranges_are_made_every_time_and_of_every_kind(book: Path) -> None:
    pages = pages_of(chunks_of_book(book))
    ranges, again = (generate_ranges(pages, 200, random.Random(4)) for _ in range(2))
    assert ranges == again
    widths = {each.last - each.first for each in ranges}
    assert {0, 1, 2} <= widths
    assert any(each.last > max(each.page.blocks) for each in ranges)
    assert all(each.block is None or each.first <= each.block <= each.last for each in ranges)


async def test_a_chapter_is_measured_with_and_without(book: Path, tmp_path: Path) -> None:
    golden = tmp_path / "golden.yaml"
    golden.write_text(
        "- question: What does the teacher hand out before the lesson ends?\n"
        "  section: docs/03-walking/01-page.md\n"
        "  phrases: [seven pencils]\n"
        "- question: Who sells ice cream?\n"
        "  refuse: true\n",
        "utf-8",
    )
    figures = await evaluate_chapters(book, golden)
    assert (figures["n"], figures["chapters"]) == (1, 3)
    assert figures["hit@1_in_its_chapter"] == 1.0
    assert figures["hit@1_in_another"] < 1.0
    assert figures["hit@1_gain"] == 1.0 - figures["hit@1_without"]


async def test_questions_without_a_known_place_are_named(book: Path, tmp_path: Path) -> None:
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"question": "Why?", "gold_path": "docs/nowhere.md"}\n', "utf-8")
    with pytest.raises(BadRow, match="has no question whose section is known"):
        await evaluate_chapters(book, golden)
