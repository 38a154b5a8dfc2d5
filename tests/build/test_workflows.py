"""The pipelines hold no key, take no right they do not need, and run only what is run here."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.build.deployment import PROJECT

WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
SCRIPTS = sorted((PROJECT / "infra" / "pipeline").glob("*.sh"))
APT = "sudo apt-get"
RUN_HERE = {"check", "checkov", "test", "build", "rehearse"}
"""Targets that .ci/run or the soak tests run."""


def read(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text("utf-8")))


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in read(path)["jobs"].items():
            for step in job.get("steps", []):
                yield f"{path.name} {name}", step


def test_there_are_pipelines_for_the_service_and_for_books() -> None:
    assert {path.stem for path in WORKFLOWS} == {"service", "deploy", "book"}
    assert {path.stem for path in SCRIPTS} == {"examine", "deploy", "smoke", "publish", "preview"}


def test_every_step_runs_a_target_or_a_script_of_this_repository() -> None:
    makefile = (PROJECT / "Makefile").read_text("utf-8")
    for where, step in steps():
        if "run" not in step:
            continue
        command = str(step["run"]).strip()
        assert "\n" not in command, f"{where}: {command}"
        if command.startswith(APT):
            continue
        first = command.split()[0].removeprefix("quoth/")
        if first == "make":
            target = command.split()[1]
            assert target in RUN_HERE, where
            assert re.search(rf"^{target}:", makefile, re.M), where
        else:
            assert PROJECT / first in SCRIPTS, f"{where}: {command}"
            assert os.access(PROJECT / first, os.X_OK), first


def test_no_step_pastes_what_others_wrote_into_a_shell() -> None:
    for where, step in steps():
        assert "${{" not in str(step.get("run", "")), where


def test_every_action_is_of_a_named_version_and_leaves_no_credentials() -> None:
    for where, step in steps():
        used = step.get("uses", "")
        if used:
            assert re.fullmatch(r"(actions|aws-actions)/[\w-]+@(v\d+|[0-9a-f]{40})", used), where
        if used.startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False, where


def test_there_is_no_long_lived_key_and_only_deployments_get_a_token() -> None:
    for path in WORKFLOWS:
        assert "secrets." not in path.read_text("utf-8"), path.name
        workflow = read(path)
        for name, job in workflow["jobs"].items():
            rights = job.get("permissions", workflow.get("permissions"))
            assert rights is not None, f"{path.name} {name}"
            assert rights["contents"] == "read"
            signs_in = any(
                "configure-aws-credentials" in step.get("uses", "") for step in job.get("steps", [])
            )
            calls_deploy = str(job.get("uses", "")).endswith("deploy.yml")
            assert (rights.get("id-token") == "write") == (signs_in or calls_deploy)
            assert not set(rights) - {"contents", "id-token"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_says_what_it_wants(script: Path) -> None:
    done = subprocess.run([script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert ": the " in done.stderr, done.stderr


def test_nothing_is_deployed_without_a_build(tmp_path: Path) -> None:
    script = tmp_path / "infra" / "pipeline" / "deploy.sh"
    script.parent.mkdir(parents=True)
    script.write_text((PROJECT / "infra/pipeline/deploy.sh").read_text("utf-8"))
    script.chmod(0o755)
    done = subprocess.run([script, "dev"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, "There is no build: run make build first.\n")
