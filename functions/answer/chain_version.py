"""The version of the answer chain. Cached answers are valid for one version."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


def chain_version() -> str:
    """A short hash of the chain's own sources, so that no change of it can be forgotten."""
    return sources_version(Path(__file__).parent)


@cache
def sources_version(folder: Path) -> str:
    """The same of a folder of sources."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.*")):
        if path.suffix in (".py", ".toml", ".txt"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
