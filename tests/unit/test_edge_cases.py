"""The report of edge cases cannot say more than what ran."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

from tools.edge_cases import EDGE_CASES, FILE, read_results, write_report

NOW = datetime(2026, 11, 22, tzinfo=UTC)
ALL = {test: Counter(passed=1) for case in EDGE_CASES for test in case.tests}


def test_all_pass_when_each_test_has_passed() -> None:
    report, failed = write_report(ALL, NOW)
    assert failed == 0
    assert report.count("| pass |") == len(EDGE_CASES)


@pytest.mark.parametrize(
    "outcome", [Counter(failed=1), Counter(passed=3, failed=1), Counter(skipped=1), Counter()]
)
def test_a_case_whose_test_failed_or_did_not_run_fails(outcome: Counter[str]) -> None:
    name = EDGE_CASES[0].tests[0]
    report, failed = write_report(ALL | {name: outcome}, NOW)
    assert failed == 1
    assert f"{EDGE_CASES[0].case} | `{name}` | {outcome.total()} | **FAIL** |" in report


def test_results_are_read_row_by_row() -> None:
    read = read_results(
        '<testsuites><testsuite><testcase classname="tests.integration.test_x" name="test_a[1]"/>'
        '<testcase classname="tests.integration.test_x" name="test_a[2]"><failure/></testcase>'
        '<testcase classname="tests.integration.test_x" name="test_b"><skipped/></testcase>'
        '<testcase classname="tests.integration.test_x" name="test_b"><error/></testcase>'
        "</testsuite></testsuites>"
    )
    assert read == {
        "integration/test_x.py::test_a": Counter(passed=1, failed=1),
        "integration/test_x.py::test_b": Counter(skipped=1, failed=1),
    }


def test_every_test_that_is_named_is_there() -> None:
    for name in ALL:
        file, test = name.split("::")
        assert f"def {test}(" in (FILE.parents[1] / "tests" / file).read_text("utf-8")


def test_the_report_that_is_committed_is_of_these_cases_and_none_failed() -> None:
    text = FILE.read_text("utf-8")
    assert f"{len(EDGE_CASES)} cases, 0 failed." in text
    assert all(f"| {case.kind} | {case.case} |" in text for case in EDGE_CASES)
