"""What ships: the locked packages of the functions, with their hashes, for `sam build`."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

PLACE = Path("functions/requirements.txt")

_HEADER = """\
# Generated from uv.lock by `python -m tools.build requirements`; do not edit.
# boto3 is not here: the Lambda runtime brings it.
"""


def export_requirements(project: Path, uv: Path) -> str:
    """The requirements of the functions, without the local stack and the tools."""
    exported = subprocess.run(
        [
            uv,
            "export",
            "--quiet",
            "--frozen",
            "--no-default-groups",
            "--no-emit-project",
            "--no-header",
            "--no-annotate",
            "--format=requirements-txt",
        ],
        cwd=project,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    return _HEADER + exported


def write_requirements(project: Path, uv: Path) -> Path:
    """Write them to their place, and return it."""
    place = project / PLACE
    place.write_text(export_requirements(project, uv), encoding="utf-8")
    return place


def locked_version(project: Path, package: str) -> str:
    """The version of a package in uv.lock. KeyError when it is not there."""
    lock = tomllib.loads((project / "uv.lock").read_text(encoding="utf-8"))
    for locked in lock["package"]:
        if locked["name"] == package:
            return str(locked["version"])
    raise KeyError(package)
