"""The programs of the workflow's job: what it does not install is not found here either."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tools.rehearse.outside import POOLER

WORKFLOW, JOB = Path(".github/workflows/service.yml"), "build"
PACKAGES = (POOLER,)
"""Debian packages that the rehearsal uses, each with a program of its name. The image of GitHub's
runners has none of them; it has a browser."""
SBIN = "/usr/sbin"
"""Where Debian puts servers; only root has it on the path."""


def installed(project: Path) -> set[str]:
    """The words of the job's commands that install something, before it rehearses."""
    workflow: dict[str, Any] = yaml.safe_load((project / WORKFLOW).read_text("utf-8"))
    said: set[str] = set()
    for step in workflow["jobs"][JOB]["steps"]:
        command = str(step.get("run", "")).split()
        if command[:2] == ["make", "rehearse"]:
            break
        if "install" in command:
            said |= set(command)
    return said


@contextmanager
def programs_of_the_job(project: Path, without: Collection[str] = ()) -> Iterator[None]:
    """While the block runs, programs that the job does not install, and those of `without`, are not
    on the path."""
    hidden = (set(PACKAGES) - installed(project)) | set(without)
    before = os.environ.get("PATH", os.defpath)
    with tempfile.TemporaryDirectory(prefix="quoth-programs-") as folder:
        os.environ["PATH"] = path_without(f"{before}{os.pathsep}{SBIN}", hidden, Path(folder))
        try:
            yield
        finally:
            os.environ["PATH"] = before


def path_without(path: str, programs: Collection[str], folder: Path) -> str:
    """The path with links, in `folder`, in the place of each directory that has such a program."""
    kept = []
    for number, place in enumerate(path.split(os.pathsep)):
        if not any(Path(place, program).exists() for program in programs):
            kept.append(place)
            continue
        links = folder / str(number)
        links.mkdir()
        for each in Path(place).iterdir():
            if each.name not in programs:
                (links / each.name).symlink_to(each)
        kept.append(str(links))
    return os.pathsep.join(kept)
