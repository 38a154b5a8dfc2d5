"""A plan of costs as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quoth.cost.planned import Plan, Usage, cloud_prices

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
