"""S3, EventBridge and SQS on this machine: ministack, with the bucket, the rule and the queues."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quoth.events.clients import ACCESS_KEY, REGION, SECRET_KEY, s3_client, sqs_client
from quoth.events.provision import Wiring, wire

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

BUCKET = "quoth-book"
SERVICES = "s3,sqs,events"
START_SECONDS = 60.0
STOP_SECONDS = 10.0
_ATTEMPTS = 5


class EmulatorFailed(RuntimeError):
    """The emulator did not start. The message carries the end of its log."""


@dataclass(frozen=True, slots=True)
class Emulator:
    """A running emulator. It keeps nothing: after each start the bucket is empty."""

    url: str
    bucket: str
    queue_url: str
    dead_letter_url: str
    outbox_urls: Mapping[str, str]

    def s3(self) -> S3Client:
        return s3_client(self.url)

    def sqs(self) -> SQSClient:
        return sqs_client(self.url)


@contextmanager
def running_emulator(
    log: Path | None = None, port: int = 0, bucket: str = BUCKET, services: str = SERVICES
) -> Iterator[Emulator]:
    """An emulator on 127.0.0.1 while the block runs; port 0 takes a free one.

    What it says goes to `log`. It listens on no other port, so that several can run at once.
    Raises EmulatorFailed.
    """
    with tempfile.TemporaryDirectory(prefix="quoth-events-") as folder:
        target = log or Path(folder) / "log"
        process, url = _start(target, Path(folder), port, services)
        try:
            wired: Wiring = wire(url, bucket)
            yield Emulator(url, bucket, wired.queue_url, wired.dead_letter_url, wired.outbox_urls)
        finally:
            stop_process(process)


def _start(
    log: Path, folder: Path, port: int, services: str
) -> tuple[subprocess.Popen[bytes], str]:
    for attempt in range(_ATTEMPTS):  # another program may take a free port before the emulator
        chosen = port or free_port()
        with log.open("ab") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "ministack"],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=_environment(chosen, folder, services),
            )
        try:
            if _is_ready(process, chosen):
                return process, f"http://127.0.0.1:{chosen}"
        except BaseException:
            stop_process(process)
            raise
        stop_process(process)
        if port or attempt == _ATTEMPTS - 1:
            break
    tail = log.read_text(errors="replace")[-2000:]
    raise EmulatorFailed(f"the emulator of S3 did not start at port {chosen}\n{tail}")


def _environment(port: int, folder: Path, services: str) -> dict[str, str]:
    """The emulator's own: it sees none of the user's accounts, and no Docker."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "LOCALSTACK_", "MINISTACK_", "S3_"))
    }
    return inherited | {
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "MINISTACK_HOST": "127.0.0.1",
        "SERVICES": services,
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "0",
        "S3_PERSIST": "0",
        "LOG_LEVEL": "WARNING",
        "DOCKER_HOST": f"unix://{folder / 'no-docker'}",
        "TMPDIR": str(folder),
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


def _is_ready(process: subprocess.Popen[bytes], port: int) -> bool:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        try:
            connection.request("GET", "/_ministack/health")
            answer = json.loads(connection.getresponse().read())
            return process.poll() is None and "services" in answer
        except (OSError, ValueError, http.client.HTTPException):
            time.sleep(0.05)
        finally:
            connection.close()
    return False


def stop_process(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end, and end it when it does not."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
