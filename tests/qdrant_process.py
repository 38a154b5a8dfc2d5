"""The local Qdrant server in a process of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quoth.parts import part_process


@dataclass(frozen=True, slots=True)
class RunningServer:
    url: str
    process: subprocess.Popen[str]


@contextmanager
def running_server(data_dir: Path, port: int = 0) -> Iterator[RunningServer]:
    """A server over the directory while the block runs; port 0 takes a free one. Raises
    PartFailed when it does not come up; its log is beside the directory."""
    given = ["--data", str(data_dir), "--port", str(port)]
    with part_process("quoth.qdrant", given, data_dir.parent) as part:
        yield RunningServer(part.ready_url(), part.process)
