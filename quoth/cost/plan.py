"""What a month in the cloud would cost."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from functions.runtime.prices import PriceTable

MILLION = 1_000_000
GB = 1_000_000_000
MONTH_H = 730.0
MONTH_DAYS = 30.4


@dataclass(frozen=True, slots=True)
class Usage:
    """What a query uses, and what runs beside. The defaults are meant to be too high, not too low:
    every query reaches the model, none comes from the cache."""

    model: str = "gpt-6-luna"
    input_tokens: int = 3_000
    output_tokens: int = 300
    checks: float = 1.0
    """Calls of the judge per query, and what each takes. It is the model that answers."""
    check_input_tokens: int = 2_000
    check_output_tokens: int = 100
    embedding_model: str = "text-embedding-3-small"
    embedding_tokens: int = 40

    gateway_requests: float = 4.0
    """Preflight, session, search while it is written, the question, some feedback."""
    query_seconds: float = 3.0
    query_gb: float = 1.0
    other_seconds: float = 0.6
    """All other requests that come with a query, together, at `query_gb`."""
    log_bytes: int = 4_000
    row_bytes: int = 12_500
    """In PostgreSQL, with indexes, kept for `retention_days`; see docs/reference/performance.md."""
    retention_days: int = 90

    active_hours: float = 24.0
    """Hours of the day over which readers spread."""
    retry_minutes: int = 15
    compute_units: float = 0.25
    sleep_minutes: float = 5.0

    chunks: int = 3_000
    passages: int = 3
    dimensions: int = 1_536
    alarms: int = 17
    custom_metrics: int = 8
    snapshots: int = 0
    """Functions with SnapStart."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the bill: dollars a month on paid plans, and on free ones where they suffice."""

    service: str
    what: str
    paid: float
    with_free: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    queries: int
    items: tuple[Item, ...]

    @property
    def paid(self) -> float:
        return sum(item.paid for item in self.items)

    @property
    def with_free(self) -> float:
        return sum(item.with_free for item in self.items)


@cache
def cloud_prices() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(
        Path(__file__).with_name("cloud_prices.json").read_text("utf-8")
    )
    return read


def plan_month(queries: int, usage: Usage, models: PriceTable) -> Plan:
    """The bill of a month with that many queries."""
    cost = {name: float(each["dollars"]) for name, each in cloud_prices()["prices"].items()}
    free = {name: float(each["amount"]) for name, each in cloud_prices()["free"].items()}
    return Plan(
        queries,
        (
            *_openai(queries, usage, models),
            *_aws(queries, usage, cost, free),
            _neon(queries, usage, cost, free),
            _qdrant(usage, cost, free),
        ),
    )


def _openai(queries: int, usage: Usage, models: PriceTable) -> list[Item]:
    model = models.price(usage.model)
    answers = queries * model.cost(usage.input_tokens, usage.output_tokens)
    checks = queries * usage.checks
    checking = checks * model.cost(usage.check_input_tokens, usage.check_output_tokens)
    embedding = queries * models.price(usage.embedding_model).cost(usage.embedding_tokens, 0)
    return [
        Item("OpenAI", f"answers of {usage.model}", answers, answers),
        Item("OpenAI", "verdicts on paraphrases", checking, checking),
        Item("OpenAI", "embeddings; moderation is free", embedding, embedding),
    ]


def _aws(
    queries: int, usage: Usage, cost: Mapping[str, float], free: Mapping[str, float]
) -> list[Item]:
    requests = queries * usage.gateway_requests / MILLION
    gateway = requests * cost["gateway_million_requests"]
    seconds = queries * (usage.query_seconds + usage.other_seconds)
    retries = 2 * MONTH_H * 60 / usage.retry_minutes
    compute = (seconds + retries) * usage.query_gb * cost["lambda_gb_second"]
    compute += (requests + retries / MILLION) * cost["lambda_million_requests"]
    logs_gb = queries * usage.log_bytes / GB
    logs = logs_gb * cost["logs_gb"]
    watching = usage.alarms * cost["alarm"] + usage.custom_metrics * cost["custom_metric"]
    free_watching = (
        max(0, usage.alarms - free["alarms"]) * cost["alarm"]
        + max(0, usage.custom_metrics - free["custom_metrics"]) * cost["custom_metric"]
    )
    free_logs = max(0.0, logs_gb - free["logs_gb"]) * cost["logs_gb"]
    items = [
        Item("AWS", "API Gateway", gateway, gateway),
        Item("AWS", "Lambda", compute, compute),
        Item("AWS", "logs", logs, free_logs),
        Item(
            "AWS", f"{usage.alarms} alarms, {usage.custom_metrics} metrics", watching, free_watching
        ),
    ]
    if usage.snapshots:
        kept = usage.snapshots * usage.query_gb * cost["snapstart_gb_month"]
        items.append(Item("AWS", "SnapStart", kept, kept))
    return items


