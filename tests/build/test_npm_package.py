"""What `npm pack` puts into the Docusaurus plugin's package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.build.deployment import PROJECT

PLUGIN = PROJECT / "widget" / "docusaurus"


def test_the_package_has_its_scripts_types_licence_and_widget(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    copy = tmp_path / "widget" / "docusaurus"
    shutil.copytree(PLUGIN, copy)
    shutil.copytree(PROJECT / "widget" / "dist", tmp_path / "widget" / "dist")
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(PROJECT / name, tmp_path / name)
    done = subprocess.run(
        ["npm", "pack", "--json", "--silent"],
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    (packed,) = json.loads(done.stdout)
    scripts = {path.name for path in PLUGIN.glob("*.js")}
    widget = {f"dist/{path.name}" for path in (PROJECT / "widget" / "dist").glob("*.js")}
    others = {"index.d.ts", "package.json", "README.md", "LICENSE", "NOTICE"}
    assert {each["path"] for each in packed["files"]} == scripts | widget | others
    assert {path.name for path in copy.iterdir()} - {packed["filename"]} == scripts | others - {
        "LICENSE", "NOTICE",
    }  # fmt: skip


def test_types_and_readme_have_the_options_that_the_plugin_takes() -> None:
    code = (PLUGIN / "index.js").read_text("utf-8")
    options = set(re.findall(r"^  (\w+): '\w+',$", code, re.MULTILINE))
    types = (PLUGIN / "index.d.ts").read_text("utf-8")
    assert len(options) >= 6
    assert set(re.findall(r"^    (\w+)\?:", types, re.MULTILINE)) == options
    readme = (PLUGIN / "README.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", readme, re.MULTILINE)) == options
