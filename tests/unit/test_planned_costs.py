"""What a month would cost: checked by hand at one size, and by what must hold at every size."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from functions.runtime.prices import shipped_prices
from quoth.commands.cost import cost
from quoth.cost.plan import (
    MONTH_H,
    Plan,
    Usage,
    awake_hours,
    cloud_prices,
    plan_month,
    stored_gb,
)

TEMPLATES = ("template.yaml", "infra/monitoring.yaml")
SIZES = st.integers(0, 10_000_000)


def plan(queries: int, **usage: float) -> Plan:
    return plan_month(queries, Usage(**usage), shipped_prices())  # type: ignore[arg-type]


def item(of: Plan, words: str) -> float:
    (found,) = (each.paid for each in of.items if words in f"{each.service} {each.what}")
    return found


def test_a_hundred_thousand_queries_by_hand() -> None:
    month = plan(100_000)
    # 3,000 tokens at $0.10 and 300 at $0.50 a million
    assert item(month, "answers") == pytest.approx(100_000 * (0.0003 + 0.00015))
    assert item(month, "Gateway") == pytest.approx(0.4)  # 400,000 requests at $1 a million
    # 360,000 GB-seconds, 5,840 retries of a second, 400,000 requests at $0.20 a million
    assert item(month, "Lambda") == pytest.approx((360_000 + 5_840) * 0.0000133334 + 0.08, abs=0.01)
    assert stored_gb(100_000, Usage()) == pytest.approx(
        100_000 / 30.4 * 90 * Usage().row_bytes / 1e9
    )
    assert month.paid == pytest.approx(sum(each.paid for each in month.items))


@given(SIZES, SIZES, st.floats(1, 24))
def test_more_queries_never_cost_less_and_free_plans_never_more(
    fewer: int, more: int, hours: float
) -> None:
    less, much = sorted((fewer, more))
    small, large = plan(less, active_hours=hours), plan(much, active_hours=hours)
    assert small.paid <= large.paid + 1e-9
    for each in large.items:
        assert 0 <= each.with_free <= each.paid


@given(SIZES, st.floats(1, 24), st.integers(2, 60))
def test_a_database_is_awake_between_never_and_always(
    queries: int, hours: float, minutes: int
) -> None:
    usage = Usage(active_hours=hours, retry_minutes=minutes)
    awake = awake_hours(queries, usage)
    assert min(5 / minutes, 1) * MONTH_H - 1e-6 <= awake <= MONTH_H + 1e-6


def test_the_free_database_carries_a_small_book_and_not_a_thousand_queries_a_day() -> None:
    def note(queries: int) -> str:
        return next(each.note for each in plan(queries).items if each.service == "Neon")

    assert note(1_000) == "free plan suffices"
    assert "CU-hours" in note(30_400)
    assert "of 0.5 GB" in note(30_400)


def test_every_price_has_its_source_and_the_date_it_was_read() -> None:
    prices = cloud_prices()
    assert date.fromisoformat(prices["as_of"]) <= date.today()
    for each in prices["prices"].values():
        assert each["dollars"] > 0
        assert each["source"]
        assert each["certainty"] in ("published", "known")
    for each in (*prices["free"].values(), *prices["peers"]):
        assert each["source"]


def test_tells_four_sizes_beside_the_others() -> None:
    done = CliRunner().invoke(cost, ["--plan"])
    assert done.exit_code == 0, done.output
    for said in ("1,000,000", "QnABot", "bedrock-chat", "free plan too small"):
        assert said in done.output
    read = json.loads(CliRunner().invoke(cost, ["--plan", "--json"]).output)
    assert [each["queries"] for each in read["plans"]] == [1_000, 10_000, 100_000, 1_000_000]
    wrong = CliRunner().invoke(cost, ["--plan", "--model", "gpt-99"])
    assert wrong.exit_code == 2
    assert "the price of gpt-99 is unknown" in wrong.output


def test_the_guide_says_what_the_free_database_carries() -> None:
    free = 100  # CU-hours a month
    hours = [awake_hours(n, Usage(retry_minutes=15)) / 4 for n in (3_400, 3_500)]
    assert hours[0] <= free < hours[1]
    assert awake_hours(0, Usage(retry_minutes=5)) / 4 == pytest.approx(182.5)
    guide = Path(__file__).resolve().parents[2] / "docs" / "guides" / "operator.md"
    text = " ".join(guide.read_text("utf-8").split())
    assert "carries about 3,400 questions a month with `RetryMinutes=15`" in text
    assert "needs 182 CU-hours at any load" in text


def test_counts_the_alarms_that_the_templates_make() -> None:
    project = Path(__file__).resolve().parents[2]
    texts = [(project / name).read_text("utf-8") for name in TEMPLATES]
    assert Usage().alarms == sum(text.count("Type: AWS::CloudWatch::Alarm") for text in texts)
