"""The AWS emulator that replaces S3, SQS and EventBridge on this machine."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quoth.events.resources import (
    ACCESS_KEY,
    REGION,
    SECRET_KEY,
    s3_client,
    sqs_client,
    wire,
)
from quoth.local_server import free_port, stop_process, with_parent

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

BUCKET = "quoth-book"
SERVICES = "s3,sqs,events"
START_SECONDS = 60.0
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
    log: Path | None = None,
    port: int = 0,
    bucket: str = BUCKET,
    services: str = SERVICES,
    folder: Path | None = None,
) -> Iterator[Emulator]:
    """An emulator on 127.0.0.1 while the block runs; port 0 takes a free one.

    What it says goes to `log`, its files to `folder`, which is emptied. It listens on no other
    port, so that several can run at once. Raises EmulatorFailed.
    """
    with _empty(folder) as own:
        process, chosen = start_ministack(
            log or own / "log",
            lambda port: _environment(port, own, services),
            port=port,
            command=with_parent("ministack"),
        )
        url = f"http://127.0.0.1:{chosen}"
        try:
            wired = wire(url, bucket)
            queues = wired.queue_url, wired.dead_letter_url, wired.outbox_urls
            yield Emulator(url, bucket, *queues)
        finally:
            stop_process(process)


@contextmanager
def _empty(folder: Path | None) -> Iterator[Path]:
    """An empty folder: this one, of which a killed process may have left something, or a new one
    that is removed after the block."""
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="quoth-events-") as made:
        yield Path(made)


def start_ministack(
    log: Path,
    environment: Callable[[int], Mapping[str, str]],
    *,
    port: int = 0,
    command: Sequence[str | Path],
    folder: Path | None = None,
    certificate: Path | None = None,
) -> tuple[subprocess.Popen[bytes], int]:
    """The emulator's process and port, when it answers; port 0 takes a free one.

    `command` starts it; `environment` is its own, by port; it runs in `folder`, and speaks TLS
    where a `certificate` to trust is given. Raises EmulatorFailed.
    """
    # Another program may take a free port before the emulator.
    for _ in range(1 if port else _ATTEMPTS):
        chosen = port or free_port()
        with log.open("ab") as said:
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=environment(chosen),
                start_new_session=True,  # Ctrl-C reaches us alone; we stop the parts in order
            )
        try:
            if _is_ready(process, chosen, certificate):
                return process, chosen
        except BaseException:
            stop_process(process)
            raise
        stop_process(process)
    tail = log.read_text(errors="replace")[-2000:]
    raise EmulatorFailed(f"the AWS emulator did not start at port {chosen}\n{tail}")


def ministack_environment(port: int, folder: Path) -> dict[str, str]:
    """What every emulator gets: made-up keys, no file of the user's, no Docker, no persistence."""
    return {
        **account_variables(),
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "0",
        "S3_PERSIST": "0",
        "DOCKER_HOST": f"unix://{folder / 'no-docker'}",
        "TMPDIR": str(folder),
    }


def account_variables() -> dict[str, str]:
    """Made-up keys, and nothing read of the user's own settings."""
    return {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _environment(port: int, folder: Path, services: str) -> dict[str, str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "LOCALSTACK_", "MINISTACK_", "S3_"))
    }
    own = {"MINISTACK_HOST": "127.0.0.1", "SERVICES": services, "LOG_LEVEL": "WARNING"}
    return inherited | ministack_environment(port, folder) | own


def _is_ready(process: subprocess.Popen[bytes], port: int, certificate: Path | None) -> bool:
    trust = ssl.create_default_context(cafile=certificate) if certificate else None
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        connection = (
            http.client.HTTPSConnection("127.0.0.1", port, timeout=2, context=trust)
            if trust
            else http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        )
        try:
            connection.request("GET", "/_ministack/health")
            answer = json.loads(connection.getresponse().read())
            return process.poll() is None and "services" in answer
        except (OSError, ValueError, http.client.HTTPException):
            time.sleep(0.05)
        finally:
            connection.close()
    return False
