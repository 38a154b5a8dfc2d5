"""Secrets: given in the settings on a laptop, named there and read from SSM in the cloud."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request
from functools import cache
from typing import Protocol

from functions.settings import aws_session_token

EXTENSION = "http://localhost:2773/systemsmanager/parameters/get"
TIMEOUT_S = 3.0


class SecretUnavailable(Exception):
    """A secret could not be read. The message names the parameter, never its value."""


class HasSecrets(Protocol):
    """Settings with a field `<name>` and a field `<name>_parameter` per secret."""


def secret(settings: HasSecrets, name: str) -> str:
    """The value of a secret, or "" when neither it nor its parameter's name is set."""
    value = getattr(settings, name, "")
    parameter = getattr(settings, f"{name}_parameter", "")
    if value or not parameter:
        return str(value)
    return _read_parameter(parameter)


@cache
def _read_parameter(parameter: str) -> str:
    """From AWS's Parameters and Secrets extension, which caches; no boto3 on the way."""
    query = urllib.parse.urlencode({"name": parameter, "withDecryption": "true"})
    request = urllib.request.Request(  # noqa: S310  # a constant http address on this host
        f"{EXTENSION}?{query}",
        headers={"X-Aws-Parameters-Secrets-Token": aws_session_token()},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as reply:  # noqa: S310
            return str(json.load(reply)["Parameter"]["Value"])
    except (OSError, ValueError, KeyError) as error:
        raise SecretUnavailable(f"the parameter {parameter!r} could not be read") from error
