"""Heading ids, boxes and `mkdocs.yml`, beside Python-Markdown itself."""

from __future__ import annotations

from typing import Any

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown.extensions.toc import slugify, slugify_unicode
from pymdownx.slugs import slugify as pymdownx

from functions.book.document import FrontMatter
from functions.book.markdown.parse import read_document
from functions.book.site.heading_ids import HeadingIds, slugger_of
from functions.book.site.links import document_url
from functions.book.site.mkdocs import MkdocsSite, MkdocsUnreadable, NavPage, read_mkdocs

SLUGS: dict[HeadingIds, Any] = {
    "python-markdown": slugify,
    "python-markdown-unicode": slugify_unicode,
    "pymdownx": pymdownx(),
    "pymdownx-lower": pymdownx(case="lower"),
}
WORDS = ["Setup", "setup_1", "Straße", "Éte", "日本語", "C++", "1.2", "a  b", "Don't", "x-y", "–"]
TITLES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join))


@given(titles=TITLES, kind=st.sampled_from(list(SLUGS)))
def test_ids_are_those_of_python_markdown(titles: list[str], kind: HeadingIds) -> None:
    source = "\n\n".join(f"## {title}" for title in titles)
    converter = markdown.Markdown(
        extensions=["toc"], extension_configs={"toc": {"slugify": SLUGS[kind]}}
    )
    converter.convert(source)
    tokens: list[dict[str, Any]] = converter.toc_tokens
    slugger = slugger_of(kind)
    assert [slugger.give(" ".join(title.split())) for title in titles] == [
        token["id"] for token in tokens
    ]


@pytest.mark.parametrize(
    ("path", "directory_urls", "url"),
    [
        ("docs/index.md", True, "/b/"),
        ("docs/README.md", True, "/b/"),
        ("docs/a/README.md", True, "/b/a/"),
        ("docs/a/b c.md", True, "/b/a/b%20c/"),
        ("docs/index.md", False, "/b/index.html"),
        ("docs/a/README.md", False, "/b/a/index.html"),
        ("docs/1.2-notes.md", False, "/b/1.2-notes.html"),
        ("docs/1.2-notes.md", True, "/b/1.2-notes/"),
    ],
)
def test_pages_stand_where_mkdocs_puts_them(path: str, directory_urls: bool, url: str) -> None:
    given_url = document_url(
        path, FrontMatter(), "/b/", generator="mkdocs", directory_urls=directory_urls
    )
    assert given_url == url


BOXES = """\
# Lathe

!!! warning inline end "Eyes"
    Wear glasses.

    ```py
    === "not a tab"
    ```

=== "Brass"

    !!! tip

        Cut it dry.

Stop!!! There is "=== more".

!!! note

No indented line follows."""


def test_boxes_are_text_with_their_titles_as_labels() -> None:
    document = read_document("a.md", BOXES.encode())
    found = []
    for block in document.blocks:
        text = "".join(BOXES[span.start : span.end] for span in block.spans)
        found.append((block.kind, block.label, " ".join(text.split())))
    assert found == [
        ("heading", "", "# Lathe"),
        ("heading", "Eyes", "Eyes"),
        ("paragraph", "Eyes", "Wear glasses."),
        ("code", "Eyes", '```py === "not a tab" ```'),
        ("heading", "Brass", "Brass"),
        ("paragraph", "Tip", "Cut it dry."),
        ("paragraph", "", 'Stop!!! There is "=== more".'),
        ("paragraph", "", "!!! note"),
        ("paragraph", "", "No indented line follows."),
    ]


def test_a_box_at_the_end_of_a_file_without_a_line_end_is_text() -> None:
    document = read_document("a.md", b"!!! note\n\n    One.\n\n    Two.")
    assert [block.kind for block in document.blocks] == ["paragraph", "paragraph"]


def test_the_settings_of_an_mkdocs_yml() -> None:
    site = read_mkdocs("""
site_url: https://example.org/a/b
docs_dir: ./text/
use_directory_urls: false
nav: [index.md, {Part: [a.md, {Deep: [{B: x/b.md}]}, {Out: 'https://example.org'}]}]
markdown_extensions:
  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji ''}
  - toc: {slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}
extra: {key: !ENV KEY, other: !relative $docs_dir}
""")
    assert site == MkdocsSite(
        docs_dir="text",
        base_url="/a/b/",
        directory_urls=False,
        heading_ids="pymdownx-lower",
        nav=(
            NavPage("text/index.md", "", ()),
            NavPage("text/a.md", "", ("Part",)),
            NavPage("text/x/b.md", "B", ("Part", "Deep")),
        ),
    )
    assert site.chapters == {"text/a.md": "Part", "text/x/b.md": "Part"}
    assert read_mkdocs("site_name: A") == MkdocsSite()


@pytest.mark.parametrize(
    ("toc", "unknown"),
    [
        ("{slugify: !!python/name:mine.slug ''}", "toc.slugify"),
        ("{slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: fold}}}",
         "toc.slugify"),
        ("{separator: _}", "toc.separator"),
    ],
)  # fmt: skip
def test_what_only_the_manifest_can_tell_is_named(toc: str, unknown: str) -> None:
    assert read_mkdocs(f"markdown_extensions: [toc: {toc}]").unknown == (unknown,)


def test_no_object_is_made_of_what_the_file_names() -> None:
    site = read_mkdocs("site_name: !!python/object/apply:os.abort []\ndocs_dir: d")
    assert site.docs_dir == "d"


@pytest.mark.parametrize("text", ["a: [", "- a", ""])
def test_a_file_that_is_no_list_of_settings_is_told(text: str) -> None:
    with pytest.raises(MkdocsUnreadable):
        read_mkdocs(text)
