"""Reads secrets: from the settings locally, from SSM parameters named there on AWS."""

from __future__ import annotations

import json
from functools import cache
from typing import Protocol
from urllib.parse import urlencode

from functions.runtime.settings import aws_session_token, secrets_extension_port

GET_PARAMETER = "/systemsmanager/parameters/get"
TIMEOUT_S = 2.0


class SecretUnavailable(Exception):
    """A secret could not be read. The message names the parameter, never its value."""


class HasSecrets(Protocol):
    """Settings with the fields `<name>` and `<name>_parameter` for each secret."""


def secret(settings: HasSecrets, name: str) -> str:
    """The value of a secret, or "" when neither it nor its parameter's name is set."""
    value = getattr(settings, name, "")
    parameter = getattr(settings, f"{name}_parameter", "")
    if value or not parameter:
        return str(value)
    return _read_once(parameter)


@cache
def _read_once(parameter: str) -> str:
    return read_parameter(parameter)


def read_parameter(parameter: str) -> str:
    """A parameter's current value. Raises SecretUnavailable.

    It comes from AWS's Parameters and Secrets extension, which caches values; boto3 is not needed.
    """
    import urllib.request  # not at import: unused in a local run

    query = urlencode({"name": parameter, "withDecryption": "true"})
    request = urllib.request.Request(  # an http address on this host
        f"http://localhost:{secrets_extension_port()}{GET_PARAMETER}?{query}",
        headers={"X-Aws-Parameters-Secrets-Token": aws_session_token()},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as reply:  # noqa: S310
            return str(json.load(reply)["Parameter"]["Value"])
    except (OSError, ValueError, KeyError) as error:
        raise SecretUnavailable(f"the parameter {parameter!r} could not be read") from error
