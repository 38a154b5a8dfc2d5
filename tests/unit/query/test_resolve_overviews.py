"""From the words for a place to the pages and sections they mean, and to the sentences told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from functions.answer.chain import answer_from
from functions.book.chunks.chunk import StoredChunk
from functions.book.outline import Outline, OutlineEntry, outline_of
from functions.query.overviews.compose import NAMED, gather_rows, in_lines, rows_of
from functions.query.overviews.parse import LAST, Target, read_overview
from functions.query.overviews.resolve import BookPart, UnknownPart, resolve_target
from functions.query.requests import ChapterContext
from functions.web.fields import PageBody
from tests.unit.answer.contexts import SOON, chunk


def page(path: str, number: int | None, title: str, *sections: str) -> list[StoredChunk]:
    """A page with an opening and sections, each of two sentences."""
    told = [(f"{title} opens with this sentence.", "And goes on a little.")]
    told += [(f"The text of {name} begins so.", "It has more to say.") for name in sections]
    return [
        chunk(sentences, titles=(title, *name), path=path, number=number, first_block=10 * at + 1)
        for at, (sentences, name) in enumerate(
            zip(told, [(), *((name,) for name in sections)], strict=True)
        )
    ]


CHUNKS = [
    *page("docs/intro.md", None, "Welcome", "Who Reads This"),
    *page("docs/01-balance/01-standing.md", 1, "Standing", "Support Polygon", "Exercises"),
    *page("docs/01-balance/02-walking.md", 1, "Walking", "Gait"),
    *page("docs/02-arms/01-kinematics.md", 2, "Kinematics", "Inverse Kinematics"),
    *page("docs/appendix.md", None, "Notation"),
]


def entries_of(chunks: Sequence[StoredChunk]) -> list[OutlineEntry]:
    return [
        OutlineEntry(c.chunk_id, c.source_path, c.version, c.locale, at, c.chapter, c.titles,
                     c.place, c.url)
        for at, c in enumerate(chunks)
    ]  # fmt: skip


OUTLINE = outline_of(entries_of(CHUNKS))
STANDING = PageBody(source_path="docs/01-balance/01-standing.md")


def found(
    target: Target, page: PageBody | None = None, context: ChapterContext | None = None
) -> BookPart:
    result = resolve_target(target, OUTLINE, page, context)
    assert isinstance(result, BookPart), result
    return result


def paths(place: BookPart) -> list[str]:
    return [each.path.rsplit("/", 1)[-1] for each in place.pages]


def test_the_outline_is_in_the_books_order_with_its_opening_first() -> None:
    assert [each.title for each in OUTLINE.pages] == [
        "Welcome", "Standing", "Walking", "Kinematics", "Notation",
    ]  # fmt: skip
    assert OUTLINE.opening is not None
    assert OUTLINE.opening.title == "Welcome"
    assert [chapter.chapter.number for chapter in OUTLINE.chapters] == [1, 2]


def test_an_outline_holds_one_version_in_one_language() -> None:
    old = [replace(entry, version="1.0") for entry in entries_of(CHUNKS[:2])]
    both = [*entries_of(CHUNKS), *old]
    assert len(outline_of(both).pages) == 5
    assert [page.title for page in outline_of(both, version="1.0").pages] == ["Welcome"]
    assert outline_of(both, version="2.0").pages == ()


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (Target("numbered", "chapter", (1,)), ["01-standing.md", "02-walking.md"]),
        (Target("numbered", "chapter", (LAST,)), ["01-kinematics.md"]),
        (Target("named", "chapter", words="kinematics"), ["01-kinematics.md"]),
        (Target("named", "page", words="walking"), ["02-walking.md"]),
        (Target("topic", words="the support polygon"), ["01-standing.md"]),
        (Target("here", "page"), ["01-standing.md"]),
        (Target("here", "chapter"), ["01-standing.md", "02-walking.md"]),
        (Target("beside", "chapter", (1,)), ["01-kinematics.md"]),
    ],
)
def test_finds_the_pages_of_a_place(place: Target, expected: list[str]) -> None:
    assert paths(found(place, STANDING)) == expected


def test_a_section_is_found_by_its_title_and_by_its_number_on_the_open_page() -> None:
    by_title = found(Target("named", "section", words="inverse kinematics"))
    assert (by_title.kind, by_title.title) == ("section", "Inverse Kinematics")
    by_number = found(Target("numbered", "section", (1,)), STANDING)
    assert by_number.title == "Support Polygon"


@pytest.mark.parametrize(
    "link",
    ["/01-standing", "/01-standing/", "/01-standing#x", "https://book.example/base/01-standing/"],
)
def test_a_page_is_found_by_its_link_whatever_its_host_and_base(link: str) -> None:
    entries = [replace(e, url="/" + e.source_path.split("/")[-1][:-3]) for e in entries_of(CHUNKS)]
    page_found = outline_of(entries).page_at("", link)
    assert page_found is not None
    assert page_found.title == "Standing"


def test_a_chapter_whose_title_has_its_number_is_found_by_the_rest_of_it() -> None:
    entries = [
        replace(e, chapter=replace(e.chapter, title="Chapter 2: Arms That Reach"))
        if e.chapter.number == 2
        else e
        for e in entries_of(CHUNKS)
    ]
    place = Target("topic", "chapter", words="arms that reach")
    result = resolve_target(place, outline_of(entries), None, None)
    assert isinstance(result, BookPart)
    assert result.title == "Chapter 2: Arms That Reach"


def test_what_is_open_is_the_chapter_that_the_page_says_or_else_the_book() -> None:
    assert found(Target("here"), None, ChapterContext(chapter_id="2")).title.startswith("Chapter 2")
    guessed = found(Target("here", "page"), PageBody(source_path="docs/gone.md"))
    assert (guessed.kind, guessed.guessed) == ("book", True)


def test_what_the_book_has_not_is_unknown_with_the_nearest_chapters() -> None:
    unknown = resolve_target(Target("numbered", "chapter", (40,)), OUTLINE, None, None)
    assert isinstance(unknown, UnknownPart)
    assert unknown.closest[0].source_path == "docs/02-arms/01-kinematics.md"
    after_last = PageBody(source_path="docs/02-arms/01-kinematics.md")
    assert isinstance(resolve_target(Target("beside", "chapter", (1,)), OUTLINE, after_last, None),
                      UnknownPart)  # fmt: skip


def test_words_that_name_no_heading_are_left_to_the_search() -> None:
    assert resolve_target(Target("named", "chapter", words="cooking"), OUTLINE, None, None) is None
    assert resolve_target(Target("topic", words="inverse dynamics"), OUTLINE, None, None) is None
    assert resolve_target(Target("named", words="x"), Outline(()), None, None) is None


async def claims(question: str, page: PageBody | None = None) -> list[str]:
    overview = read_overview(question)
    assert overview is not None
    context, writer = gather_rows(
        rows_of(found(overview.target, page), overview.wants, OUTLINE),
        {each.chunk_id: each for each in CHUNKS},
    )
    answer = in_lines(await answer_from(question, context, writer, NAMED, "book", SOON))
    assert {claim.verification for claim in answer.claims} == {"verbatim"}
    assert len(answer.text.splitlines()) == len(answer.claims)
    return [claim.text for claim in answer.claims]


async def test_a_page_is_told_by_its_headings_and_first_sentences_without_exercises() -> None:
    assert await claims("Summarise this page", STANDING) == [
        "Standing: Standing opens with this sentence.",
        "And goes on a little.",
        "Support Polygon: The text of Support Polygon begins so.",
    ]


async def test_a_list_of_sections_names_them_all() -> None:
    assert await claims("List the sections of this page", STANDING) == [
        "Support Polygon", "Exercises",
    ]  # fmt: skip


async def test_the_book_is_told_by_its_opening_and_its_chapters() -> None:
    assert await claims("What is this book about?") == [
        "Welcome opens with this sentence.",
        "And goes on a little.",
        "Who Reads This: The text of Who Reads This begins so.",
        "Chapter 1: Standing",
        "Chapter 2: Kinematics: Kinematics opens with this sentence.",
    ]


async def test_quote_only_pages_are_told_like_all_others() -> None:
    overview = read_overview("Summarise this page")
    assert overview is not None
    context, writer = gather_rows(
        rows_of(found(overview.target, STANDING), "summary", OUTLINE),
        {each.chunk_id: replace(each, policy="quote-only") for each in CHUNKS},
    )
    answer = await answer_from("Summarise this page", context, writer, NAMED, "book", SOON)
    assert [claim.text for claim in answer.claims] == await claims("Summarise this page", STANDING)


async def test_a_chunk_that_is_gone_meanwhile_is_left_out() -> None:
    place = found(Target("here", "page"), STANDING)
    rows = rows_of(place, "summary", OUTLINE)
    opening = CHUNKS[2]
    context, writer = gather_rows(rows, {opening.chunk_id: opening})
    answer = await answer_from("Summarise", context, writer, NAMED, "book", SOON)
    assert {citation.url for citation in answer.citations} == {opening.url}
    assert len(answer.claims) == 2
    context, writer = gather_rows(rows, {})
    answer = await answer_from("Summarise", context, writer, NAMED, "book", SOON)
    assert answer.refusal == "out_of_scope"
