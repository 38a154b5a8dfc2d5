"""Clients of the emulator: made-up keys, and nothing read of the user's own AWS settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

REGION = "us-east-1"
ACCESS_KEY = "quoth"
SECRET_KEY = "quoth-on-this-machine"  # noqa: S105 - the emulator takes any


def s3_client(url: str) -> S3Client:
    client: S3Client = _session().client("s3", **_options(url))
    return client


def sqs_client(url: str) -> SQSClient:
    client: SQSClient = _session().client("sqs", **_options(url))
    return client


def events_client(url: str) -> Any:
    return _session().client("events", **_options(url))


def client_of(service: str, url: str, verify: str | None = None) -> Any:
    """A client of any service. `verify` is a file with the certificate to trust."""
    return _session().client(service, **_options(url), verify=verify)


def _session() -> Any:
    import boto3
    import botocore.session

    # A profile or a file of the user's would be read, and a missing profile refused, even though
    # the keys are given.
    unread = ("profile", "config_file", "credentials_file", "ca_bundle")
    nothing: Any = dict.fromkeys(unread, (None, None, None, None))
    return boto3.session.Session(
        botocore_session=botocore.session.Session(session_vars=nothing),
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
        region_name=REGION,
    )


def _options(url: str) -> dict[str, Any]:
    from botocore.config import Config

    return {
        "endpoint_url": url,
        "config": Config(
            connect_timeout=3,
            read_timeout=30,
            retries={"total_max_attempts": 3, "mode": "standard"},
            s3={"addressing_style": "path"},
            proxies={},  # a proxy does not know this machine's own addresses
        ),
    }
