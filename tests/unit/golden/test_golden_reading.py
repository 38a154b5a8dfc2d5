"""Golden files: what is taken, and how mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from quoth.golden.ask import load_golden
from quoth.golden.questions import GoldenQuestion, read_golden
from quoth.json_lines import BadRow

WHOLE = """
# What readers must be able to learn.
- question: When was the lamp lit?
  section: light.md#pellworm
  phrases: [in 1907]
- {question: "Who painted the Mona Lisa?", refuse: true}
- {question: "How high is the tower?", refuse: true, kind: near-scope}
- {question: "Summarise this page.", overview: true, page: light.md}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "golden.yaml"
    path.write_text(text, "utf-8")
    return path


def test_reads_answers_refusals_and_overviews_with_their_lines(tmp_path: Path) -> None:
    assert read_golden(written(tmp_path, WHOLE)) == [
        GoldenQuestion(
            "When was the lamp lit?", "answer", 3, ("light.md#pellworm",), phrases=("in 1907",)
        ),
        GoldenQuestion("Who painted the Mona Lisa?", "refusal", 6, kind="out-of-book"),
        GoldenQuestion("How high is the tower?", "refusal", 7, kind="near-scope"),
        GoldenQuestion("Summarise this page.", "overview", 8, page="light.md"),
    ]


def test_a_question_may_have_several_sections_that_each_answer_it(book: Path) -> None:
    file = written(book, "- {question: q, section: ['light.md#the-lamp', 'Westerhever']}")
    (placed,) = load_golden(book, file).questions
    assert [(each.first_line, each.last_line) for each in placed.places] == [(7, 10), (11, 14)]


def test_a_list_may_have_a_name(tmp_path: Path) -> None:
    text = "questions:\n  - {question: What is it?, section: a.md, phrases: one}\n".replace(
        "What is it?", "'What is it?'"
    )
    assert read_golden(written(tmp_path, text))[0].phrases == ("one",)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("- question: [", 1, "is not YAML"),
        ("", 0, "has no questions"),
        ("[]", 0, "has no questions"),
        ("just words", 1, "is not a list of questions"),
        ("- one\n", 1, "is not an entry with a question"),
        ("other: []", 1, "unknown key 'other'"),
        ("- {section: a.md}", 1, "has no question"),
        ("- {question: ' ', section: a.md}", 1, "has no question"),
        ("- question: q\n  section: a.md\n  phrase: x", 3, "unknown key 'phrase'"),
        ("- question: q\n  question: r", 2, "'question' is given twice"),
        ("- question: q\n  section: 7", 2, "'section' is not of type list"),
        ("- question: q\n  section: [a.md, 7]", 2, "'section' is not a list of texts"),
        ("- question: q\n  section: []", 1, "has no section"),
        ("- question: 2026-11-22\n", 1, "'question' is not of type str"),
        ("- question: q\n  refuse: sure", 2, "'refuse' is not of type bool"),
        ("- question: q\n  section: a.md\n  phrases: [1]", 3, "'phrases' is not a list of texts"),
        ("- question: q\n- question: r\n  section: a.md", 1, "has no section"),
        ("- {question: q, refuse: true, section: a.md}", 1, "has 'section'"),
        ("- {question: q, refuse: true, overview: true}", 1, "it can be one only"),
        ("- {question: q, refuse: true, kind: far}", 1, "unknown kind 'far'"),
        ("- {question: q, section: a.md, kind: near-scope}", 1, "only refusals have"),
        (f"- {{question: {'q' * 1001}, section: a.md}}", 1, "longer than 1,000 characters"),
        ("- {question: Q, refuse: true}\n- {question: q, refuse: true}", 2, "what line 1 asks"),
        ("- {question: !!python/object:os.system x, refuse: true}", 1, "not of type str"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadRow) as caught:
        read_golden(path)
    assert (caught.value.line, said in caught.value.reason) == (line, True), caught.value


def test_a_file_that_is_missing_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRow, match="No such file"):
        read_golden(tmp_path / "golden.yaml")
    path = tmp_path / "latin.yaml"
    path.write_bytes("- question: Wo ist die Düne?".encode("latin-1"))
    with pytest.raises(BadRow, match="is not UTF-8"):
        read_golden(path)


LIGHT = """# Lighthouses

## Pellworm

The lamp was lit in 1907.

### The Lamp

It is bright.

## Westerhever

On a mound.
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    docs = tmp_path / "book" / "docs"
    docs.mkdir(parents=True)
    (docs / "light.md").write_text(LIGHT)
    (docs / "dunes.md").write_text("---\ntitle: Dunes\n---\n\nSand.\n\n## The Lamp\n\nNone.\n")
    return tmp_path / "book"


@pytest.mark.parametrize(
    ("section", "lines"),
    [
        ("light.md#pellworm", (3, 10)),
        ("docs/light.md#pellworm", (3, 10)),
        ("light.md#the-lamp", (7, 10)),
        ("light.md#Westerhever", (11, 14)),
        ("light.md", (1, 14)),
        ("light.md#lighthouses", (1, 14)),
        ("Westerhever", (11, 14)),
        ("Lighthouses › Pellworm", (3, 10)),
    ],
)
def test_a_section_is_its_lines_with_those_under_it(
    book: Path, section: str, lines: tuple[int, int]
) -> None:
    file = written(book, f"- {{question: q, section: '{section}'}}")
    (placed,) = load_golden(book, file).questions
    (place,) = placed.places
    found = (place.source_path, place.first_line, place.last_line)
    assert found == ("docs/light.md", *lines)


def test_a_section_goes_on_after_the_title_of_a_tab(book: Path) -> None:
    tabs = "<Tabs>\n<TabItem label='Oil'>\n\nBurns.\n\n</TabItem>\n</Tabs>\n\nAll of them.\n"
    (book / "docs" / "fuel.mdx").write_text(f"# Fuel\n\n## Kinds\n\n{tabs}\n## End\n\nNone.\n")
    file = written(book, "- {question: q, section: 'fuel.mdx#kinds'}")
    (placed,) = load_golden(book, file).questions
    (place,) = placed.places
    assert (place.first_line, place.last_line) == (3, 14)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{question: q, section: 'light.md#sylt'}", "docs/light.md has no section #sylt; it has"),
        ("{question: q, section: 'sylt.md#lamp'}", "the book has no page 'sylt.md'"),
        ("{question: q, section: Sylt}", "the book has no section called 'Sylt'"),
        ("{question: q, section: The Lamp}", "the book has more than one section called"),
        ("{question: q, overview: true, page: sylt.md}", "the book has no page 'sylt.md'"),
    ],
)
def test_what_the_book_has_not_is_named_or_kept_aside(book: Path, entry: str, said: str) -> None:
    file = written(book, f"- {{question: first, refuse: true}}\n- {entry}")
    with pytest.raises(BadRow) as caught:
        load_golden(book, file)
    assert (caught.value.line, said in caught.value.reason) == (2, True), caught.value
    lenient = load_golden(book, file, strict=False)
    assert len(lenient.questions) == 1
    assert said in lenient.missing[0][1]
