"""What was rewritten to take linear time gives what the plain, slow form gives."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as some

from functions.book.markdown import simple_blocks
from functions.book.policies import _DetailsEnds
from functions.book.sentences import split
from functions.book.site.heading_ids import MarkdownSlugger
from functions.runtime.privacy.personal_data import find_personal_data


def pieces(*texts: str, most: int = 25) -> some.SearchStrategy[str]:
    return some.lists(some.sampled_from(texts), max_size=most).map("".join)


_CLOSING = r"(?:[\"'”’»)\]*_]|\[\d{1,3}\])*"
SLOW_BOUNDARY = re.compile(
    "|".join(
        [
            *(rf"{re.escape(stop)}[.!?…]*{_CLOSING}\s+" for stop in ".!?…"),
            *(rf"{stop}[。！？]*[”’」』）]*\s*" for stop in "。！？"),
            r"\n(?:[ \t]*\n\s*|(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]))",
        ]
    )
)


@given(pieces(".", "!", "…", "。", "！", ")", "”", '"', "_", "[1]", " ", "\n", "- ", "a", "B", "1"))
def test_sentences_end_where_every_start_is_tried(text: str) -> None:
    found = [match.span() for match in split._BOUNDARY.finditer(text)]
    assert found == [match.span() for match in SLOW_BOUNDARY.finditer(text)]


@given(pieces("a ", "B ", "ǅ ", "1 ", "ß", "É. ", ". "), some.integers(0, 30), some.integers(1, 30))
def test_a_range_has_capitals_where_it_is_not_all_small(text: str, start: int, size: int) -> None:
    part = text[start : start + size]
    if any(letter.islower() for letter in part):
        assert split._Capitals(text).any_in(start, start + size) == (not part.islower())


SLOW_CLOSED = re.compile(r"^([ \t]*)(([`~])\3\3)[^`~\n]*\n(?:\1.*\n)*?\1\2\3*[ \t]*$", re.MULTILINE)


@given(pieces("```", "~~~", "`", "~", " ", "  ", "\t", "a", "\n", "\n", "- "))
def test_a_fence_may_stay_open_where_the_pattern_leaves_a_mark(text: str) -> None:
    left = SLOW_CLOSED.sub("", text)
    assert simple_blocks._may_leave_open(text) == ("```" in left or "~~~" in left)


TAGS = pieces("<details>", "</details>", "<details ", "a", " ")


@given(TAGS, TAGS)
def test_details_end_where_counting_from_there_ends(before: str, after: str) -> None:
    text, at = before + after, len(before)
    opened = text.rfind("<details", 0, at)
    wanted = at
    if opened >= 0 and text.find("</details", opened, at) < 0:
        wanted, depth = len(text), 1
        for tag in re.compile(r"<(/?)details\b").finditer(text, at):
            depth += -1 if tag.group(1) else 1
            if not depth:
                wanted = tag.start()
                break
    assert _DetailsEnds(text).around(at) == wanted


@given(some.lists(some.sampled_from(["a", "a_1", "a_2", "a_x", ""]), max_size=30))
def test_ids_are_counted_up_one_by_one(titles: list[str]) -> None:
    slugger = MarkdownSlugger(str, ())
    seen: set[str] = set()
    for title in titles:
        slug = title
        while slug in seen or not slug:
            counted = re.fullmatch(r"(.*)_([0-9]+)", slug)
            slug = f"{counted[1]}_{int(counted[2]) + 1}" if counted else f"{slug}_1"
        seen.add(slug)
        assert slugger.give(title) == slug


@given(pieces("a@b.example", " ", "+49 170 1234567", "password: hunter22", "x", most=12))
def test_no_two_findings_of_personal_data_overlap(text: str) -> None:
    found = find_personal_data(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
