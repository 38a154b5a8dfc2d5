"""AWS on this machine: ministack with every service the stack needs, its roles enforced.

Its Lambda runs a function with the interpreter it runs under itself, and artifacts built for one
minor version hold compiled parts that no other can import: so it has an environment of its own,
under the Python of the Lambda runtime. It speaks TLS, with a certificate made for the run.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from quoth.events.emulator import account_variables, ministack_environment, start_ministack
from quoth.events.resources import client_of
from quoth.local_server import stop_process
from tools.build.environments import locked_version, make_environment

VALID_DAYS = 2


@dataclass(frozen=True, slots=True)
class Certificate:
    """Paths of PEM files. The certificate signs itself, so it is its own authority."""

    certificate: Path
    key: Path


def make_certificate(folder: Path) -> Certificate:
    """For localhost, 127.0.0.1 and the addresses of gateways below localhost."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names = [
        x509.DNSName("localhost"),
        x509.DNSName("*.execute-api.localhost"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    made.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    made.key.touch(0o600)
    made.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return made


PINNED = ("aws-sam-translator==1.115.0",)  # expands the template there; not among our own packages
LOCKED = ("ministack", "boto3", "cryptography", "awslambdaric")
"""What is taken at the version of uv.lock: the emulator, and what the Lambda runtime has."""


def make_cloud_python(project: Path, uv: Path, cache: Path) -> Path:
    """The Python that runs the local AWS, made once and again when a version changes.

    Raises BuildFailed when there is no such Python or a package cannot be had.
    """
    packages = [*(f"{name}=={locked_version(project, name)}" for name in LOCKED), *PINNED]
    return make_environment(uv, cache / "local-aws", packages)


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
    process, port = start_ministack(
        log,
        lambda port: _environment(folder, certificate, port),
        command=(python, Path(__file__).with_name("completed_aws.py")),
        folder=folder,
        certificate=certificate.certificate,
    )
    try:
        outside = {
            **account_variables(),
            "AWS_ENDPOINT_URL": f"https://127.0.0.1:{port}",
            "AWS_CA_BUNDLE": str(certificate.certificate),
        }
        yield Cloud(port, certificate.certificate, outside)
    finally:
        stop_process(process)


def _environment(folder: Path, certificate: Certificate, port: int) -> dict[str, str]:
    return {
        **ministack_environment(port, folder),
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "MINISTACK_HOST": "localhost",  # browsers find every name below it
        "USE_SSL": "1",
        "MINISTACK_SSL_CERT": str(certificate.certificate),
        "MINISTACK_SSL_KEY": str(certificate.key),
        # Its authorizer and the functions ask the issuer of tokens, who has the same certificate.
        "SSL_CERT_FILE": str(certificate.certificate),
        "AUTH": "true",
        "LAMBDA_EXECUTOR": "local",
        "LOG_LEVEL": "INFO",
    }
