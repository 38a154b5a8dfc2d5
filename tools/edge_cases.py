"""`quoth edge-cases`: the cases that must hold before a deployment (DR-002), and their report."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """A case in one sentence, and the tests (pytest's names, under tests/) that run it for real."""

    kind: str
    case: str
    tests: tuple[str, ...]


INTEGRATION = "integration/test_"


def _case(kind: str, case: str, *tests: str) -> EdgeCase:
    return EdgeCase(kind, case, tuple(INTEGRATION + test for test in tests))


EDGE_CASES = (
    _case(
        "Contradictory content",
        "Chapters that differ are shown beside each other, each with its source",
        "overviews.py::test_where_chapters_differ_both_sides_are_shown",
    ),
    _case(
        "Contradictory content",
        "A selection that contradicts the book is answered as it stands",
        "selected.py::test_a_selection_that_contradicts_the_book_is_answered_as_it_stands",
    ),
    _case(
        "Out of scope",
        "A question from another world is refused, with the closest sections",
        "sample_questions.py"
        "::test_refuses_every_question_from_another_world_and_shows_the_closest_sections",
    ),
    _case(
        "Out of scope",
        "Nothing that a model knows from elsewhere is shown",
        "outside_knowledge.py::test_shows_no_word_of_what_a_model_knows_from_elsewhere",
    ),
    _case(
        "Out of scope",
        "An answer of which nothing stands in the book becomes the sentences that it cites",
        "written_answers.py::test_quotes_alone_when_nothing_that_was_written_stands",
    ),
    _case(
        "Selected text",
        "What the selection does not say is refused although the book says it",
        "selected.py::test_refuses_what_the_selection_does_not_say_although_the_book_does",
    ),
    _case(
        "Selected text",
        "Fewer than 20 words: more are asked for",
        "selected.py::test_asks_for_twenty_words",
    ),
    _case(
        "Selected text",
        "A very long selection is searched whole, and the reader is told what was cut",
        "selected.py::test_searches_all_of_a_long_selection_and_says_what_was_cut",
    ),
    _case(
        "Selected text",
        "Code, tables and formulas in a selection, or a part of a block of code",
        "selected_forms.py::test_cites_code_rows_and_formulas_where_they_stand",
        "selected_forms.py::test_quotes_axis_and_limits_of_selected_code_by_line",
    ),
    _case(
        "Selected text",
        "Paragraphs, headings and code in one selection are found in the book",
        "selected_sources.py"
        "::test_finds_a_selection_over_headings_tabs_and_code_as_a_browser_hands_it_over",
    ),
    _case(
        "Selected text",
        "A highlight is answered from its own blocks alone",
        "highlight.py::test_what_stands_elsewhere_in_the_book_is_refused",
    ),
    _case(
        "High concurrency",
        "The eleventh question in a minute is delayed, and the reader is told how long",
        "query.py::test_refuses_the_eleventh_question_of_a_minute_and_says_when_to_ask_again",
        "limits.py::test_never_accepts_more_in_any_window_and_accepts_again_as_each_expires",
    ),
    _case(
        "High concurrency",
        "Above the running ones readers queue with place and estimate; above the total they are"
        " turned away",
        "limits.py::test_queues_refuses_and_frees_places_in_order",
    ),
    _case(
        "Service failures",
        "OpenAI fails twice: quotes from the book, with the notice",
        "model_away.py::test_quotes_with_a_notice_when_the_model_fails_twice",
    ),
    _case(
        "Service failures",
        "OpenAI fails once: the reader notices nothing",
        "model_away.py::test_one_failure_costs_the_reader_nothing",
    ),
    _case(
        "Service failures",
        "Embeddings fail: keyword search, with the notice",
        "query.py::test_searches_words_in_the_index_while_embeddings_are_away",
    ),
    _case(
        "Service failures",
        "Qdrant is away: keyword search in Postgres, with the notice",
        "query.py::test_searches_words_in_the_database_while_the_index_is_away",
    ),
    _case(
        "Service failures",
        "Postgres is away: answered all the same",
        "query.py::test_answers_while_the_database_is_away",
        "parts_away.py"
        "::test_answers_and_limits_while_postgres_is_stopped_and_records_each_query_once_later",
    ),
    _case(
        "Service failures",
        "Nothing can answer: the unavailable sentence, and the answer when the parts are back",
        "deferred_queries.py::test_defers_what_nothing_can_answer_and_answers_it_when_the_parts_are_back",
    ),
    _case(
        "Service failures",
        "A failure nobody expected: one sentence for the reader, a row with stack and question for"
        " the operator",
        "errors.py::test_what_nobody_expected_is_recorded_with_its_stack_and_its_question",
    ),
    _case(
        "Inappropriate input",
        "Abuse is refused before anything is looked up, and kept for review",
        "inappropriate.py::test_abuse_is_refused_before_anything_is_looked_up",
    ),
    _case(
        "Inappropriate input",
        "What the moderation service objects to is refused without search or model",
        "inappropriate.py::test_what_the_service_objects_to_is_refused_without_search_or_model",
    ),
    _case(
        "Inappropriate input",
        "Strings of attacks in every field: nothing executed, nothing lost",
        "attacks_stored.py::test_no_string_in_any_field_is_executed_lost_or_too_much",
    ),
    _case(
        "Repeats and updates",
        "The same question again: the same answer, marked, with related sections",
        "query.py::test_gives_the_same_answer_when_asked_again_and_says_so",
    ),
    _case(
        "Repeats and updates",
        "A chapter that changed lately: the answer says so",
        "updated_chapters.py::test_answers_say_that_the_chapter_they_cite_was_updated",
    ),
    _case(
        "Repeats and updates",
        "A changed paragraph is embedded alone, while readers ask",
        "ingest.py::test_one_edited_paragraph_costs_at_most_two_embeddings",
    ),
)


ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "edge-cases.md"
LONGEST_RUN_S = 1800
Outcomes = Mapping[str, Counter[str]]


@click.command(name="edge-cases")
@click.option("--print", "as_text", is_flag=True, help="Print the report; leave the file.")
def edge_cases(as_text: bool) -> None:
    """Run the tests of every edge case, from a source tree, and write docs/edge-cases.md.

    A case passes when each of its tests ran and passed; one that was skipped, or is not there, is a
    failure.
    """
    if not (ROOT / "tests").is_dir():
        raise click.ClickException("The tests are not here: run this in Quoth's source tree.")
    report, failed = write_report(run_tests(EDGE_CASES), datetime.now(UTC))
    if as_text:
        click.echo(report, nl=False)
    else:
        FILE.write_text(report, "utf-8")
    click.echo(f"{len(EDGE_CASES)} edge cases, {failed} failed.", err=True)
    if failed:
        raise SystemExit(1)


def run_tests(cases: Iterable[EdgeCase]) -> Outcomes:
    """How often each test passed, failed or was skipped (a test may have several rows)."""
    names = sorted({test for case in cases for test in case.tests})
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
             f"--junitxml={results}", *(f"tests/{name}" for name in names)],
            cwd=ROOT, stdout=sys.stderr, timeout=LONGEST_RUN_S, check=False,
        )  # fmt: skip
        if not results.is_file():
            raise click.ClickException("pytest ended without results.")
        return read_results(results.read_text("utf-8"))


