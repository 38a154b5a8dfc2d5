"""The guides' commands, run as they are written, on a fresh clone: about ten minutes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.guide_blocks import read_blocks, script_of

PROJECT = Path(__file__).parents[2]
GUIDES = sorted(
    [*(PROJECT / "docs" / "guides").glob("*.md"), *(PROJECT / "docs" / "reference").glob("*.md")]
)
SECONDS = 1200.0

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a newcomer has: the last commit, and the tools that `make` installs."""
    place = tmp_path_factory.mktemp("newcomer") / "quoth"
    subprocess.run(["git", "clone", "--quiet", PROJECT, place], check=True, timeout=60)
    subprocess.run(["make", ".venv/dev"], cwd=place, check=True, timeout=600)
    return place


@pytest.mark.parametrize(
    "guide",
    [each for each in GUIDES if any(block.kind == "run" for block in read_blocks(each))],
    ids=lambda each: each.stem,
)
def test_a_newcomer_can_do_what_the_guide_says(guide: Path, clone: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", script_of(clone / guide.relative_to(PROJECT))],
        cwd=clone,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
