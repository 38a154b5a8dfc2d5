"""What is inside an artifact, and what must not be."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1_000_000
MOST_MEGABYTES = 180
"""Unzipped, with bytecode. Lambda's own limit is 250 MiB, layers included."""

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


def check_contents(artifact: Path, contents: Contents) -> list[str]:
    """One sentence for each rule that is broken."""
    broken = []
    if contents.unzipped_mb > MOST_MEGABYTES:
        broken.append(
            f"the artifact has {contents.unzipped_mb:.1f} MB, over {MOST_MEGABYTES} MB; the"
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
