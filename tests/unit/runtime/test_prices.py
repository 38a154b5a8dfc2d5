"""What model calls are counted at."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.adapters.openai.spending import counted_spending, note_usage
from functions.answer.write.writer import Usage
from functions.runtime.prices import read_prices, shipped_prices
from functions.runtime.settings import MissingSettings, read_settings

TABLE = shipped_prices()


def test_a_dated_name_has_the_price_of_its_model() -> None:
    assert TABLE.price("gpt-6-luna-2026-09-22") == TABLE.price("gpt-6-luna")
    assert TABLE.price("gpt-6-luna").cost(1_000_000, 1_000_000) == pytest.approx(0.60)


@given(st.text(max_size=30), st.integers(0, 10**7), st.integers(0, 10**7))
def test_an_unknown_model_never_counts_as_cheaper_than_a_known_one(
    name: str, read: int, written: int
) -> None:
    if not TABLE.knows(name):
        dearest = max(price.cost(read, written) for price in TABLE.models.values())
        assert TABLE.price(name).cost(read, written) >= dearest


def test_an_operators_price_takes_the_place_of_the_tables() -> None:
    table = TABLE.add(read_prices('{"own-model": {"input": 1, "output": 2}}'))
    assert table.price("own-model").cost(1_000_000, 500_000) == pytest.approx(2.0)
    assert not TABLE.knows("own-model")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"m": 1}', '{"m": {"input": -1, "output": 0}}', '{"m": {"input": 1}}']
)
def test_wrong_prices_are_refused_with_the_form_they_should_have(text: str) -> None:
    with pytest.raises(ValueError, match="price"):
        read_prices(text)


def test_a_function_with_wrong_prices_does_not_start() -> None:
    with pytest.raises(MissingSettings, match="QUOTH_MODEL_PRICES"):
        read_settings({"QUOTH_MODEL_PRICES": '{"m": 1}'})


async def test_queries_at_the_same_time_count_their_own_calls() -> None:
    async def ask(calls: int) -> int:
        with counted_spending() as spending:
            for _ in range(calls):
                await asyncio.sleep(0)
                await asyncio.gather(_call())
            return spending.input_tokens

    assert await asyncio.gather(*(ask(n) for n in range(5))) == [0, 10, 20, 30, 40]


async def _call() -> None:
    await asyncio.sleep(0)
    note_usage(Usage(10, 1, "gpt-6-luna"))
