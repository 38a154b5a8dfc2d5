"""The AWS emulator with the bucket, the rule and the queues of the cloud."""

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

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient
from typing import TYPE_CHECKING, Any

from functions.book.site.manifest import FILE_NAME

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


QUEUE = "quoth-ingest"
DEAD_LETTERS = "quoth-ingest-dead-letters"
RULE = "quoth-book-changes"
OUTBOXES = {"query": "quoth-query-outbox", "selected": "quoth-selected-outbox"}
"""Function to the queue of what its database could not take."""
OUTBOX_VISIBILITY_SECONDS = 30
VISIBILITY_SECONDS = 120
MAX_RECEIVES = 8


@dataclass(frozen=True, slots=True)
class Wiring:
    queue_url: str
    dead_letter_url: str
    outbox_urls: dict[str, str]


def wire(url: str, bucket: str) -> Wiring:
    """Make a versioned bucket whose changes reach a queue with its dead letters, and outboxes."""
    s3, sqs, events = s3_client(url), sqs_client(url), events_client(url)
    s3.create_bucket(Bucket=bucket)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    dead_letter_url = sqs.create_queue(QueueName=DEAD_LETTERS)["QueueUrl"]
    dead_letters = sqs.get_queue_attributes(QueueUrl=dead_letter_url, AttributeNames=["QueueArn"])[
        "Attributes"
    ]["QueueArn"]
    redrive = {"deadLetterTargetArn": dead_letters, "maxReceiveCount": MAX_RECEIVES}
    queue_url = sqs.create_queue(
        QueueName=QUEUE,
        Attributes={
            "VisibilityTimeout": str(VISIBILITY_SECONDS),
            "RedrivePolicy": json.dumps(redrive),
        },
    )["QueueUrl"]
    queue = sqs.get_queue_attributes(QueueUrl=queue_url, AttributeNames=["QueueArn"])
    rule = events.put_rule(Name=RULE, EventPattern=json.dumps(_changes_of(bucket)))["RuleArn"]
    sqs.set_queue_attributes(
        QueueUrl=queue_url,
        Attributes={"Policy": json.dumps(_policy(queue["Attributes"]["QueueArn"], rule))},
    )
    answer = events.put_targets(
        Rule=RULE, Targets=[{"Id": "queue", "Arn": queue["Attributes"]["QueueArn"]}]
    )
    if answer["FailedEntryCount"]:
        raise RuntimeError(f"the rule takes no target: {answer['FailedEntries']}")
    outboxes = {
        function: sqs.create_queue(
            QueueName=name, Attributes={"VisibilityTimeout": str(OUTBOX_VISIBILITY_SECONDS)}
        )["QueueUrl"]
        for function, name in OUTBOXES.items()
    }
    return Wiring(queue_url, dead_letter_url, outboxes)


def _changes_of(bucket: str) -> dict[str, object]:
    return {
        "source": ["aws.s3"],
        "detail-type": ["Object Created", "Object Deleted"],
        "detail": {
            "bucket": {"name": [bucket]},
            "object": {"key": [{"suffix": ".md"}, {"suffix": ".mdx"}, {"suffix": FILE_NAME}]},
        },
    }


def _policy(queue_arn: str, rule_arn: str) -> dict[str, object]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "events.amazonaws.com"},
                "Action": "sqs:SendMessage",
                "Resource": queue_arn,
                "Condition": {"ArnEquals": {"aws:SourceArn": rule_arn}},
            }
        ],
    }
