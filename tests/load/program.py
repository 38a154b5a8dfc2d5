"""A process of the system: killed without warning, and started again at the same address."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 60.0


@dataclass
class Program:
    """A process that listens at one port. `given` goes to its standard input."""

    arguments: list[str]
    port: int
    log: Path
    given: str = ""
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Returns when it listens. RuntimeError when it does not within a minute."""
        # All it says goes to a file: a pipe that nobody reads is full after 64 kB of log lines,
        # and whoever writes the next one waits for ever.
        with self.log.open("a") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *self.arguments],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=said,
                text=True,
            )
        assert self.process.stdin is not None
        self.process.stdin.write(self.given)
        self.process.stdin.close()
        if not listens(self.port, self.process, START_SECONDS):
            raise RuntimeError(f"{self.arguments[0]} did not start; its log is {self.log}")

    def kill(self) -> None:
        """End it without a chance to tidy up."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(10)
            self.process = None

    @property
    def memory_mb(self) -> float:
        """What it holds of memory now (Linux)."""
        if self.process is None:
            return 0.0
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * 4096 / 1e6

    @property
    def cpu_s(self) -> float:
        """The processor time it has used (Linux)."""
        if self.process is None:
            return 0.0
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100


def listens(
    port: int, process: subprocess.Popen[bytes] | subprocess.Popen[str], seconds: float
) -> bool:
    """Whether somebody answers at the port before the time is up or the process has ended."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False
