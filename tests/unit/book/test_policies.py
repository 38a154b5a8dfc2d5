"""Author's policies, from the source to the chunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.book.chunks.split_into_chunks import split_into_chunks
from functions.book.markdown.parse import read_document
from functions.book.policies import govern, is_solution_title, with_policies

Source = str


def governed_texts(source: Source, path: str = "docs/a.mdx") -> tuple[str, str]:
    """The text that may be selected, and the text that may be found."""
    governed = govern(read_document(path, source.encode()))
    shown = "\n".join(
        source[span.start : span.end] for block in governed.visible.blocks for span in block.spans
    )
    return shown, "\n".join(chunk.text for chunk in split_into_chunks(governed.answerable))


def policies_by_section(source: Source) -> dict[str, str]:
    governed = govern(read_document("docs/a.md", source.encode()))
    chunks = with_policies(split_into_chunks(governed.answerable), governed.visible)
    return {chunk.headings[-1].title: chunk.policy for chunk in chunks}


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- ai: exclude -->",
        "{/* ai: exclude */}",
        "<!--ai:exclude-->",
        "<!--\n AI: exclude \n-->",
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\r\n\r\n", "\n<!-- a note -->\n"])
def test_a_comment_under_a_heading_takes_out_its_section_and_those_inside(
    comment: str, gap: str
) -> None:
    source = (
        f"# Page\n\nBefore.\n\n## Secret{gap}{comment}\n\nHidden words.\n\n### Inside\n\n"
        "Hidden as well.\n\n## After\n\nOpen words.\n"
    )
    for text in governed_texts(source):
        assert "Hidden" not in text
        assert "Secret" not in text
        assert "Inside" not in text
        assert "Before." in text
        assert "Open words." in text


def test_an_underlined_heading_and_one_with_an_id_take_a_policy_too() -> None:
    source = (
        "# Page\n\nOpen.\n\nOne\n---\n<!-- ai: exclude -->\n\nHidden one.\n\n"
        "## Two {/* #two */}\n{/* ai: exclude */}\n\nHidden two.\n"
    )
    for text in governed_texts(source):
        assert "Open." in text
        assert "Hidden" not in text


def test_a_comment_elsewhere_and_a_comment_in_code_are_no_policy() -> None:
    source = (
        "# Page\n\n## One\n\nFirst.\n\n<!-- ai: exclude -->\n\nStill here.\n\n"
        "## Two\n\n```html\n<!-- ai: exclude -->\n```\n\nAnd here.\n"
    )
    _, text = governed_texts(source)
    assert "Still here." in text
    assert "And here." in text


def test_each_section_has_its_own_policy_and_never_a_laxer_one_than_what_it_stands_in() -> None:
    source = (
        "# Page\n\nOpen.\n\n## Quotes\n<!-- ai: quote-only -->\n\nQuoted.\n\n"
        "### Inside\n<!-- ai: no-solutions -->\n\nStill quoted.\n\n## Last\n\nOpen again.\n"
    )
    assert policies_by_section(source) == {
        "Page": "",
        "Quotes": "quote-only",
        "Inside": "quote-only",
        "Last": "",
    }


def test_an_unknown_policy_is_read_as_the_strictest_and_named_with_its_line() -> None:
    source = "# Page\n\nOpen.\n\n## Part\n<!-- ai: secret -->\n\nHidden.\n"
    document = govern(read_document("docs/a.md", source.encode())).visible
    assert document.warnings == ("line 6: unknown policy 'ai: secret'; read as 'exclude'",)
    assert "Hidden" not in governed_texts(source)[1]


SOLVED = """# Page

## Exercise 1

Why does a robot fall?

<details>
<summary>Show solution</summary>

Hidden by the box.

<Tabs><TabItem label="Python">

```python
hidden = "in a tab in the box"
```

</TabItem></Tabs>

Hidden after the tab.

</details>