def awake_hours(queries: int, usage: Usage) -> float:
    """Hours a month in which the database does not sleep.

    Readers come at random over the active hours of each day; each question, and each retry, keeps
    it awake for `sleep_minutes`.
    """
    active = MONTH_H * usage.active_hours / 24
    per_hour = queries / active if active else 0.0
    asleep_by_retries = max(0.0, 1 - usage.sleep_minutes / usage.retry_minutes)
    asleep_by_readers = math.exp(-per_hour * usage.sleep_minutes / 60)
    asleep = active * asleep_by_readers * asleep_by_retries
    return MONTH_H - asleep - (MONTH_H - active) * asleep_by_retries


def stored_gb(queries: int, usage: Usage) -> float:
    """Of rows, once the retention is reached."""
    return queries / MONTH_DAYS * usage.retention_days * usage.row_bytes / GB


def _neon(queries: int, usage: Usage, cost: Mapping[str, float], free: Mapping[str, float]) -> Item:
    hours, size = awake_hours(queries, usage), stored_gb(queries, usage)
    units = hours * usage.compute_units
    paid = units * cost["neon_cu_hour"] + size * cost["neon_gb_month"]
    why = []
    if units > free["neon_cu_hours"]:
        why.append(f"{units:.0f} of {free['neon_cu_hours']:.0f} CU-hours")
    if size > free["neon_gb"]:
        why.append(f"{size:.1f} of {free['neon_gb']} GB")
    note = f"free plan too small: {', '.join(why)}" if why else "free plan suffices"
    return Item("Neon", f"{hours:.0f} h awake, {size:.2f} GB", paid, paid if why else 0.0, note)


def _qdrant(usage: Usage, cost: Mapping[str, float], free: Mapping[str, float]) -> Item:
    # Vectors twice, in the index and packed beside the chunk, and as much again for texts.
    size = usage.chunks * usage.passages * usage.dimensions * 4 * 3 / GB
    fits = size <= 0.7 * free["qdrant_gb"]
    note = "free cluster suffices, without backup or promise" if fits else "free cluster too small"
    paid = cost["qdrant_paid_month"]
    return Item(
        "Qdrant", f"{usage.chunks:,} chunks, {size:.2f} GB", paid, 0.0 if fits else paid, note
    )


QUERIES = (1_000, 10_000, 100_000, 1_000_000)
PILOT = 30_400
"""A thousand a day."""
WIDTH = 42


def plan_lines(plans: Sequence[Plan], pilot: Plan, usage: Usage) -> Iterable[str]:
    """The items of all plans side by side, the sums, the peers, and what the free plans carry."""
    prices = cloud_prices()
    yield f"Dollars a month; prices of {prices['as_of']}, {prices['unit']}"
    yield f"{'queries a month':<{WIDTH}}" + "".join(f"{plan.queries:>12,}" for plan in plans)
    for rows in zip(*(plan.items for plan in plans), strict=True):
        varies = len({row.what for row in rows}) > 1
        name = f"{rows[0].service}: {'as below' if varies else rows[0].what}"
        yield f"{name:<{WIDTH}}" + "".join(f"{row.paid:>12,.2f}" for row in rows)
    yield f"{'all, on paid plans':<{WIDTH}}" + "".join(f"{plan.paid:>12,.2f}" for plan in plans)
    yield f"{'with free plans where they do':<{WIDTH}}" + "".join(
        f"{plan.with_free:>12,.2f}" for plan in plans
    )
    yield f"{'a query, on paid plans':<{WIDTH}}" + "".join(
        f"{plan.paid / plan.queries:>12.5f}" for plan in plans
    )
    yield ""
    yield "What the free plans carry:"
    for plan in sorted([*plans, pilot], key=lambda each: each.queries):
        for item in plan.items:
            if item.note:
                yield f"  {plan.queries:>9,}  {item.service}: {item.what}: {item.note}"
    openai = sum(item.paid for item in pilot.items if item.service == "OpenAI")
    yield f"A thousand queries a day: OpenAI ${openai:,.2f} a month, all ${pilot.with_free:,.2f}."
    yield ""
    yield "Others, as published:"
    for peer in prices["peers"]:
        yield f"  ${peer['dollars']:,} {peer['name']}: {peer['what']} ({peer['source']})"
    yield ""
    yield (
        f"A query: {usage.input_tokens:,} tokens in and {usage.output_tokens} out, always written"
        f" by {usage.model}; {usage.gateway_requests:g} requests, {usage.query_seconds:g} s of a"
        f" {usage.query_gb:g} GB function; {usage.row_bytes:,} bytes kept {usage.retention_days}"
        f" days. Readers spread over {usage.active_hours:g} hours of the day."
    )
