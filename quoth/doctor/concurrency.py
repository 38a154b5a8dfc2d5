"""How many calls of each function may run at once, held against what the account allows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from quoth.doctor.deployment import Deployment
from quoth.doctor.findings import Finding, failed, passed, warned

FUNCTIONS = ("Query", "Lookup", "Selected", "Analytics", "Ingest")
LEFT_FOR_OTHERS = 100
"""AWS keeps so many for functions without a reservation."""
AT_ONCE = 200
"""Readers who are answered at once."""
LOOKUP_SECONDS = {
    "GET /search": 0.33,
    "GET /suggestions": 0.05,
    "GET /tickets/{id}": 0.02,
    "POST /session": 0.01,
}
"""What a call of each of lookup's routes takes, p95 of a book of 50,000 chunks."""


def lookup_share(rates: Mapping[str, float]) -> int:
    """How many calls of lookup run at once when the gateway passes all that its throttles allow:
    arrivals a second times the seconds that each stays."""
    return math.ceil(sum(rates[route] * seconds for route, seconds in LOOKUP_SECONDS.items()))


def check_concurrency(deployment: Deployment, functions: Any, stacks: Any) -> Iterator[Finding]:
    """Findings for the account's limit and for the share of lookups. `functions` and `stacks` are
    clients of Lambda and of CloudFormation. Raises botocore's errors."""
    limits = functions.get_account_settings()["AccountLimit"]
    allowed, free = (int(limits[f"{kind}ConcurrentExecutions"]) for kind in ("", "Unreserved"))
    others = allowed - free - _own(deployment.stack, functions, stacks)
    asked = {name: int(deployment[f"{name}Concurrency"]) for name in FUNCTIONS}
    reserved = others + sum(each for each in asked.values() if each > 0)
    yield _account(allowed, reserved, others)
    if asked["Query"] > 0:
        share = asked["Lookup"] if asked["Lookup"] >= 0 else allowed - reserved
        yield _lookups(share, lookup_share(deployment.rates))


def _account(allowed: int, reserved: int, others: int) -> Finding:
    needed = max(reserved, others + AT_ONCE) + LEFT_FOR_OTHERS
    held = f", {others} of them held by functions that are not this stack's" if others else ""
    if allowed >= needed:
        return passed("aws.concurrency", f"{allowed} at once, {needed} are needed{held}")
    remedy = "ask for more in Service Quotas (Lambda, concurrent executions, L-B99A9384)"
    said = f"the account runs {allowed} at once, {needed} are needed{held}"
    if allowed < reserved + LEFT_FOR_OTHERS:
        return failed("aws.concurrency", said, f"{remedy}, or reserve less")
    return warned("aws.concurrency", said, f"{remedy}; until then fewer readers are answered")


def _lookups(share: int, needed: int) -> Finding:
    if share >= needed:
        return passed("aws.lookups", f"{share} searches, tickets and sessions at once")
    return warned(
        "aws.lookups",
        f"{share} searches, tickets and sessions at once; the gateway lets {needed} in",
        f"set LookupConcurrency={needed}, or lower the throttles of their routes",
    )


def _own(stack: str, functions: Any, stacks: Any) -> int:
    """What the functions of the stack have reserved now; 0 before it is deployed."""
    from botocore.exceptions import ClientError

    try:
        listed = stacks.describe_stack_resources(StackName=stack)["StackResources"]
    except ClientError as error:
        if "does not exist" in str(error):
            return 0
        raise
    names = [
        each["PhysicalResourceId"]
        for each in listed
        if each["ResourceType"] == "AWS::Lambda::Function"
    ]
    answers = (functions.get_function_concurrency(FunctionName=name) for name in names)
    return sum(int(each.get("ReservedConcurrentExecutions", 0)) for each in answers)
