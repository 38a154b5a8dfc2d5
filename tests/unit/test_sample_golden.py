"""The sample book's golden questions: each names a section that is there and says so."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from functions.book.fold import fold_text
from quoth.golden.ask import load_golden
from quoth.golden.questions import Place

BOOK = Path(__file__).parents[2] / "examples" / "book"
GOLDEN: list[dict[str, Any]] = yaml.safe_load((BOOK / "golden.yaml").read_text("utf-8"))
MARKS = re.compile(r"[*_`]")
ANSWERED = [row for row in GOLDEN if "refuse" not in row and "overview" not in row]
OVERVIEWS = [row for row in GOLDEN if row.get("overview")]


def folded(text: str) -> str:
    return fold_text(MARKS.sub("", text)).casefold()


def text_of(place: Place) -> str:
    """What stands under a heading, the sections inside it included."""
    lines = (BOOK / place.source_path).read_text("utf-8").splitlines()
    return folded("\n".join(lines[place.first_line - 1 : place.last_line]))


def test_every_expected_section_is_in_the_book_and_has_the_phrases() -> None:
    golden = load_golden(BOOK, BOOK / "golden.yaml")
    assert golden.missing == []
    assert len(golden.questions) == len(GOLDEN)
    wrong = [
        (each.asked.question, phrase)
        for each in golden.questions
        for phrase in each.asked.phrases
        if folded(phrase) not in text_of(each.places[0])
    ]
    assert wrong == []


def test_every_chapter_has_questions_enough() -> None:
    first = [row["section"] if isinstance(row["section"], str) else row["section"][0]
             for row in ANSWERED]  # fmt: skip
    chapters = Counter(section.split("/")[0] for section in first if "/" in section)
    folders = {path.name for path in (BOOK / "docs").iterdir() if path.is_dir()}
    assert len(ANSWERED) >= 100
    assert set(chapters) == folders
    assert min(chapters.values()) >= 5


def test_every_answer_has_one_to_three_short_phrases() -> None:
    for row in ANSWERED:
        assert 1 <= len(row["phrases"]) <= 3, row["question"]
        assert all(len(phrase.split()) <= 12 for phrase in row["phrases"]), row["question"]


def test_there_are_refusals_and_overviews_enough() -> None:
    kinds = Counter(row["kind"] for row in GOLDEN if row.get("refuse"))
    assert kinds["near-scope"] >= 50
    assert kinds["out-of-book"] >= 20
    assert len(OVERVIEWS) >= 40


def test_overviews_name_pages_that_are_there() -> None:
    for row in OVERVIEWS:
        for name in ("page", "section"):
            if name in row:
                assert (BOOK / "docs" / row[name]).is_file(), row
        if "this page" in row["question"]:
            assert row["page"] == row["section"]


def test_no_question_is_asked_twice_or_copies_the_book() -> None:
    asked = [folded(row["question"]) for row in GOLDEN]
    assert [question for question, times in Counter(asked).items() if times > 1] == []
    book = folded("\n".join(page.read_text("utf-8") for page in (BOOK / "docs").rglob("*.md*")))
    copied = [row["question"] for row in ANSWERED if folded(row["question"]).rstrip("?.") in book]
    assert copied == []