After the box.

:::tip[Answer]

Hidden in an admonition.

:::

## Solutions

Hidden by the heading.

### Exercise 1

Hidden inside.

## Summary

Open.
"""


def test_solutions_are_kept_from_answers_but_known_when_selected() -> None:
    shown, found = governed_texts(f"---\nai: no-solutions\n---\n{SOLVED}")
    assert "hidden" not in found.lower()
    assert "Why does a robot fall?" in found
    assert "After the box." in found
    assert "Open." in found
    assert shown.lower().count("hidden") == 6


def test_without_the_policy_solutions_are_text_like_any_other() -> None:
    assert governed_texts(SOLVED)[1].lower().count("hidden") == 6


def test_a_quote_only_section_of_a_page_without_solutions_has_both_policies() -> None:
    source = (
        "---\nai: no-solutions\n---\n# Page\n\n## Part\n<!-- ai: quote-only -->\n\nQuoted.\n\n"
        "### Answers\n\nHidden.\n"
    )
    assert policies_by_section(source) == {"Part": "quote-only"}


@pytest.mark.parametrize(
    "title",
    [
        "Solution", "Solutions", "Answers", "Answer key", "Answer Key:", "Solution 3", "Answer 2.1",
        "Solutions to the exercises", "Answers for chapter 2", "Exercise 2: Solution",
        "3.4 Solutions", "Show solution", "Click to reveal the answer", "Click for the solution",
        "Worked solutions", "Sample answer", "Exercise 4 solution", "Quiz answers",
        "Question 3 – Answer", "View answers", "Solution manual", "Solution to Exercise 1.2",
    ],
)  # fmt: skip
def test_titles_that_announce_a_solution(title: str) -> None:
    assert is_solution_title(title)
    assert is_solution_title(title.upper())


@pytest.mark.parametrize(
    "title",
    [
        "The solution space", "Question answering", "Answering questions", "Exercises", "Hints",
        "Resolution", "A solution in search of a problem", "Solution methods", "Why answers matter",
        "Solutions architecture", "Electrolyte solutions and their uses", "",
    ],
)  # fmt: skip
def test_titles_that_only_speak_of_solutions(title: str) -> None:
    assert not is_solution_title(title)


@given(
    st.lists(
        st.tuples(
            st.integers(2, 4),
            st.sampled_from(["", "exclude", "quote-only", "no-solutions"]),
            st.sampled_from(["Part", "Solutions"]),
        ),
        max_size=8,
    ),
    st.sampled_from(["", "quote-only", "no-solutions"]),
)
def test_each_section_has_the_policies_over_it(
    sections: list[tuple[int, str, str]], page: str
) -> None:
    front = f"---\nai: {page}\n---\n" if page else ""
    source = front + "# Page\n\nIntroduction.\n"
    expected: dict[str, str | None] = {"Introduction.": page}
    over: list[tuple[int, str, bool]] = []
    for number, (level, policy, title) in enumerate(sections):
        over = [each for each in over if each[0] < level]
        over.append((level, policy, title == "Solutions"))
        comment = f"<!-- ai: {policy} -->\n" if policy else ""
        source += f"\n{'#' * level} {title}\n{comment}\nText{number}.\n"
        found = {page, *(stated for _, stated, _ in over)}
        is_kept_back = "no-solutions" in found and any(solves for *_, solves in over)
        if "exclude" in found or is_kept_back:
            expected[f"Text{number}."] = None
        else:
            strict = [each for each in ("quote-only", "no-solutions") if each in found]
            expected[f"Text{number}."] = strict[0] if strict else ""
    governed = govern(read_document("docs/a.md", source.encode()))
    chunks = with_policies(split_into_chunks(governed.answerable), governed.visible)
    for text, policy in expected.items():
        holding = [chunk.policy for chunk in chunks if text in chunk.text]
        assert holding == ([] if policy is None else [policy])
