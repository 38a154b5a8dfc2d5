"""Does the account fit: who we are there, how much may run at once, which secrets are stored?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from quoth.doctor.deployment import ROOMS, Deployment
from quoth.doctor.findings import Finding, failed, passed, warned

if TYPE_CHECKING:
    from collections.abc import Callable

LEFT_FOR_OTHERS = 100
"""AWS keeps so many for functions without a reservation."""

AT_ONCE = 200
"""Readers who are answered at once."""

SECONDS = 10


class AwsUnreachable(Exception):
    """AWS cannot be asked. The message says why."""


def client(service: str, region: str | None) -> Any:
    """A boto3 client with time-outs. Addresses and rights come from AWS's own environment."""
    import boto3
    from botocore.config import Config

    limits = Config(
        connect_timeout=SECONDS, read_timeout=SECONDS, retries={"total_max_attempts": 2}
    )
    make: Callable[..., Any] = boto3.client
    return make(service, region_name=region, config=limits)


def read_account(deployment: Deployment) -> Finding:
    """Whose account it is. Raises AwsUnreachable when there is none to ask."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        answer = client("sts", deployment.region).get_caller_identity()
    except (BotoCoreError, ClientError) as error:
        raise AwsUnreachable(str(error)) from error
    return passed("aws.account", f"{answer['Account']} as {answer['Arn'].rsplit('/')[-1]}")


def check_concurrency(deployment: Deployment) -> Finding:
    limits = client("lambda", deployment.region).get_account_settings()["AccountLimit"]
    allowed = int(limits["ConcurrentExecutions"])
    asked = [int(deployment[f"{room.capitalize()}Concurrency"]) for room in ROOMS]
    reserved = sum(each for each in asked if each > 0)
    needed = max(reserved, AT_ONCE) + LEFT_FOR_OTHERS
    if allowed >= needed:
        return passed("aws.concurrency", f"{allowed} at once, {needed} are needed")
    remedy = "ask for more in Service Quotas (Lambda, concurrent executions, L-B99A9384)"
    said = f"the account runs {allowed} at once, {needed} are needed"
    if allowed < reserved + LEFT_FOR_OTHERS:
        return failed("aws.concurrency", said, f"{remedy}, or reserve less")
    return warned("aws.concurrency", said, f"{remedy}; until then fewer readers are answered")


def read_secrets(deployment: Deployment) -> tuple[dict[str, str], list[Finding]]:
    """The values of the secrets that are there, and a finding for each that is not right."""
    names = {deployment.secret_name(secret): secret for secret in deployment.secrets}
    ssm = client("ssm", deployment.region)
    found: list[dict[str, Any]] = []
    asked = list(names)
    for start in range(0, len(asked), 10):  # SSM takes ten at a time
        some = asked[start : start + 10]
        found += ssm.get_parameters(Names=some, WithDecryption=True)["Parameters"]
    findings = list(_judge(found))
    missing = sorted(set(names) - {each["Name"] for each in found})
    if missing:
        findings.append(
            failed("ssm.parameters", f"not there: {', '.join(missing)}", "run `quoth setup`")
        )
    if not findings:
        findings.append(passed("ssm.parameters", f"all {len(names)} are there, encrypted"))
    return {names[each["Name"]]: str(each["Value"]).strip() for each in found}, findings


def _judge(found: list[dict[str, Any]]) -> Iterator[Finding]:
    for each in found:
        if each["Type"] != "SecureString":
            yield failed(
                "ssm.encrypted",
                f"{each['Name']} is a plain {each['Type']}",
                "delete it and store it with `quoth setup`",
            )
        if not each["Value"].strip() or each["Value"] != each["Value"].strip():
            yield failed(
                "ssm.value",
                f"{each['Name']} is empty, or has spaces or a line feed around it",
                "store it again with `quoth setup`",
            )
