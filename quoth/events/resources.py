"""The same bucket, rule and queues as in the cloud, made in the emulator, and clients of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from functions.book.site.manifest import FILE_NAME

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
