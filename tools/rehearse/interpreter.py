"""The local AWS in an environment of its own, under the Python of the Lambda runtime.

Its Lambda runs a function with the interpreter it runs under itself, and artifacts built for one
minor version hold compiled parts that no other can import.
"""

from __future__ import annotations

from pathlib import Path

from tools.build.interpreters import find_python, run_command
from tools.build.requirements import locked_version

PINNED = ("aws-sam-translator==1.115.0",)  # expands the template there; not among our own packages
LOCKED = ("ministack", "boto3", "cryptography", "awslambdaric")
"""What is taken at the version of uv.lock: the emulator, and what the Lambda runtime has."""


def make_cloud_python(project: Path, uv: Path, cache: Path) -> Path:
    """The Python that runs the local AWS, made once and again when a version changes.

    Raises BuildFailed when there is no such Python or a package cannot be had.
    """
    interpreter = find_python(uv)
    packages = [*(f"{name}=={locked_version(project, name)}" for name in LOCKED), *PINNED]
    stamp = "\n".join([str(interpreter), *packages])
    place = (cache / "local-aws").absolute()
    python, made = place / "bin" / "python", place / "made-of.txt"
    if not made.exists() or made.read_text(encoding="utf-8") != stamp:
        place.parent.mkdir(parents=True, exist_ok=True)
        run_command([uv, "venv", "--quiet", "--clear", "--python", interpreter, place])
        run_command([uv, "pip", "install", "--quiet", "--python", python, *packages])
        made.write_text(stamp, encoding="utf-8")
    return python
