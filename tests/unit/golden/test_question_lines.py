"""Questions in JSON Lines, and what made-up readers ask of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quoth.calibrate.local_index import chunks_of_book
from quoth.golden.ask import load_questions
from quoth.json_lines import BadRow
from quoth.simulated_visits import golden_subjects

PAGE = "# Gaits\n\nA gait is a way of walking.\n"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "gaits.md").write_text(PAGE, "utf-8")
    return folder


def lines(book: Path, *rows: dict[str, str]) -> Path:
    file = book.parent / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file


def test_a_line_with_a_page_is_treated_and_one_without_is_missing(book: Path) -> None:
    file = lines(
        book,
        {"question": "What is a gait?", "gold_path": "gaits.md"},
        {"question": "Who walks?", "gold_file": "gaits.md"},
        {"question": "What is a boat?"},
    )
    known = load_questions(book, file)
    chunks = [each.chunk for each in chunks_of_book(book)]
    subjects = golden_subjects(chunks, known)
    asked = [each.questions for each in subjects.treated]
    assert asked == [("What is a gait?",), ("Who walks?",)]
    assert {each.chunk.source_path for each in subjects.treated} == {"gaits.md"}
    assert subjects.missing == ["What is a boat?"]


def test_readers_ask_on_far_subjects_where_a_file_has_nothing_missing(book: Path) -> None:
    file = lines(book, {"question": "What is a gait?", "gold_path": "gaits.md"})
    chunks = [each.chunk for each in chunks_of_book(book)]
    assert len(golden_subjects(chunks, load_questions(book, file)).missing) > 10


def test_a_line_without_a_question_is_named(book: Path) -> None:
    with pytest.raises(BadRow, match=r"questions\.jsonl:1: has no 'question'"):
        load_questions(book, lines(book, {"gold_path": "gaits.md"}))
