"""The pipelines' scripts, run as the workflows run them, as far as a machine without AWS can."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PIPELINE = PROJECT / "infra" / "pipeline"
pytestmark = pytest.mark.soak


def git(folder: Path, *arguments: str) -> str:
    named = ["-c", "user.name=author", "-c", "user.email=author@example.org"]
    done = subprocess.run(
        ["git", *named, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_pull_request_is_told_what_it_would_do_to_answers(tmp_path: Path) -> None:
    repository, summary = tmp_path / "repository", tmp_path / "summary.md"
    book = repository / "textbook"
    (book / "docs").mkdir(parents=True)
    (book / "docs/walking.md").write_text(
        "# Walking\n\nThe ankle strategy corrects small pushes without a step.\n"
    )
    (book / "golden.yaml").write_text(
        "- question: What corrects small pushes?\n  section: walking.md#walking\n"
    )
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "Begin")
    before = git(repository, "rev-parse", "HEAD")
    (book / "docs/walking.md").write_text("# Walking\n\nRobots walk on two legs.\n")
    done = subprocess.run(
        [PIPELINE / "preview.sh", repository, "textbook", before],
        env=os.environ | {"GITHUB_STEP_SUMMARY": str(summary)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "docs/walking.md" in done.stdout, done.stderr
    assert "What corrects small pushes?" in done.stdout
    assert done.stdout.startswith("Documents: ")
    assert done.stdout.strip() in summary.read_text()
    assert git(repository, "worktree", "list").count("\n") == 0  # nothing is left behind


def test_a_stage_that_is_not_set_up_is_not_deployed() -> None:
    if shutil.which("make") is None:
        pytest.fail("make is not installed")
    done = subprocess.run(
        [PIPELINE / "examine.sh", "staging"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "run `quoth setup" in done.stderr or "aws.account" in done.stdout
