"""What is inside an artifact and must not be, and how long a handler's import takes.

The time is a multiple of `import fastapi, mangum` in the same run, since a multiple is the same on
every machine. Each import is a fresh process on the built artifact, the targets take turns, and
processor time is counted, so that a busy machine changes little.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import truediv
from pathlib import Path

from tools.build.artifacts import FUNCTIONS, Artifacts
from tools.build.environments import BuildFailed

MEGABYTE = 1_000_000
MOST_MEGABYTES = 180
"""Unzipped, with bytecode. Lambda's own limit is 250 MiB, layers included."""
EXTRAS_MEGABYTES = 20
"""What extras may add."""

FORBIDDEN_PACKAGES = (
    "boto3",
    "botocore",
    "scipy",
    "sklearn",
    "matplotlib",
    "onnxruntime",
    "pytest",
    "moto",
    "quoth",
)
_TEST_FOLDERS = ("test", "tests")


@dataclass(frozen=True, slots=True)
class Contents:
    """Sizes in megabytes (10**6 bytes). `packages`: each top folder's size, largest first."""

    unzipped_mb: float
    zipped_mb: float
    packages: dict[str, float]
    sources: int
    bytecodes: int


def measure_contents(artifact: Path) -> Contents:
    """Weigh an artifact, also zipped as it will be sent."""
    sizes: dict[str, int] = {}
    sources = bytecodes = 0
    for file in _files(artifact):
        top = file.relative_to(artifact).parts[0]
        sizes[top] = sizes.get(top, 0) + file.stat().st_size
        sources += file.suffix == ".py"
        bytecodes += file.suffix == ".pyc"
    largest = sorted(sizes.items(), key=lambda item: -item[1])
    return Contents(
        unzipped_mb=sum(sizes.values()) / MEGABYTE,
        zipped_mb=_zipped_bytes(artifact) / MEGABYTE,
        packages={name: size / MEGABYTE for name, size in largest},
        sources=sources,
        bytecodes=bytecodes,
    )


def check_contents(artifact: Path, contents: Contents, has_extras: bool = False) -> list[str]:
    """One sentence for each rule that is broken."""
    broken = []
    most = MOST_MEGABYTES + (EXTRAS_MEGABYTES if has_extras else 0)
    if contents.unzipped_mb > most:
        broken.append(
            f"the artifact has {contents.unzipped_mb:.1f} MB, over {most} MB; the"
            f" largest parts are {', '.join(list(contents.packages)[:5])}"
        )
    if contents.bytecodes < contents.sources:
        broken.append(
            f"{contents.sources - contents.bytecodes} of {contents.sources} modules have no"
            " bytecode"
        )
    broken += [
        f"{name} is in the artifact and must not be"
        for name in FORBIDDEN_PACKAGES
        if (artifact / name).exists()
    ]
    broken += [
        f"test code is in the artifact: {folder.relative_to(artifact)}"
        for folder in sorted(artifact.rglob("*"))
        if folder.name in _TEST_FOLDERS and folder.is_dir()
    ]
    return broken


def _files(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        for name in names:
            yield Path(parent, name)


def _zipped_bytes(artifact: Path) -> int:
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for each in _files(artifact):
                archive.write(each, each.relative_to(artifact))
        return file.tell()


ROUNDS = 9
MOST_MULTIPLES = {"analytics": 1.8, "selected": 3.6, "query": 4.1}
"""ingest has no budget: no reader waits for it."""

FORBIDDEN_IMPORTS = {
    "query": ("boto3", "botocore.session", "qdrant_client", "agents", "numpy", "grpc"),
    "selected": (
        "boto3",
        "botocore.session",
        "qdrant_client",
        "agents",
        "numpy",
        "grpc",
        "functions.adapters.qdrant",
    ),
    "analytics": ("boto3", "botocore.session", "qdrant_client", "openai", "numpy", "grpc"),
}
"""Prefixes of modules that importing a handler must not load.

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
    reference = times.pop("")
    return {
        name: ImportTime(
            statistics.median(taken),
            # Of the same round: a machine's speed drifts.
            statistics.median(map(truediv, taken, reference)),
            modules[name],
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
