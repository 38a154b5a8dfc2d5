"""Puts secrets into SSM, only those that changed."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping

from quoth.doctor.aws_checks import client
from quoth.doctor.deployment import Deployment

RANDOM_BYTES = 32


def store_secrets(
    deployment: Deployment, values: Mapping[str, str], stored: Mapping[str, str]
) -> list[str]:
    """Write what differs from `stored` as SecureStrings; the names written."""
    ssm = client("ssm", deployment.region)
    written = []
    for secret, value in sorted(values.items()):
        if stored.get(secret) == value:
            continue
        name = deployment.secret_name(secret)
        ssm.put_parameter(Name=name, Value=value, Type="SecureString", Overwrite=True)
        written.append(name)
    return written


def made_up(names: Iterable[str], stored: Mapping[str, str]) -> dict[str, str]:
    """A random value for each name that has none yet: keys that only the functions use."""
    return {name: stored.get(name) or secrets.token_urlsafe(RANDOM_BYTES) for name in names}
