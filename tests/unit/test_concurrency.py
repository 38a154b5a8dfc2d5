"""The doctor's figures of concurrency: computed from the throttles, held against the account."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from quoth.doctor.concurrency import check_concurrency, lookup_share
from quoth.doctor.deployment import Deployment, read_deployment

PROJECT = Path(__file__).resolve().parents[2]
PROD = read_deployment(PROJECT, "prod")
DEV = read_deployment(PROJECT, "dev")
OWN = {"QueryFunction": 200, "LookupFunction": 85, "SelectedFunction": 50, "IngestFunction": 5}


def verdicts(
    stage: Deployment, allowed: int, free: int, own: dict[str, int] | None = None
) -> dict[str, tuple[str, str]]:
    """(verdict, what is said) by check; `own` are the reservations of the deployed functions."""
    made: list[Any] = [
        boto3.client(service, "eu-central-1", aws_access_key_id="k", aws_secret_access_key="s")
        for service in ("lambda", "cloudformation")
    ]
    functions, stacks = (Stubber(each) for each in made)
    limits = {"ConcurrentExecutions": allowed, "UnreservedConcurrentExecutions": free}
    functions.add_response("get_account_settings", {"AccountLimit": limits}, {})
    if own is None:
        stacks.add_client_error("describe_stack_resources", "ValidationError", "does not exist")
    else:
        listed = [
            {
                "LogicalResourceId": name,
                "PhysicalResourceId": name,
                "ResourceType": "AWS::Lambda::Function",
                "Timestamp": "2026-01-01T00:00:00Z",
                "ResourceStatus": "CREATE_COMPLETE",
            }
            for name in own
        ]
        stacks.add_response("describe_stack_resources", {"StackResources": listed})
        for count in own.values():
            functions.add_response(
                "get_function_concurrency", {"ReservedConcurrentExecutions": count}
            )
    with functions, stacks:
        found = {each.check: (each.verdict, each.said) for each in check_concurrency(stage, *made)}
    functions.assert_no_pending_responses()
    return found


def test_the_share_of_lookups_is_what_the_gateway_lets_in_times_what_each_takes() -> None:
    rates = dict(PROD.rates)
    assert lookup_share(rates) == 82  # 200 × .33 + 100 × .05 + 500 × .02 + 100 × .01
    assert int(PROD["LookupConcurrency"]) >= 82
    assert lookup_share({**rates, "GET /search": 400.0}) == 148


def test_production_needs_what_it_reserves_and_a_hundred_more() -> None:
    right = verdicts(PROD, 440, 440)
    assert [right[check][0] for check in ("aws.concurrency", "aws.lookups")] == ["ok", "ok"]
    verdict, said = verdicts(PROD, 439, 439)["aws.concurrency"]
    assert (verdict, said) == ("failed", "the account runs 439 at once, 440 are needed")


def test_a_new_account_is_too_small_even_without_reservations() -> None:
    found = verdicts(DEV, 10, 10)
    assert {check: verdict for check, (verdict, _) in found.items()} == {
        "aws.concurrency": "failed"
    }
    assert verdicts(DEV, 299, 299)["aws.concurrency"][0] == "warning"
    assert verdicts(DEV, 300, 300)["aws.concurrency"][0] == "ok"


def test_what_other_stacks_reserve_counts_and_what_this_one_has_does_not_count_twice() -> None:
    assert verdicts(PROD, 440, 100, OWN)["aws.concurrency"][0] == "ok"
    verdict, said = verdicts(PROD, 1000, 100, OWN)["aws.concurrency"]
    assert (verdict, said) == (
        "ok",
        "1000 at once, 1000 are needed, 560 of them held by functions that are not this stack's",
    )
    assert verdicts(PROD, 999, 98, OWN)["aws.concurrency"][0] == "failed"


@pytest.mark.parametrize(("lookups", "verdict"), [("20", "warning"), ("82", "ok"), ("-1", "ok")])
def test_a_share_of_lookups_that_is_too_small_is_named(lookups: str, verdict: str) -> None:
    stage = replace(PROD, parameters={**PROD.parameters, "LookupConcurrency": lookups})
    assert verdicts(stage, 1000, 1000)["aws.lookups"][0] == verdict
