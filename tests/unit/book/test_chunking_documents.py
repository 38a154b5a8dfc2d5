from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.book.chunks.chunk import Chunk
from functions.book.chunks.split_into_chunks import split_into_chunks
from functions.book.document import ATOMIC, Document
from functions.book.markdown.parse import read_document

WORD = re.compile(r"s\d+w\d+")


def cut(text: str, **settings_: Any) -> tuple[Document, tuple[Chunk, ...]]:
    document = read_document("docs/page.md", text.encode())
    return document, split_into_chunks(document, **settings_)


def check_spans(document: Document, chunks: tuple[Chunk, ...]) -> None:
    last_line = document.source.count("\n") + document.source.count("\r") + 1
    for ordinal, chunk in enumerate(chunks):
        joined = "".join(document.source[span.start : span.end] for span in chunk.spans)
        assert joined == chunk.text
        assert chunk.ordinal == ordinal
        assert chunk.passages
        ends = [0]
        for part in chunk.parts:
            assert ends[-1] <= part.start < part.end <= len(chunk.text)
            assert not chunk.text[ends[-1] : part.start].strip()
            ends.append(part.end)
            for sentence in part.sentences:
                assert 1 <= sentence.first_line <= sentence.last_line <= last_line
        assert not chunk.text[ends[-1] :].strip()


class Book:
    """Makes Markdown whose every word tells its section, and keeps what must be found again."""

    def __init__(self, draw: Any, end: str) -> None:
        self._draw = draw
        self._end = end
        self.section = 0
        self.count = 0
        self.prose: list[str] = []
        self.atomic: list[str] = []

    def words(self, least: int = 1, most: int = 25) -> list[str]:
        made = []
        for _ in range(self._draw(st.integers(least, most))):
            self.count += 1
            made.append(f"s{self.section}w{self.count}")
        self.prose += made
        return made

    def sentence(self) -> str:
        words = self.words()
        marked = self._draw(st.sampled_from(["{}", "*{}*", "**{}**", "`{}`", "[{}](http://x.y/z)"]))
        words[-1] = marked.format(words[-1])
        return " ".join(words) + self._draw(
            st.sampled_from([".", "!", "? ", " é.", "; hyphen-ated."])
        )

    def paragraph(self) -> str:
        joint = self._draw(st.sampled_from([" ", "\n"]))
        return joint.join(self.sentence() for _ in range(self._draw(st.integers(1, 6))))

    def items(self) -> str:
        return "\n".join(f"- {self.sentence()}" for _ in range(self._draw(st.integers(1, 5))))

    def quote(self) -> str:
        return f"> {self.sentence()}\n> {self.sentence()}"

    def code(self) -> str:
        lines = "\n".join(" " * 4 + " ".join(self.words(1, 6)) + " <T> {x}" for _ in range(3))
        return self._keep(f"```{self._draw(st.sampled_from(['py', 'mermaid', '']))}\n{lines}\n```")

    def table(self) -> str:
        rows = "\n".join(f"| {' '.join(self.words(1, 4))} | b |" for _ in range(4))
        return self._keep(f"| head | other |\n|---|---|\n{rows}")

    def formula(self) -> str:
        return self._keep(f"$$\n{' '.join(self.words(1, 6))}\n- x\n$$")

    def box(self) -> str:
        return f":::note[{' '.join(self.words(1, 3))}]\n{self.paragraph()}\n:::"

    def tab(self) -> str:
        label = " ".join(self.words(1, 3))
        return f'<TabItem value="v" label="{label}">\n\n{self.paragraph()}\n\n</TabItem>'

    def noise(self) -> str:
        return self._draw(
            st.sampled_from(
                ["<!-- gone -->", "{/* gone */}", "<Gone a={1} />", "import A from 'gone';"]
            )
        )

    def heading(self) -> str:
        self.section += 1
        return "#" * self._draw(st.integers(1, 3)) + " " + " ".join(self.words(1, 4))

    def _keep(self, block: str) -> str:
        self.atomic.append(block.replace("\n", self._end))
        return block

    def text(self) -> str:
        makers = [
            *(self.paragraph, self.items, self.quote, self.code, self.table, self.formula),
            *(self.box, self.tab, self.noise, self.heading),
        ]
        blocks = [
            self._draw(st.sampled_from(makers))() for _ in range(self._draw(st.integers(1, 14)))
        ]
        return "\n\n".join(blocks).replace("\n", self._end) + self._end


@st.composite
def books(draw: Any) -> tuple[str, Book]:
    book = Book(draw, draw(st.sampled_from(["\n", "\r\n"])))
    return book.text(), book


@settings(max_examples=150)
@given(books(), st.integers(12, 120), st.integers(0, 10))
def test_every_word_stands_in_a_chunk_of_its_section(
    made: tuple[str, Book], max_words: int, overlap: int
) -> None:
    text, book = made
    document, chunks = cut(text, max_words=max_words, overlap_words=overlap)

    check_spans(document, chunks)
    found = {word for chunk in chunks for word in WORD.findall(chunk.text)}
    assert found == set(book.prose)
    for chunk in chunks:
        body = [part for part in chunk.parts if part.kind != "heading" or part.label]
        sections = {
            word.split("w")[0]
            for part in body
            for word in WORD.findall(chunk.text[part.start : part.end])
        }
        assert len(sections) <= 1
        assert "gone" not in chunk.text


