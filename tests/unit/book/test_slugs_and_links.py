from __future__ import annotations

import pytest

from functions.book.chapters import chapter_of, place_of
from functions.book.chunks.chunk import Chapter
from functions.book.document import FrontMatter
from functions.book.site.heading_ids import GithubSlugger, slug_of
from functions.book.site.links import document_url, generator_of, section_url


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("The forward() API & friends", "the-forward-api--friends"),
        ("Section 1.2: URDF & SDF", "section-12-urdf--sdf"),
        ("What is $x^2$?", "what-is-x2"),
        ("Café – Übung (π ≈ 3.14)", "café--übung-π--314"),
        ("日本語 見出し", "日本語-見出し"),
        (":rocket: Launch", "rocket-launch"),
        ("snake_case and kebab-case", "snake_case-and-kebab-case"),
        ("x² and ½", "x-and-"),
    ],
)
def test_slugs_are_those_of_the_built_site(title: str, slug: str) -> None:
    assert slug_of(title) == slug


def test_a_second_heading_of_one_name_is_numbered() -> None:
    slugger = GithubSlugger()

    given = [slugger.give(title) for title in ("Overview", "Overview", "Overview-1", "Overview")]

    assert given == ["overview", "overview-1", "overview-1-1", "overview-2"]


@pytest.mark.parametrize(
    ("path", "front", "url"),
    [
        ("docs/intro.md", FrontMatter(), "/site/docs/intro"),
        ("docs/01-basics/02-first-steps.mdx", FrontMatter(), "/site/docs/basics/first-steps"),
        ("docs/003 - spaced.md", FrontMatter(), "/site/docs/spaced"),
        ("docs/1.2-notes.md", FrontMatter(), "/site/docs/1.2-notes"),
        ("docs/2021-11-01-news.md", FrontMatter(), "/site/docs/2021-11-01-news"),
        ("docs/01-basics/index.md", FrontMatter(), "/site/docs/basics/"),
        ("docs/basics/README.md", FrontMatter(), "/site/docs/basics/"),
        ("docs/basics/Basics.md", FrontMatter(), "/site/docs/basics/"),
        ("docs/README.md", FrontMatter(), "/site/docs/"),
        ("docs/a/b.md", FrontMatter(slug="/else/where/"), "/site/docs/else/where/"),
        ("docs/01-a/b.md", FrontMatter(slug="here"), "/site/docs/a/here"),
        ("docs/a/b.md", FrontMatter(slug="../up"), "/site/docs/up"),
        ("docs/a/b.md", FrontMatter(slug="/"), "/site/docs/"),
        ("docs/a/b.md", FrontMatter(id="named"), "/site/docs/a/named"),
        ("docs/a/a b é+%.md", FrontMatter(), "/site/docs/a/a%20b%20%C3%A9+%25"),
        ("versioned_docs/version-1.0/a.md", FrontMatter(), "/site/docs/1.0/a"),
        (
            "i18n/fr/docusaurus-plugin-content-docs/current/a.md",
            FrontMatter(),
            "/site/fr/docs/a",
        ),
    ],
)
def test_pages_stand_where_docusaurus_puts_them(path: str, front: FrontMatter, url: str) -> None:
    assert document_url(path, front, base_url="/site/", route_base="docs") == url


def test_pages_of_an_mdbook_and_of_a_plain_folder() -> None:
    front = FrontMatter()

    assert (
        document_url("src/ch01-01.md", front, docs_root="src", generator="mdbook")
        == "/ch01-01.html"
    )
    assert (
        document_url("src/README.md", front, docs_root="src", generator="mdbook") == "/index.html"
    )
    assert document_url("notes/a.md", front, docs_root="", generator="plain") == "/notes/a"
    assert document_url("README.md", front, docs_root="", generator="plain") == "/"


@pytest.mark.parametrize(
    ("paths", "generator"),
    [
        (["src/SUMMARY.md", "src/a.md"], ("mdbook", "src")),
        (["SUMMARY.md"], ("mdbook", "")),
        (["docs/a.md", "docusaurus.config.js"], ("docusaurus", "docs")),
        (["notes/a.md"], ("plain", "")),
    ],
)
def test_the_generator_is_told_by_the_files(paths: list[str], generator: tuple[str, str]) -> None:
    assert generator_of(paths) == generator


def test_anchors_are_encoded_once() -> None:
    assert section_url("/a", "café") == "/a#caf%C3%A9"
    assert section_url("/a", "") == "/a"


@pytest.mark.parametrize(
    ("path", "titles", "place"),
    [
        ("docs/01-foundations/02-benefits.md", ("Benefits",), "Chapter 1, Section 1.2"),
        ("src/ch04-01-ownership.md", ("Ownership", "Stack"), "Chapter 4, Section 4.1"),
        ("docs/ch01-introduction/01-what.md", ("What",), "Chapter 1, Section 1.1"),
        ("docs/ch01-introduction/00-introduction.md", ("Introduction",), "Chapter 1"),
        ("docs/1-physical-ai.md", ("Chapter 1: Physical AI", "Benefits"), "Chapter 1, Benefits"),
        ("docs/01-a/index.md", ("A",), "Chapter 1"),
        ("docs/bodies.md", ("Chapter 3: Bodies", "3.2 Joints", "Limits"), "Chapter 3, Section 3.2"),
        ("docs/intro.md", ("Welcome", "Who it is for", "More"), "Welcome, Who it is for"),
        ("docs/intro.md", (), "intro"),
    ],
)
def test_places_are_named_as_the_book_numbers_them(
    path: str, titles: tuple[str, ...], place: str
) -> None:
    assert place_of(path, titles) == place


def test_a_chapter_is_the_numbered_folder_or_file() -> None:
    assert chapter_of("docs/01-foundations/02-x.md", ("X",)) == Chapter(
        "foundations", 1, "Foundations"
    )
    assert chapter_of("docs/01-foundations/02-x.md", ("X",), "Ground") == Chapter(
        "foundations", 1, "Ground"
    )
    assert chapter_of("docs/2-bodies.md", ("Chapter 2: Bodies", "A")) == Chapter(
        "bodies", 2, "Bodies"
    )
    assert chapter_of("src/ch04-01-x.md", ("X",)) == Chapter("ch04", 4, "Chapter 4")
    assert chapter_of("docs/intro.md", ("Welcome",)) == Chapter("intro", None, "Welcome")
