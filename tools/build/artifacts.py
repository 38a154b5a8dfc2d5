"""Builds what is deployed: `sam build`, then test code out and bytecode in."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.build.environments import BuildFailed

SAM = "aws-sam-cli==1.170.0"  # knows ParentPackageMode; its own pins do not fit into uv.lock
FUNCTIONS = {
    "query": "QueryFunction",
    "selected": "SelectedFunction",
    "analytics": "AnalyticsFunction",
    "ingest": "IngestFunction",
}
"""The rooms of `functions/` and their names in template.yaml."""

SAME_CODE = ("LookupFunction",)
"""Functions with the handler of another."""

TASK_ROOT = "/var/task"
"""Where Lambda mounts an artifact; tracebacks name files there."""

_NEEDLESS = ("test", "tests", "__pycache__")


@dataclass(frozen=True, slots=True)
class Artifacts:
    """One build. Every function has a folder of its own, with the same files."""

    folder: Path
    architecture: str

    def of(self, function: str) -> Path:
        """The folder of a function: query, selected, analytics or ingest."""
        return self.folder / FUNCTIONS[function]


def machine_architecture() -> str:
    """This machine's, by the name Lambda has for it."""
    return {"aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), "x86_64")


def build_artifacts(
    project: Path, uv: Path, python: Path, architecture: str, folder: Path
) -> Artifacts:
    """Build the functions for an architecture into a folder, which is replaced.

    `python` is of the runtime's minor version and has pip. BuildFailed with what went wrong.
    """
    run_sam(
        [
            "build",
            f"--template-file={project / 'template.yaml'}",
            f"--build-dir={folder}",
            f"--parameter-overrides=ParameterKey=Architecture,ParameterValue={architecture}",
            "--no-cached",
        ],
        uv,
        python,
    )
    built = Artifacts(folder, architecture)
    first, *others = (folder / name for name in (*FUNCTIONS.values(), *SAME_CODE))
    drop_needless(first)
    compile_bytecode(first, python)
    for other in others:
        if not (other / "functions").is_dir():
            raise BuildFailed(f"sam build made no {other.name}")
        shutil.rmtree(other)
        # Links: one set of files for all functions, and so one upload.
        shutil.copytree(first, other, copy_function=os.link)
    return built


def run_sam(arguments: list[str], uv: Path, python: Path) -> str:
    """Run SAM's command line, with `python` first on the path, and return what it says."""
    environment = os.environ | {
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "SAM_CLI_TELEMETRY": "0",
        "AWS_DEFAULT_REGION": os.environ.get("AWS_DEFAULT_REGION", "us-east-1"),
    }
    done = subprocess.run(
        [uv, "tool", "run", "--quiet", "--from", SAM, "sam", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    if done.returncode != 0:
        raise BuildFailed(f"sam {arguments[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def drop_needless(artifact: Path) -> None:
    """Remove test folders, which nothing but a test imports, and bytecode of other Pythons."""
    for folder in sorted(artifact.rglob("*"), reverse=True):
        if folder.name in _NEEDLESS and folder.is_dir():
            shutil.rmtree(folder)


def compile_bytecode(artifact: Path, python: Path) -> None:
    """Ship bytecode that is believed unchecked: files get other times on their way to Lambda."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [
            python,
            "-m",
            "compileall",
            "-q",
            "-f",
            "-j0",
            "--invalidation-mode=unchecked-hash",
            "-s",
            artifact,
            "-p",
            TASK_ROOT,
            artifact,
        ],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode != 0:
        raise BuildFailed(f"compiling failed:\n{done.stdout}{done.stderr}")
