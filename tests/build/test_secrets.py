"""No key in the template, in what is committed, or in what is built."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.build.deployment import PROJECT
from tests.build.secret_scan import find_secrets
from tools.build.artifacts import Artifacts, machine_architecture
from tools.build.run import measured_folder

BUILT = Artifacts(measured_folder(PROJECT), machine_architecture())
MADE_UP = ("tests/", "widget/test/", "docs/decisions/", "uv.lock", "widget/package-lock.json")
"""Where keys are made up, and lists of addresses with hashes."""


def committed() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split("\0") if name and not name.startswith(MADE_UP)]
    assert "template.yaml" in names
    return [PROJECT / name for name in names]


def test_the_scan_finds_keys(tmp_path: Path) -> None:
    planted = {
        "OpenAI Token": "sk-" + "a1B2" * 5 + "T3BlbkFJ" + "c3D4" * 5,
        "AWS Access Key": "AKIA" + "QYLPMN5HHHFPZAM2",
        "GitHub Token": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
        "Private Key": "-----BEGIN RSA PRIVATE KEY-----",
        "Basic Auth Credentials": "postgresql://quoth_query:" + "h4nter2h4nter2@db.example/quoth",
        "JSON Web Token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0",
    }
    for kind, value in planted.items():
        file = tmp_path / "settings.yaml"
        file.write_text(f"a: 1\nvalue: {value}\n")
        assert find_secrets([file]) == [f"{file}:2: {kind}"]


def test_nothing_that_is_committed_holds_a_key() -> None:
    assert find_secrets(committed()) == []


@pytest.mark.skipif(
    "CI" not in os.environ and not BUILT.of("query").is_dir(),
    reason="no built package here; `make build` makes it",
)
@pytest.mark.parametrize("room", ["query", "selected", "ingest", "analytics"])
def test_nothing_that_is_built_holds_a_key(room: str) -> None:
    built = BUILT.of(room)
    ours = [file for file in (built / "functions").rglob("*") if file.suffix != ".pyc"]
    beside = [file for file in built.iterdir() if file.is_file()]
    assert len(ours) > 50
    assert find_secrets([*ours, *beside]) == []
