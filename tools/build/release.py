"""`python -m tools.build.release STAGE BUILD SAMCONFIG`: what a stage is deployed with.

The parameters are those of samconfig.toml and `Release`, a hash of them, the built template and the
code. The SAM transform makes a new version of a function for new code, not for another value of a
parameter, and callers use a version: without the hash a changed setting would reach nobody.
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from quoth.doctor.deployment import TEMPLATE, split_overrides
from tools.build.artifacts import FUNCTIONS

DIGITS = 16


def parameters(config: Path, stage: str, build: Path) -> dict[str, str]:
    """Name to value, `Release` included. Raises KeyError for an unknown stage."""
    read = tomllib.loads(config.read_text("utf-8"))
    given = read[stage]["deploy"]["parameters"].get("parameter_overrides", [])
    own = split_overrides(given)
    return {**own, "Release": release(own, build)}


def release(given: Mapping[str, str], build: Path) -> str:
    """A hash of the parameters and the build."""
    code = build / FUNCTIONS["query"]  # all functions have the same files
    files = sorted(path for path in code.rglob("*") if path.is_file())
    digest = hashlib.sha256(repr(sorted(given.items())).encode())
    for file in (build / TEMPLATE, *files):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"{file.relative_to(build)} {content}\n".encode())
    return digest.hexdigest()[:DIGITS]


def main() -> None:
    """Print one NAME=VALUE a line."""
    stage, build, config = sys.argv[1:]
    for name, value in parameters(Path(config), stage, Path(build)).items():
        print(f"{name}={value}")


if __name__ == "__main__":
    main()
