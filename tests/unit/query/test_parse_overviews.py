"""Which questions ask for an overview, and of what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from functions.query.overviews.parse import LAST, Target, read_overview

SAMPLE = Path(__file__).parents[2] / "integration" / "sample_questions.json"

BOOK = Target("book")
PAGE = Target("here", "page")


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("What is this book about?", BOOK),
        ("what's this book about", BOOK),
        ("Hi, what is this book about?", BOOK),
        ("In a nutshell, what is this book about?", BOOK),
        ("Give me a high-level overview of what this book covers", BOOK),
        ("What will I learn from this book?", BOOK),
        ("How is this book organised?", BOOK),
        ("Summarise this page", PAGE),
        ("Summarize what's on this page", PAGE),
        ("Could you please give me a short summary of the page I'm reading?", PAGE),
        ("What should I know from this page?", PAGE),
        ("tl;dr", Target("here")),
        ("What's this chapter's main message?", Target("here", "chapter")),
        ("what topics are in this section?", Target("here", "section")),
        ("What does chapter 4 cover?", Target("numbered", "chapter", (4,))),
        ("What does chapter four cover?", Target("numbered", "chapter", (4,))),
        ("summary of chapter IV", Target("numbered", "chapter", (4,))),
        ("What topics does the 4th chapter cover?", Target("numbered", "chapter", (4,))),
        ("chapter 4", Target("numbered", "chapter", (4,))),
        ("Give me a brief summary of section 2.3", Target("numbered", "section", (2, 3))),
        ("What is the last chapter about?", Target("numbered", "chapter", (LAST,))),
        ("What does the next chapter cover?", Target("beside", "chapter", (1,))),
        ("Give me an overview of the chapter on balance",
         Target("named", "chapter", words="balance")),
        ("What is the balance chapter about?", Target("named", "chapter", words="balance")),
        ("Sum up the section titled “Support Polygon”",
         Target("named", "section", words="support polygon")),
        ("What does the page Sensors cover?", Target("topic", "page", words="sensors")),
        ("Summarise the history of robots", Target("topic", words="the history of robots")),
    ],
)  # fmt: skip
def test_reads_what_an_overview_is_asked_of(question: str, place: Target) -> None:
    overview = read_overview(question)
    assert overview is not None
    assert overview.target == place


@pytest.mark.parametrize(
    ("question", "wants"),
    [
        ("list the chapters", "chapters"),
        ("What chapters are there?", "chapters"),
        ("How many chapters does this book have?", "chapters"),
        ("table of contents", "contents"),
        ("Which sections are in chapter 2?", "contents"),
        ("What is this book about?", "summary"),
    ],
)
def test_tells_a_list_of_headings_from_a_summary(question: str, wants: str) -> None:
    overview = read_overview(question)
    assert overview is not None
    assert overview.wants == wants


@pytest.mark.parametrize(
    "question",
    [
        "What does chapter 4 say about gears?",
        "Which chapter covers balance?",
        "What is the difference between chapter 1 and 2?",
        "What is the third law of robotics?",
        "What is the last step of the loop?",
        "What is a section in Docusaurus?",
        "Describe the stages of sleep",
        "What are the key points of the Bill of Rights?",
        "How do I divide a book into chapters?",
        "Who wrote The Hobbit?",
        "How do I copy a file?",
        "Who was the author of the Logic Theorist?",
        "How much maths do I need before I start reading?",
        "When did the first robot walk?",
        "Tell me about robots",
        "What does the program print on this page?",
        "",
        "?" * 300,
        "chapter " * 120,
    ],
)
def test_leaves_other_questions_to_the_search(question: str) -> None:
    assert read_overview(question) is None


def test_catches_none_of_the_sample_books_questions() -> None:
    rows = json.loads(SAMPLE.read_text("utf-8"))
    caught = [row["question"] for row in rows if read_overview(row["question"])]
    assert len(rows) >= 60
    assert caught == []


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Who wrote this book?", "author"), ("Who are the authors?", "author"),
        ("What is the name of the book's author?", "author"),
        ("When was this book published?", "date"), ("What is the licence of this book?", "licence"),
        ("Can I copy this book?", "licence"), ("Is the book free?", "licence"),
        ("Who is this book for?", "readers"), ("What are the prerequisites?", "readers"),
        ("What do I need to know before reading?", "readers"),
        ("What should I read first?", "first"), ("Where do I start?", "first"),
        ("In which order should I read the chapters?", "first"),
    ],
)  # fmt: skip
def test_reads_questions_on_the_book_itself(question: str, fact: str) -> None:
    overview = read_overview(question)
    assert overview is not None
    assert overview.fact == fact


@pytest.mark.parametrize(
    ("question", "unit", "topic"),
    [
        ("Is there something on batteries?", "", "batteries"),
        ("Is there a chapter on drones?", "chapter", "drones"),
        ("Does this book cover ROS 2?", "", "ros 2"),
        ("Where can I read about the reality gap?", "", "reality gap"),
    ],
)
def test_reads_questions_whether_the_book_has_something(
    question: str, unit: str, topic: str
) -> None:
    overview = read_overview(question)
    assert overview is not None
    assert (overview.target.unit, overview.target.words) == (unit, topic)
    assert topic in overview.absent


@pytest.mark.parametrize("said", ["the preface", "the title page", "the introduction of this book"])
def test_names_the_pages_before_the_chapters(said: str) -> None:
    overview = read_overview(f"What does {said} say?")
    assert overview is not None
    assert overview.target.kind == "named"