def read_results(text: str) -> Outcomes:
    """From a JUnit file that pytest wrote."""
    outcomes: dict[str, Counter[str]] = {}
    for case in ElementTree.fromstring(text).iter("testcase"):  # noqa: S314  # our own file
        path = case.get("classname", "").removeprefix("tests.").replace(".", "/")
        name = f"{path}.py::{case.get('name', '').split('[')[0]}"
        found = {child.tag for child in case}
        outcome = "passed"
        if found & {"failure", "error"}:
            outcome = "failed"
        elif "skipped" in found:
            outcome = "skipped"
        outcomes.setdefault(name, Counter())[outcome] += 1
    return outcomes


def write_report(outcomes: Outcomes, at: datetime) -> tuple[str, int]:
    """The report in Markdown, and how many cases failed."""
    lines, failed = [], 0
    for case in EDGE_CASES:
        ran = sum((outcomes.get(test, Counter()) for test in case.tests), Counter[str]())
        missing = [test for test in case.tests if not outcomes.get(test)]
        holds = not missing and set(ran) == {"passed"}
        failed += not holds
        tests = "<br>".join(f"`{test}`" for test in case.tests)
        verdict = "pass" if holds else "**FAIL**"
        lines.append(f"| {case.kind} | {case.case} | {tests} | {sum(ran.values())} | {verdict} |")
    head = [
        "# Edge cases",
        "",
        "Written by `quoth edge-cases`, which runs each case against the functions over the real"
        " parts: PostgreSQL,",
        "Qdrant's engine, MiniLM, and a server that holds every request against OpenAI's own"
        " description. A test that was",
        "skipped or is missing fails its case.",
        "",
        f"{at:%Y-%m-%d %H:%M} UTC: {len(EDGE_CASES)} cases, {failed} failed.",
        "",
        "| kind | case | tests, under `tests/` | runs | |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *lines]) + "\n", failed
