"""docs/reference/acceptance.md names a test for each scenario of the readers, and each exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "reference" / "acceptance.md").read_text("utf-8")
SCENARIOS = {
    f"US{story}.{n}" for story, last in ((1, 4), (2, 4), (3, 3)) for n in range(1, last + 1)
}


def test_every_scenario_has_a_row_with_a_test() -> None:
    rows = [row for row in TABLE.splitlines() if row.startswith("| US") and "::test_" in row]
    assert {scenario for row in rows for scenario in re.findall(r"US\d\.\d", row)} == SCENARIOS


def test_every_test_it_names_is_there() -> None:
    named = re.findall(r"`(\w+/\w+\.py)::(\w+)`", TABLE)
    missing = [
        (path, name)
        for path, name in named
        if f"def {name}(" not in (ROOT / "tests" / path).read_text("utf-8")
    ]
    assert len(named) >= len(SCENARIOS)
    assert missing == []
