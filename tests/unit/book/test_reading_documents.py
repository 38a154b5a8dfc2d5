"""Markdown and MDX as blocks: their kinds, their text, their lines."""

from __future__ import annotations

import pytest

from functions.book.markdown.parse import MAX_BYTES, UnreadableDocument, read_document
from tests.unit.book.reading_samples import read, text_of, texts


def test_each_kind_of_block_is_told() -> None:
    document = read(
        "# Title\n\nSome text.\n\n- one\n- two\n\n```py\nx = 1\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n$$\ny = x\n$$\n\n```mermaid\ngraph TD\n```\n\n"
        "> quoted\n\n    indented\n"
    )

    kinds = [block.kind for block in document.blocks]

    assert kinds == [
        *("heading", "paragraph", "list", "code", "table", "math", "mermaid", "quote", "code")
    ]


def test_code_inside_a_list_is_a_block_of_its_own() -> None:
    document = read("1. first\n\n   ```bash\n   run\n   ```\n2. second\n")

    assert texts(document) == [
        ("list", "1. first"),
        ("code", "   ```bash\n   run\n   ```"),
        ("list", "2. second"),
    ]


def test_imports_exports_tags_and_comments_are_in_no_span() -> None:
    document = read(
        "import Tabs from '@theme/Tabs';\nimport {\n  A,\n  B,\n} from 'x';\n"
        "export const meta = {\n  a: 1,\n\n  b: {c: 2},\n};\n\n"
        "Before <Badge text={`a > b`} big /> after.\n\n{/* hidden\n\nhidden */}\n\n"
        "<!-- hidden -->\n\n"
        '<Card a={{x: "}"}}>\n\nInside **bold**.\n\n</Card>\n\n{{#include hidden.md}}\n'
    )

    assert texts(document) == [
        ("paragraph", "Before  after."),
        ("paragraph", "Inside **bold**."),
    ]


def test_what_looks_like_markup_inside_code_stays() -> None:
    body = "```jsx\nimport A from 'a';\n<Tabs>{/* kept */}</Tabs>\n<!-- kept -->\n:::note\n```"
    document = read(f"Use `<Tabs>` and ``a ` <b>``.\n\n{body}\n")

    assert texts(document) == [("paragraph", "Use `<Tabs>` and ``a ` <b>``."), ("code", body)]


def test_preformatted_text_beside_its_tag_ends_where_its_element_does() -> None:
    document = read(
        "<pre><code>match <em>x</em> {\n    1 =>\n\n}</code></pre>\n\n## Next\n\nAfter.\n"
    )

    assert texts(document) == [
        ("code", "match x {\n    1 =>\n\n}"),
        ("heading", "## Next"),
        ("paragraph", "After."),
    ]


def test_formulas_stay_whole_whatever_they_look_like() -> None:
    formula = "$$\n\\begin{aligned}\n- a <b> {x}\n\n= # c\n\\end{aligned}\n$$"
    document = read(f"Where $a<b$ and $x_{{i}}$.\n\n{formula}\n\nAfter.\n")

    assert texts(document) == [
        ("paragraph", "Where $a<b$ and $x_{i}$."),
        ("math", formula),
        ("paragraph", "After."),
    ]


def test_text_in_tabs_boxes_and_details_carries_its_label() -> None:
    document = read(
        '<Tabs>\n<TabItem value="py" label="Python">\n\nIn the tab.\n\n</TabItem>\n</Tabs>\n\n'
        ":::note[Mind *this*]\nIn the note.\n:::\n\n:::tip\nIn the tip.\n:::\n\n"
        "<details>\n<summary>Open <b>me</b></summary>\n\nIn the details.\n\n</details>\n\n"
        "Outside.\n"
    )

    labelled = {
        text_of(document, block): block.label
        for block in document.blocks
        if block.kind == "paragraph"
    }

    assert labelled == {
        "In the tab.": "Python",
        "In the note.": "Mind this",
        "In the tip.": "Tip",
        "In the details.": "Open me",
        "Outside.": "",
    }
    assert ("heading", "Open me") in texts(document)


