"""Reads secrets: from the settings locally, from the SSM parameters named there on AWS.

One call brings every parameter that a function names, so that a wave of cold starts stays within
SSM's calls a second. It is signed by botocore's signer: a client of boto3 takes half a second of
each cold start to make. A value is kept, a failure never.
"""

from __future__ import annotations

import json
import random
import ssl
import time
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from functions.runtime.settings import Settings, aws_access

BATCH = 10
"""The most parameters of one call."""
ATTEMPT_SECONDS = 1.5
SECONDS = 3.0
"""For all attempts together."""
FIRST_WAIT_SECONDS = 0.1

_known: dict[str, str] = {}


class SecretUnavailable(Exception):
    """A secret could not be read. The message names the parameter, never its value."""


class _TryAgain(Exception):
    """SSM refused for now, or did not answer."""


def secret(settings: Settings, name: str) -> str:
    """The value of a secret, or "" when neither it nor its parameter's name is set. Raises
    SecretUnavailable."""
    value = getattr(settings, name, "")
    parameter = getattr(settings, f"{name}_parameter", "")
    if value or not parameter:
        return str(value)
    return _known.get(parameter) or current_value(settings, name)


def current_value(settings: Settings, name: str) -> str:
    """A parameter's value as it is now; secrets that are not known yet come with it. Raises
    SecretUnavailable."""
    parameter: str = getattr(settings, f"{name}_parameter")
    named = {getattr(settings, f) for f in Settings.model_fields if f.endswith("_parameter")}
    try:
        _known.update(_read({parameter, *named} - {"", *_known} | {parameter}))
    except _TryAgain as error:
        raise SecretUnavailable(f"{parameter!r} could not be read: {error}") from error
    if parameter not in _known:
        raise SecretUnavailable(f"there is no parameter {parameter!r}")
    return _known[parameter]


def _read(names: Iterable[str]) -> dict[str, str]:
    """The parameters that there are. Raises SecretUnavailable, _TryAgain when time is up."""
    for module in ("httpx2", "botocore.auth", "botocore.awsrequest"):
        import_module(module)  # slow in a cold start: not on the call's time
    until = time.monotonic() + SECONDS
    found: dict[str, str] = {}
    wanted = sorted(names)
    for start in range(0, len(wanted), BATCH):
        wait = FIRST_WAIT_SECONDS
        while True:
            try:
                found |= _get_parameters(wanted[start : start + BATCH])
                break
            except _TryAgain:
                pause = random.uniform(0, wait)  # noqa: S311 - so that copies do not keep step
                if time.monotonic() + pause > until:
                    raise
                time.sleep(pause)
                wait *= 2
    return found


def _get_parameters(names: list[str]) -> dict[str, str]:
    # Imported here: a local run needs neither, and botocore comes with the Lambda runtime.
    import httpx2
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    access = aws_access()
    url = f"{access.endpoint or f'https://ssm.{access.region}.amazonaws.com'}/"
    body = json.dumps({"Names": names, "WithDecryption": True})
    headers = {
        "Content-Type": "application/x-amz-json-1.1",
        "X-Amz-Target": "AmazonSSM.GetParameters",
    }
    request = AWSRequest("POST", url, headers, body)
    signer = SigV4Auth(Credentials(access.key, access.secret, access.token), "ssm", access.region)
    signer.add_auth(request)
    trusted = ssl.create_default_context(cafile=access.ca_bundle) if access.ca_bundle else True
    try:
        reply = httpx2.post(
            url,
            content=body,
            headers=dict(request.headers.items()),
            timeout=ATTEMPT_SECONDS,
            verify=trusted,
        )
    except httpx2.HTTPError as error:
        raise _TryAgain(type(error).__name__) from error
    return _values(names, reply)


def _values(names: list[str], reply: Any) -> dict[str, str]:
    if reply.status_code >= 500 or reply.status_code == 429 or b"Throttl" in reply.content:
        raise _TryAgain(f"SSM answered {reply.status_code}")
    if reply.status_code != 200:
        kind = str(reply.headers.get("x-amzn-errortype", "")).split(":")[0]
        raise SecretUnavailable(f"SSM refused {', '.join(names)}: {reply.status_code} {kind}")
    try:
        return {each["Name"]: str(each["Value"]) for each in reply.json()["Parameters"]}
    except (ValueError, KeyError, TypeError) as error:
        raise _TryAgain("SSM's answer cannot be read") from error
