"""The cost of model calls, from the price table in `prices.json`.

Discounts for cached input are ignored, so the cost is never understated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens."""

    input: float
    output: float

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


@dataclass(frozen=True)
class PriceTable:
    """Prices by model. A dated name ("gpt-6-luna-2026-09-22") has the price of its model.

    A model that is not in the table has the highest price in it, so that its cost counts towards
    the budget; `add` sets its real price.
    """

    models: Mapping[str, Price]

    def knows(self, model: str) -> bool:
        return self._name_of(model) is not None

    def price(self, model: str) -> Price:
        """The price of a model; the highest price for an unknown one."""
        name = self._name_of(model)
        if name is not None:
            return self.models[name]
        return Price(
            max(price.input for price in self.models.values()),
            max(price.output for price in self.models.values()),
        )

    def add(self, models: Mapping[str, Price]) -> PriceTable:
        return PriceTable({**self.models, **models})

    def _name_of(self, model: str) -> str | None:
        matches = [name for name in self.models if model == name or model.startswith(f"{name}-")]
        return max(matches, key=len, default=None)


@cache
def shipped_prices() -> PriceTable:
    """The price table that ships with Quoth."""
    table = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return PriceTable({name: Price(**price) for name, price in table["models"].items()})


def read_prices(text: str) -> dict[str, Price]:
    """Parse prices such as `{"my-model": {"input": 0.1, "output": 0.4}}`. Raises ValueError."""
    try:
        given = json.loads(text)
        prices = {
            str(name): Price(float(price["input"]), float(price["output"]))
            for name, price in given.items()
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(
            'prices are JSON: {"model": {"input": dollars, "output": dollars}} per million tokens'
        ) from error
    if any(not 0 <= each < float("inf") for p in prices.values() for each in (p.input, p.output)):
        raise ValueError("a price is a number of dollars, 0 or more")
    return prices