@settings(max_examples=100)
@given(books(), st.integers(12, 120))
def test_code_tables_formulas_and_diagrams_stay_whole(
    made: tuple[str, Book], max_words: int
) -> None:
    text, book = made
    _, chunks = cut(text, max_words=max_words)

    for block in book.atomic:
        assert any(block in chunk.text for chunk in chunks)


@settings(max_examples=100)
@given(books(), st.integers(20, 120))
def test_only_whole_blocks_take_a_chunk_over_its_size(
    made: tuple[str, Book], max_words: int
) -> None:
    _, chunks = cut(made[0], max_words=max_words)

    for chunk in chunks:
        large = any(part.kind in ATOMIC for part in chunk.parts)
        headings = sum(part.kind == "heading" for part in chunk.parts)
        assert len(chunk.text.split()) <= max_words or large or headings > 1


@settings(max_examples=100)
@given(books(), st.integers(8, 60))
def test_passages_hold_every_sentence_and_keep_their_size(
    made: tuple[str, Book], passage_words: int
) -> None:
    _, chunks = cut(made[0], passage_words=passage_words)

    for chunk in chunks:
        assert all(len(passage.split()) <= passage_words for passage in chunk.passages)
        said = set(WORD.findall(" ".join(chunk.passages)))
        for part in chunk.parts:
            if part.kind != "heading":
                for sentence in part.sentences:
                    assert set(WORD.findall(sentence.text)) <= said


@settings(max_examples=200)
@given(
    st.text(
        alphabet=st.sampled_from(list("ab <>/{}[]()!`~$#*_-=|:\\\"'&;\n\r\té。.0")), max_size=300
    )
)
def test_any_text_at_all_is_cut_with_true_spans(text: str) -> None:
    document, chunks = cut(text, max_words=7, overlap_words=3, passage_words=9, block_words=9)

    check_spans(document, chunks)


def test_an_oversized_table_repeats_its_header() -> None:
    rows = "".join(f"| name{row} | value{row} |\n" for row in range(60))
    document, chunks = cut(
        f"# T\n\n| Name | Value |\n|---|---|\n{rows}", max_words=60, block_words=60
    )

    check_spans(document, chunks)
    assert len(chunks) > 2
    for chunk in chunks:
        assert "| Name | Value |\n|---|---|\n| name" in chunk.text
        assert len(chunk.text.split()) <= 70
    texts = [
        s.text for chunk in chunks for p in chunk.parts if p.kind == "table" for s in p.sentences
    ]
    assert texts == [f"Name: name{row}; Value: value{row}" for row in range(60)]


def test_an_oversized_code_block_is_cut_between_lines() -> None:
    lines = [f"    call_{line}(argument)" for line in range(80)]
    _, chunks = cut("```py\n" + "\n".join(lines) + "\n```\n", max_words=40, block_words=40)

    said = [s.text for chunk in chunks for part in chunk.parts for s in part.sentences]
    assert len(chunks) > 2
    assert said == lines


def test_long_prose_is_cut_between_sentences() -> None:
    sentences = [f"Sentence *number* {at} is about e.g. one thing." for at in range(40)]
    _, chunks = cut(" ".join(sentences), max_words=50)

    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith("Sentence *number*")
        assert chunk.text.endswith("thing.")
        assert len(chunk.text.split()) <= 50


def test_overlap_repeats_whole_sentences_of_the_chunk_before() -> None:
    sentences = [f"Sentence number {at} is here." for at in range(40)]
    _, chunks = cut(" ".join(sentences), max_words=50, overlap_words=10)

    for before, after in pairwise(chunks):
        last = [s.text for part in before.parts for s in part.sentences][-2:]
        assert [s.text for part in after.parts for s in part.sentences][:2] == last


def test_a_lone_heading_stands_in_front_of_the_section_inside_it() -> None:
    _, chunks = cut("# Book\n\n## Part\n\n### Section\n\nText.\n\n## Empty\n\n## Last\n\nMore.\n")

    assert [chunk.text for chunk in chunks] == [
        "# Book\n\n## Part\n\n### Section\n\nText.",
        "## Empty",
        "## Last\n\nMore.",
    ]
    assert [h.title for h in chunks[0].headings] == ["Book", "Part", "Section"]


def test_sentences_are_plain_and_know_their_lines() -> None:
    _, chunks = cut(
        "# T\n\nA *first* one\nover lines. A [second](http://x).\n\n"
        "- item `one`\n- item two. Really.\n\n"
        "```py\nif x:\n\n    y()\n```\n\n| A | B |\n|---|---|\n| 1 | *2* |\n"
    )

    said = [(s.text, s.first_line, s.last_line) for part in chunks[0].parts for s in part.sentences]

    assert said == [
        ("T", 1, 1),
        ("A first one over lines.", 3, 4),
        ("A second.", 4, 4),
        ("item one", 6, 6),
        ("item two.", 7, 7),
        ("Really.", 7, 7),
        ("if x:", 10, 10),
        ("    y()", 12, 12),
        ("A: 1; B: 2", 17, 17),
    ]
    assert chunks[0].parts[-1].sentences[0].quote == "1 2"


def test_the_hash_changes_with_the_text_and_with_the_path_only() -> None:
    _, [first] = cut("# T\n\nText.\n")
    _, [moved] = cut("\n\n\n# T\n\nText.\n")
    _, [renamed] = cut("# Tt\n\nText.\n")

    assert first.hash == moved.hash
    assert first.hash != renamed.hash


@pytest.mark.parametrize(
    "wrong", [{"max_words": 0}, {"passage_words": 0}, {"max_words": 10, "overlap_words": 10}]
)
def test_sizes_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="words"):
        cut("Text.", **wrong)
