"""AWS on this machine: ministack with every service the stack needs, its roles enforced."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quoth.events.clients import ACCESS_KEY, REGION, SECRET_KEY, client_of
from quoth.events.emulator import EmulatorFailed, free_port, stop_process
from tools.rehearse.certificate import Certificate

START_SECONDS = 60.0
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Cloud:
    """A running local AWS. `environment` makes a command line or an SDK talk to it alone."""

    port: int
    certificate: Path
    environment: Mapping[str, str]

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def client(self, service: str) -> Any:
        """A boto3 client of the account's owner."""
        return client_of(service, self.url, verify=str(self.certificate))

    def gateway_host(self, api_id: str) -> str:
        """The host an API answers at; browsers find it, for it ends in localhost."""
        return f"{api_id}.execute-api.localhost:{self.port}"


@contextmanager
def running_cloud(
    folder: Path, certificate: Certificate, python: Path, log: Path
) -> Iterator[Cloud]:
    """A local AWS on 127.0.0.1 and a free port while the block runs; it keeps nothing.

    It enforces the policies of roles, buckets and queues (`AUTH`), and speaks TLS, which the
    bucket's policy demands. `log` is begun anew; the functions' lines are in it. Raises
    EmulatorFailed.
    """
    log.unlink(missing_ok=True)
    process, port = _start(folder, python, certificate, log)
    try:
        outside = {
            **account_variables(),
            "AWS_ENDPOINT_URL": f"https://127.0.0.1:{port}",
            "AWS_CA_BUNDLE": str(certificate.certificate),
        }
        yield Cloud(port, certificate.certificate, outside)
    finally:
        stop_process(process)


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


def _start(
    folder: Path, python: Path, certificate: Certificate, log: Path
) -> tuple[subprocess.Popen[bytes], int]:
    port = 0
    for _ in range(_ATTEMPTS):  # another program may take a free port before the emulator
        port = free_port()
        with log.open("ab") as said:
            process = subprocess.Popen(
                [python, "-m", "ministack"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=_environment(folder, certificate, port),
            )
        try:
            if _is_ready(process, port, certificate.certificate):
                return process, port
        except BaseException:
            stop_process(process)
            raise
        stop_process(process)
    tail = log.read_text(errors="replace")[-2000:]
    raise EmulatorFailed(f"the local AWS did not start at port {port}\n{tail}")


def _environment(folder: Path, certificate: Certificate, port: int) -> dict[str, str]:
    return {
        **account_variables(),
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "MINISTACK_HOST": "localhost",  # browsers find every name below it
        "USE_SSL": "1",
        "MINISTACK_SSL_CERT": str(certificate.certificate),
        "MINISTACK_SSL_KEY": str(certificate.key),
        # Its authorizer and the functions ask the issuer of tokens, who has the same certificate.
        "SSL_CERT_FILE": str(certificate.certificate),
        "AUTH": "true",
        "LAMBDA_EXECUTOR": "local",
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "PERSIST_STATE": "0",
        "S3_PERSIST": "0",
        "LOG_LEVEL": "INFO",
        "DOCKER_HOST": f"unix://{folder / 'no-docker'}",
    }


def _is_ready(process: subprocess.Popen[bytes], port: int, certificate: Path) -> bool:
    trust = ssl.create_default_context(cafile=str(certificate))
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(
                f"https://127.0.0.1:{port}/_ministack/health", timeout=2, context=trust
            ) as answer:
                return process.poll() is None and "services" in json.load(answer)
        except (OSError, ValueError):
            time.sleep(0.1)
    return False
