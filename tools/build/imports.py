"""How long a handler's import takes, as a multiple of `import fastapi, mangum` in the same run.

A multiple says the same on every machine; milliseconds do not. Each import is a fresh process on
the built artifact, the targets take turns, and the processor time is counted, not the clock's, so
that a busy machine changes little.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.build.artifacts import FUNCTIONS, Artifacts
from tools.build.interpreters import BuildFailed

ROUNDS = 9
MOST_MULTIPLES = {"analytics": 1.8, "selected": 3.0, "query": 4.1}
"""ingest has none: nobody waits for it."""

FORBIDDEN_IMPORTS = {
    "query": ("boto3", "botocore.session", "qdrant_client", "openai", "numpy", "grpc"),
    "selected": (
        "boto3",
        "botocore.session",
        "qdrant_client",
        "openai",
        "numpy",
        "grpc",
        "functions.adapters.qdrant",
    ),
    "analytics": ("boto3", "botocore.session", "qdrant_client", "openai", "numpy", "grpc"),
}
"""Beginnings of module names that a handler's import must not bring in.

Powertools looks into botocore's first file, which costs nothing; its sessions are what costs.
"""

_REFERENCE = "fastapi, mangum"
_PROGRAM = """
import json, sys, time
began = time.process_time()
import {target}
took = time.process_time() - began
print(json.dumps({{"ms": took * 1000, "modules": sorted(sys.modules)}}))
"""


@dataclass(frozen=True, slots=True)
class ImportTime:
    """Medians. `modules` are the names of all modules loaded."""

    milliseconds: float
    multiple: float
    modules: frozenset[str]


def measure_imports(
    artifacts: Artifacts, python: Path, rounds: int = ROUNDS
) -> dict[str, ImportTime]:
    """Function to the time its handler's import takes."""
    times: dict[str, list[float]] = {name: [] for name in ("", *FUNCTIONS)}
    modules: dict[str, frozenset[str]] = {}
    for _ in range(rounds):
        for name, taken in times.items():
            target = f"functions.{name}.handler" if name else _REFERENCE
            milliseconds, modules[name] = _import_once(
                artifacts.of(name or "analytics"), python, target
            )
            taken.append(milliseconds)
    reference = statistics.median(times.pop(""))
    return {
        name: ImportTime(
            statistics.median(taken), statistics.median(taken) / reference, modules[name]
        )
        for name, taken in times.items()
    }


def check_imports(imports: dict[str, ImportTime]) -> list[str]:
    """One sentence for each rule that is broken."""
    broken = [
        f"importing {name} takes {imports[name].multiple:.2f} times as long as FastAPI and Mangum,"
        f" over {most}"
        for name, most in MOST_MULTIPLES.items()
        if imports[name].multiple > most
    ]
    for name in FORBIDDEN_IMPORTS:
        if found := forbidden_modules(name, imports[name].modules):
            broken.append(f"{name} imports {', '.join(found[:3])}, which it must not")
    return broken


def forbidden_modules(function: str, modules: Iterable[str]) -> list[str]:
    """Those of the modules, sorted, that the function must not load."""
    beginnings = FORBIDDEN_IMPORTS[function]
    return [module for module in sorted(modules) if _is_one_of(module, beginnings)]


def _is_one_of(module: str, beginnings: Sequence[str]) -> bool:
    return any(
        module == each or module.startswith(each if each.endswith("_") else f"{each}.")
        for each in beginnings
    )


def _import_once(artifact: Path, python: Path, target: str) -> tuple[float, frozenset[str]]:
    done = subprocess.run(
        [python, "-c", _PROGRAM.format(target=target)],
        cwd=artifact,
        env={"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode != 0:
        raise BuildFailed(f"import {target} failed in the artifact:\n{done.stderr}")
    said = json.loads(done.stdout.splitlines()[-1])
    return float(said["ms"]), frozenset(said["modules"])
