"""What counts as the answer an author wants."""

from __future__ import annotations

from pathlib import Path

import pytest

from functions.answer.answers import Citation, Quote
from functions.web.responses import QueryResponse
from quoth.golden.evaluate import falling_short, lines_of, read_history, write_history
from quoth.golden.grade import Judged, figures, judge, newly_failing
from quoth.golden.questions import GoldenQuestion, Place, Wanted

LAMP = "The lamp — lit in 1907 — is “bright”."
PLACE = Place("docs/light.md", 10, 20, "docs/light.md#pellworm")


def answered(lines: tuple[int, int] = (12, 12), path: str = "docs/light.md") -> QueryResponse:
    quote = Quote(exact=LAMP)
    cited = Citation(
        n=1, kind="book", label="", chapter="", section="Pellworm", subsection="",
        paragraph_id="", url="/light#pellworm", quote=quote, quotes=(quote,),
        source_path=path, lines=lines, relevance=1.0, updated_at="",
    )  # fmt: skip
    return QueryResponse(
        query_id="", response_id="", status="answered", mode="book-wide",
        response=f"{LAMP} [1]", citations=[cited], session_id="s",
    )  # fmt: skip


def refused() -> QueryResponse:
    return answered().model_copy(update={"status": "refused", "citations": [], "response": "No."})


def asked(wanted: Wanted = "answer", kind: str = "", *phrases: str) -> GoldenQuestion:
    return GoldenQuestion(f"{wanted} {kind}?", wanted, 1, phrases=phrases, kind=kind)


@pytest.mark.parametrize(
    ("lines", "path", "holds"),
    [
        ((12, 14), "docs/light.md", True),
        ((10, 10), "docs/light.md", True),
        ((20, 25), "docs/light.md", True),
        ((8, 10), "docs/light.md", True),
        ((21, 25), "docs/light.md", False),
        ((1, 9), "docs/light.md", False),
        ((12, 14), "docs/dunes.md", False),
    ],
)
def test_an_answer_holds_when_a_citation_lies_in_its_section(
    lines: tuple[int, int], path: str, holds: bool
) -> None:
    judged = judge(asked(), [PLACE], answered(lines, path))
    assert judged.holds is holds
    assert bool(judged.why) is not holds


def test_a_refusal_of_what_must_be_answered_fails_and_tells_why() -> None:
    judged = judge(asked(), [PLACE], refused())
    assert not judged.holds
    assert judged.why.startswith("refused at confidence 0.00")


def test_an_answer_to_what_must_be_refused_fails_and_is_told() -> None:
    assert judge(asked("refusal"), [], refused()).holds
    judged = judge(asked("refusal"), [], answered())
    assert not judged.holds
    assert "1907" in judged.why


def test_phrases_are_compared_without_markup_case_and_typography() -> None:
    judged = judge(
        asked("answer", "", 'the **LAMP** - lit in 1907 - is "bright"'), [PLACE], answered()
    )
    assert judged.has_phrases
    assert judged.why == ""
    judged = judge(asked("answer", "", "lit in 1907", "lit in 1908"), [PLACE], answered())
    assert judged.has_phrases is False
    assert judged.holds
    assert "1908" in judged.why


def test_figures_count_each_kind_and_name_what_falls_short() -> None:
    judged = [
        judge(asked(), [PLACE], answered()),
        judge(asked(), [PLACE], answered((1, 2))),
        judge(asked("overview"), [], refused()),
        judge(asked("refusal", "near-scope"), [], refused()),
        judge(asked("refusal", "out-of-book"), [], answered()),
    ]
    found = figures(judged)
    assert (found["answered"], found["answered_in_place"]) == (1.0, 0.5)
    assert (found["near_scope_answered"], found["out_of_book_answered"]) == (0.0, 1.0)
    assert (found["overview_answered"], found["failed"]) == (0.0, 3)
    assert "phrases_present" not in found
    short = {"answered_in_place", "overview_answered", "out_of_book_answered"}
    assert set(falling_short(found)) == short


def test_tells_what_held_before_and_is_not_answered_any_more(tmp_path: Path) -> None:
    good, bad = judge(asked(), [PLACE], answered()), judge(asked(), [PLACE], refused())
    write_history(tmp_path, [good, judge(asked("refusal"), [], refused())])
    before = read_history(tmp_path)
    assert newly_failing(before, [bad]) == [bad]
    assert newly_failing(before, [good]) == []
    assert "Answered before, not any more: 1" in lines_of(before, [bad])
    leaked = Judged(asked("refusal"), True, None, None, "answered")
    assert newly_failing(before, [leaked]) == []
    write_history(tmp_path, [bad])
    assert newly_failing(read_history(tmp_path), [bad]) == []


@pytest.mark.parametrize("text", ["", "[]", '{"held": 3}', "no json"])
def test_a_history_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "golden.json").write_text(text)
    assert read_history(tmp_path) == []
