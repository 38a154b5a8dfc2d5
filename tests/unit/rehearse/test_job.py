"""The rehearsal has the programs of the workflow's job and no other."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tools.rehearse.deploy import checkout
from tools.rehearse.job import PACKAGES, WORKFLOW, installed, path_without, programs_of_the_job

PROJECT = Path(__file__).parents[3]


def test_the_job_installs_what_the_rehearsal_uses() -> None:
    assert set(PACKAGES) <= installed(PROJECT)


def test_what_the_job_does_not_install_is_not_found(tmp_path: Path) -> None:
    text = (PROJECT / WORKFLOW).read_text("utf-8")
    (tmp_path / WORKFLOW).parent.mkdir(parents=True)
    (tmp_path / WORKFLOW).write_text(text.replace("pgbouncer", "less"), "utf-8")
    before = os.environ["PATH"]
    with programs_of_the_job(tmp_path):
        assert shutil.which("pgbouncer") is None
        assert shutil.which("env")
    with programs_of_the_job(PROJECT, without=["env"]):
        assert shutil.which("env") is None
    assert os.environ["PATH"] == before


def test_the_scripts_run_where_git_has_put_files_and_nothing_else(tmp_path: Path) -> None:
    job = checkout(PROJECT, tmp_path)
    assert (job / "infra/pipeline/deploy.sh").stat().st_mode & 0o100
    assert not (job / ".venv").exists()
    assert not (job / ".aws-sam").exists()
    assert (job / "uv.lock").is_file()


def test_only_folders_with_such_a_program_are_replaced(tmp_path: Path) -> None:
    for name in ("a/one", "a/two", "b/two"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    links = tmp_path / "links"
    links.mkdir()
    path = path_without(f"{tmp_path}/a:{tmp_path}/b", ["one"], links)
    assert path == f"{links}/0:{tmp_path}/b"
    assert shutil.which("one", path=path) is None
    assert shutil.which("two", path=path) == f"{links}/0/two"
