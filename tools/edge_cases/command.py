"""`quoth edge-cases`: runs the edge cases against the real parts and writes down what held."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import click

from tools.edge_cases.cases import EDGE_CASES, EdgeCase

ROOT = Path(__file__).parents[2]
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
