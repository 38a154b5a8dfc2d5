"""Requests that schemathesis makes from the API's own description, good and bad, and what of the
answers breaks the description."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS
from schemathesis.core.failures import FailureGroup

from tools.openapi import describe

SEED = 20261122
NOT_IN_A_SCHEMA = "positive_data_acceptance"
"""Rules between fields (a period's first day and its last, a mode and its route) and rules about
words (a selection has 20, a time zone exists) have no form in a JSON schema: breaking one is a 422,
which the description names."""


@dataclass
class Made:
    """What was sent and what was wrong with the answers: (operation, check) and one example."""

    cases: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def server_errors(self) -> int:
        return sum(count for status, count in self.statuses.items() if status >= 500)


def make_requests(url: str, each: int) -> Made:
    """So many requests that fit the description, and so many that do not, of each operation that
    has such."""
    schemathesis.checks.load_all_checks()
    checks = [CHECKS.get_one(name) for name in CHECKS.get_all_names() if name != NOT_IN_A_SCHEMA]
    schema = schemathesis.openapi.from_dict(describe())
    schema.config.update(base_url=url)
    made = Made()
    for result in schema.get_all_operations():
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            _make_of(result.ok(), mode, each, checks, made)
    return made


def _make_of(
    operation: Any, mode: GenerationMode, each: int, checks: list[Any], made: Made
) -> None:
    @seed(SEED)
    @settings(
        max_examples=each, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        if mode == GenerationMode.POSITIVE:
            case.headers.pop("Authorization", None)  # a made-up token is a 401
        _send(case, checks, made)

    try:
        send()
    except Unsatisfiable:
        assert mode == GenerationMode.NEGATIVE  # an operation that takes nothing at all


def _send(case: Any, checks: list[Any], made: Made) -> None:
    reply = case.call()
    made.cases += 1
    made.statuses[reply.status_code] += 1
    try:
        case.validate_response(reply, checks=checks)
    except FailureGroup as failures:
        for failure in failures.exceptions:
            known = (case.operation.label, type(failure).__name__)
            made.wrong.setdefault(known, f"{failure}\n{case.as_curl_command()}\n{reply.text[:300]}")
