"""Starting the local server in a process of its own, and ending it."""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class RunningServer:
    url: str
    process: subprocess.Popen[str]


@contextmanager
def running_server(data_dir: Path, port: int = 0) -> Iterator[RunningServer]:
    """A server over the directory while the block runs; port 0 takes a free one.

    Raises `RuntimeError` when it does not come up; its own words are on standard error.
    """
    command = [sys.executable, "-m", "quoth.qdrant", "--data", str(data_dir), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield RunningServer(_read_url(process), process)
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()


def _read_url(process: subprocess.Popen[str]) -> str:
    lines = process.stdout
    if lines is not None and select.select([lines], [], [], START_TIMEOUT_S)[0]:
        line = lines.readline()
        if line:
            return line.split()[-1]
    raise RuntimeError("the local Qdrant server did not start")
