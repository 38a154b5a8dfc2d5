"""What a page says of itself: its title, headings, anchors and front matter."""

from __future__ import annotations

from functions.book.markdown.parse import read_document
from tests.unit.book.reading_samples import read, text_of, texts


def test_headings_make_the_path_and_give_anchors() -> None:
    document = read(
        "# Book\n\n## Overview\n\na\n\n### Overview {#deep}\n\nb\n\n## Setup {/* #start */}\n\n"
        "c\n\nUnder *lined*\n---\n\nd\n\n## Overview\n\ne\n"
    )

    paths = {
        text_of(document, block): [(h.title, h.anchor) for h in block.headings]
        for block in document.blocks
        if block.kind == "paragraph"
    }

    assert paths == {
        "a": [("Book", ""), ("Overview", "overview")],
        "b": [("Book", ""), ("Overview", "overview"), ("Overview", "deep")],
        "c": [("Book", ""), ("Setup", "start")],
        "d": [("Book", ""), ("Under lined", "under-lined")],
        "e": [("Book", ""), ("Overview", "overview-1")],
    }


def test_a_heading_that_starts_like_a_list_keeps_its_number() -> None:
    document = read("# Book\n\n## 2. Evidence: *what* is built\n\na\n\n## - Asides\n\nb\n")

    assert [
        [(h.title, h.anchor) for h in block.headings[1:]] for block in document.blocks[2::2]
    ] == [
        [("2. Evidence: what is built", "2-evidence-what-is-built")],
        [("- Asides", "--asides")],
    ]


def test_the_title_over_a_page_uses_up_its_slug_but_has_no_anchor() -> None:
    document = read("# Overview\n\n## Overview\n\ntext\n")

    assert [heading.anchor for heading in document.blocks[-1].headings] == ["", "overview-1"]


def test_paragraphs_count_from_one_in_each_section() -> None:
    document = read("## A\n\none\n\n- two\n\n## B\n\none\n")

    assert [block.paragraph for block in document.blocks] == [0, 1, 2, 0, 1]


def test_front_matter_is_read_and_is_no_text() -> None:
    document = read(
        "---\ntitle: The *Page*\nslug: /here\nid: it\nai: quote-only\ndraft: true\n---\nBody.\n"
    )

    assert document.front.slug == "/here"
    assert (document.title, document.front.id, document.front.hide) == ("The *Page*", "it", True)
    assert texts(document) == [("paragraph", "Body.")]
    assert {block.policy for block in document.blocks} == {"quote-only"}


def test_broken_front_matter_warns_and_still_honours_the_policy() -> None:
    document = read("---\ntitle: a: b\nai: exclude\nx: [\n---\nBody.\n")

    assert document.front.policy == "exclude"
    assert texts(document) == [("paragraph", "Body.")]
    assert any("front matter" in warning for warning in document.warnings)


def test_an_unknown_policy_is_read_as_the_strictest() -> None:
    document = read("---\nai: sometimes\n---\nBody.\n")

    assert document.front.policy == "exclude"
    assert document.warnings


def test_a_rule_in_the_text_is_not_front_matter() -> None:
    document = read("First.\n\n---\n\nkey: value\n\n---\n\nLast.\n")

    assert "key: value" in [text for _, text in texts(document)]


def test_a_byte_order_mark_hides_nothing() -> None:
    document = read_document("a.md", "\ufeff---\ntitle: T\n---\n# H\n\nText.\n".encode())

    assert document.title == "T"
    assert texts(document) == [("heading", "# H"), ("paragraph", "Text.")]


def test_ten_thousand_equal_headings_get_ten_thousand_anchors() -> None:
    document = read("## Setup\n\ntext\n\n" * 10_000)

    assert len({block.headings[-1].anchor for block in document.blocks}) == 10_000
    assert document.blocks[-1].headings[-1].anchor == "setup-9999"


def test_a_page_without_headings_is_named_after_its_file() -> None:
    assert read("Text.\n", "docs/02-joint-limits.md").title == "Joint limits"
