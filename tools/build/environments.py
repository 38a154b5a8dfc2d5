"""The locked packages of the functions, and the Python of the Lambda runtime with what it has."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

PLACE = Path("functions/requirements.txt")

_HEADER = """\
# Generated from uv.lock by `python -m tools.build requirements`; do not edit.
# boto3 is not here: the Lambda runtime brings it.
"""


def export_requirements(project: Path, uv: Path, extras: Sequence[str] = ()) -> str:
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
            *(f"--extra={extra}" for extra in extras),
        ],
        cwd=project,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    ).stdout
    return _HEADER + exported


def write_requirements(project: Path, uv: Path, extras: Sequence[str] = ()) -> Path:
    """Write them to their place, and return it."""
    place = project / PLACE
    place.write_text(export_requirements(project, uv, extras), encoding="utf-8")
    return place


def locked_version(project: Path, package: str) -> str:
    """The version of a package in uv.lock. KeyError when it is not there."""
    lock = tomllib.loads((project / "uv.lock").read_text(encoding="utf-8"))
    for locked in lock["package"]:
        if locked["name"] == package:
            return str(locked["version"])
    raise KeyError(package)


RUNTIME_PYTHON = "3.13"
"""The minor version of `Runtime:` in template.yaml. Bytecode of another one is ignored there."""


class BuildFailed(Exception):
    """The build cannot go on. The message says what to do."""


def find_uv(project: Path) -> Path:
    """The uv beside the project's own Python, else the one on the path. BuildFailed without one."""
    for place in (project / ".venv/bin/uv", shutil.which("uv")):
        if place is not None and Path(place).exists():
            return Path(place)
    raise BuildFailed("uv was not found in .venv/bin nor on the path")


def find_python(uv: Path, version: str = RUNTIME_PYTHON) -> Path:
    """An interpreter of that minor version. BuildFailed when there is none."""
    for candidate in _candidates(uv, version):
        real = _real_interpreter(candidate, version)
        if real is not None:
            return real
    raise BuildFailed(
        f"Python {version}, the version of the Lambda runtime, was not found on the path, with"
        f" pyenv or with uv; `{uv} python install {version}` brings it"
    )


def make_runtime(project: Path, uv: Path, cache: Path) -> Path:
    """The Python of an environment that has what the Lambda runtime has, and pip for `sam build`.

    That is the runtime client and boto3. It is made once and made again when a version changes.
    """
    packages = [f"{name}=={locked_version(project, name)}" for name in ("awslambdaric", "boto3")]
    return make_environment(uv, cache / f"python{RUNTIME_PYTHON}", packages, "--seed")


def make_environment(uv: Path, place: Path, packages: Sequence[str], *options: str) -> Path:
    """The Python of an environment of the runtime's version with these packages. It is kept, and
    made again when a package or the interpreter changes. Raises BuildFailed."""
    interpreter = find_python(uv)
    stamp = "\n".join([str(interpreter), *packages])
    place = place.absolute()
    python, made = place / "bin" / "python", place / "made-of.txt"
    if not made.exists() or made.read_text(encoding="utf-8") != stamp:
        place.parent.mkdir(parents=True, exist_ok=True)
        run_command([uv, "venv", "--quiet", "--clear", *options, "--python", interpreter, place])
        run_command([uv, "pip", "install", "--quiet", "--python", python, *packages])
        made.write_text(stamp, encoding="utf-8")
    return python


def _candidates(uv: Path, version: str) -> Iterator[Path]:
    found = shutil.which(f"python{version}")
    if found is not None:
        yield Path(found)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"), reverse=True)
    asked = subprocess.run(
        [uv, "python", "find", "--no-project", "--no-python-downloads", version],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if asked.returncode == 0:
        yield Path(asked.stdout.strip())


def _real_interpreter(candidate: Path, version: str) -> Path | None:
    """Where it really is: `sam build` refuses a shim. None when it is another version."""
    said = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"
    try:
        answered = subprocess.run(
            [candidate, "-c", said], capture_output=True, text=True, timeout=60, check=False
        )
    except OSError:
        return None
    found, _, executable = answered.stdout.strip().partition(" ")
    return Path(executable) if found == version else None


def run_command(command: list[str | Path]) -> None:
    """Run to its end. BuildFailed with what it said when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise BuildFailed(f"{command[0]} {command[1]} failed:\n{done.stdout}{done.stderr}")
