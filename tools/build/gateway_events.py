"""The events a function gets: from the HTTP API (payload 2.0), and from the queue of changes."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]


def http_event(
    method: str,
    address: str,
    body: Any = None,
    *,
    headers: Mapping[str, str] | None = None,
    source_ip: str = "192.0.2.1",
) -> Json:
    """A request. `address` is the path with its query string; `body` is sent as JSON."""
    parts = urlsplit(address)
    sent = {"host": "api.example.org", "user-agent": "quoth-build"} | dict(headers or {})
    event: Json = {
        "version": "2.0",
        "routeKey": f"{method} {parts.path}",
        "rawPath": parts.path,
        "rawQueryString": parts.query,
        "headers": sent,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "api",
            "domainName": sent["host"],
            "http": {
                "method": method,
                "path": parts.path,
                "protocol": "HTTP/1.1",
                "sourceIp": source_ip,
                "userAgent": sent["user-agent"],
            },
            "requestId": str(uuid.uuid4()),
            "routeKey": f"{method} {parts.path}",
            "stage": "$default",
            "timeEpoch": round(time.time() * 1000),
        },
        "isBase64Encoded": False,
    }
    if body is not None:
        event["body"] = json.dumps(body)
        sent.setdefault("content-type", "application/json")
    return event


def object_changed(
    bucket: str, key: str, *, kind: str = "Object Created", version_id: str | None = None
) -> Json:
    """What EventBridge says when a file of the bucket was put ("Object Created") or deleted."""
    changed: Json = {"key": key, "sequencer": f"{time.time_ns():016X}"}
    if version_id is not None:
        changed["version-id"] = version_id
    if kind == "Object Created":
        changed |= {"size": 1, "etag": uuid.uuid4().hex}
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": kind,
        "source": "aws.s3",
        "account": "000000000000",
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "region": "us-east-1",
        "resources": [f"arn:aws:s3:::{bucket}"],
        "detail": {"version": "0", "bucket": {"name": bucket}, "object": changed},
    }


def sqs_event(bodies: Sequence[Any]) -> Json:
    """A batch of messages. Their ids are message-0, message-1 and so on."""
    return {
        "Records": [
            {
                "messageId": f"message-{number}",
                "receiptHandle": f"receipt-{number}",
                "body": json.dumps(body),
                "attributes": {"ApproximateReceiveCount": "1"},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:changes",
                "awsRegion": "us-east-1",
            }
            for number, body in enumerate(bodies)
        ]
    }
