from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from functions.book.document import Heading
from functions.book.markdown.parse import read_document
from functions.book.site.heading_anchors import match_headings, with_page_anchors
from functions.book.site.heading_ids import GithubSlugger
from functions.book.site.manifest import PageHeading

TITLES = [
    "Setup",
    "Overview",
    "What is $x^2$?",
    "Café – Übung",
    "日本語",
    "C++",
    "C",
    ":rocket: Go",
]
titles = st.lists(st.sampled_from(TITLES), max_size=12)


def built(*headings: tuple[str, str]) -> list[PageHeading]:
    return [PageHeading(id=id, text=text, level=2) for text, id in headings]


def own(*pairs: tuple[str, str]) -> list[Heading]:
    return [Heading(2, title, anchor) for title, anchor in pairs]


@given(titles)
def test_any_list_of_headings_joins_with_its_own_page(given_titles: list[str]) -> None:
    slugger = GithubSlugger()
    guessed = [Heading(2, title, slugger.give(title)) for title in given_titles]
    page = [PageHeading(id=f"id-{at}", text=t, level=2) for at, t in enumerate(given_titles)]
    assert match_headings(guessed, page) == [heading.id for heading in page]


@given(titles, st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["Part", "Notes"]))))
def test_headings_of_included_parts_do_not_move_the_others(
    given_titles: list[str], included: list[tuple[int, str]]
) -> None:
    slugger = GithubSlugger()
    guessed = [Heading(2, title, slugger.give(title)) for title in given_titles]
    page = [PageHeading(id=f"id-{at}", text=t, level=2) for at, t in enumerate(given_titles)]
    wanted = [heading.id for heading in page]
    for at, text in included:
        page.insert(min(at, len(page)), PageHeading(id=f"of-{text}", text=text, level=2))
    assert match_headings(guessed, page) == wanted


@given(titles, titles)
def test_every_anchor_is_an_id_of_the_page_in_its_order_or_empty(
    mine: list[str], theirs: list[str]
) -> None:
    page = [PageHeading(id=f"id-{at}", text=text, level=2) for at, text in enumerate(theirs)]
    anchors = match_headings([Heading(2, title, "") for title in mine], page)
    places = [int(anchor.removeprefix("id-")) for anchor in anchors if anchor]
    assert places == sorted(set(places))
    assert len(anchors) == len(mine)
    paired = [(title, theirs[int(a[3:])]) for title, a in zip(mine, anchors, strict=True) if a]
    assert all(title == text or {title, text} == {"C", "C++"} for title, text in paired)


def test_an_id_tells_which_of_two_equal_headings_is_meant() -> None:
    page = built(("Setup", "from-a-part"), ("Setup", "setup"))
    assert match_headings(own(("Setup", "setup")), page) == ["setup"]


def test_a_heading_whose_text_a_program_makes_is_known_by_its_id() -> None:
    page = built(("Version 3.2", "version"), ("After", "after"))
    assert match_headings(own(("Version {number}", "version"), ("After", "after")), page) == [
        "version",
        "after",
    ]


def test_a_heading_that_the_page_lacks_has_no_anchor() -> None:
    page = built(("After", "after-1"))
    assert match_headings(own(("Hidden", "hidden"), ("After", "after")), page) == ["", "after-1"]


def test_a_very_long_page_keeps_the_ids_that_are_there() -> None:
    mine = own(*((f"Title {at}", f"title-{at}") for at in range(1000)))
    page = built(*((f"Title {at}", f"title-{at}") for at in range(1, 1001)))
    assert match_headings(mine, page) == ["", *(f"title-{at}" for at in range(1, 1000))]


def test_the_document_gets_the_ids_of_its_page_and_keeps_its_text() -> None:
    document = read_document(
        "docs/a.md",
        b"---\ntitle: Of the front\n---\nIntroduction.\n\n## Setup\n\nOne.\n\n## Setup\n\nTwo.\n\n"
        b"### Deep\n\nThree.\n\n# Second title\n\nFour.\n",
    )
    page = [
        PageHeading(id="", text="Of the front", level=1),
        *built(("Setup", "s1"), ("Setup", "s2")),
        PageHeading(id="d", text="Deep", level=3),
        PageHeading(id="", text="Second title", level=1),
    ]
    joined = with_page_anchors(document, page)
    paths = [[heading.anchor for heading in block.headings] for block in joined.blocks]
    assert paths == [
        [""], *([["", "s1"]] * 2), *([["", "s2"]] * 2), *([["", "s2", "d"]] * 2), *([["", ""]] * 2)
    ]  # fmt: skip
    assert [block.spans for block in joined.blocks] == [block.spans for block in document.blocks]
    assert [h.title for b in joined.blocks for h in b.headings] == [
        h.title for b in document.blocks for h in b.headings
    ]