def test_an_alert_gives_its_label_and_keeps_its_mark_out() -> None:
    document = read("> [!WARNING]\n> Take care.\n")

    assert [(b.label, text_of(document, b)) for b in document.blocks] == [
        ("Warning", "> Take care.")
    ]


def test_markdown_that_is_indented_inside_a_component_is_not_code() -> None:
    document = read(
        '<Tabs>\n  <TabItem value="a" label="A">\n    Some **text**.\n\n    ```py\n    if x:\n'
        "        y\n    ```\n  </TabItem>\n</Tabs>\n"
    )

    assert [block.kind for block in document.blocks] == ["heading", "paragraph", "code"]


def test_words_beside_a_removed_tag_do_not_grow_together() -> None:
    document = read("One<br/>two<br>three H<sub>2</sub>O.\n")

    assert texts(document) == [("paragraph", "One two three H2O.")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_spans_and_lines_are_right_whatever_ends_a_line(end: str) -> None:
    document = read(
        end.join(["---", "title: é", "---", "# Ünder", "", "Text é.", "More.", "", "- x"])
    )

    assert [text.replace(end, "\n") for _, text in texts(document)] == [
        "# Ünder",
        "Text é.\nMore.",
        "- x",
    ]
    assert [(block.first_line, block.last_line) for block in document.blocks] == [
        (4, 4),
        (6, 7),
        (9, 9),
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\0b", "NUL"),
        (b"caf\xe9", "not UTF-8"),
        (b"x" * (MAX_BYTES + 1), "bytes"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocument, match=reason) as caught:
        read_document("a.md", data)

    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# T\n\n```py\nnever closed\n", "never closed"),
        ("Text <!-- never closed\n\nmore words\n", "more words"),
        ("Text {/* never closed\n\nmore words\n", "more words"),
        ("<Tabs>\n\nmore words\n", "more words"),
        ("<Broken attr={ >\n\nmore words\n", "more words"),
        ("<script>\n\nmore words\n", "more words"),
        (":::note\n\nmore words\n", "more words"),
        ("export const broken = {\n\nmore words\n", "more words"),
        ("$$\nx\n\nmore words\n", "more words"),
        ("> " * 200 + "more words\n", "more words"),
        ("".join("  " * depth + "- x\n" for depth in range(200)) + "\nmore words\n", "more words"),
    ],
)
def test_broken_markdown_loses_no_words(text: str, words: str) -> None:
    document = read(text)

    assert words in " ".join(text for _, text in texts(document))


def test_a_table_cut_short_at_the_end_of_the_file_has_its_last_row_once() -> None:
    table = "| a | `b` |\n|---|---|\n| c | d |\n| e"

    assert texts(read(f"Prose.\n\n{table}")) == [("paragraph", "Prose."), ("table", table)]


@pytest.mark.parametrize("end", ["", "\n", "\n\n```\n", "\n~~~\n"])
def test_prose_between_blank_lines_in_a_code_fence_is_code(end: str) -> None:
    text = f"Before.\n\n```py\na = 1\n\nProse\n\n# Title\n\n| a |\n|---|\n\nlast line{end}"
    document = read(text)

    assert [block.kind for block in document.blocks][:2] == ["paragraph", "code"]
    assert "last line" in text_of(document, document.blocks[1])
    assert "".join(text_of(document, block) for block in document.blocks).count("Prose") == 1


def test_lists_go_on_over_blank_lines_but_not_over_a_paragraph() -> None:
    document = read("- a\n- b\n\n- c\n- d\n\nProse.\n\n- e\n- f\n")

    assert texts(document) == [
        ("list", "- a\n- b\n\n- c\n- d"),
        ("paragraph", "Prose."),
        ("list", "- e\n- f"),
    ]


def test_a_table_of_formulas_stays_a_table() -> None:
    text = "$$a$$ | $$b$$\n--- | ---\n$$c$$ | $$d$$\n\nAfter."
    assert [block.kind for block in read_document("a.md", text.encode()).blocks] == [
        "table",
        "paragraph",
    ]
