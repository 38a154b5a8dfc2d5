"""Adds up what the current query spends on models.

The clients serve many queries at once, so usage is recorded in a context variable of the calling
task.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from functions.answer.write.writer import Usage
from functions.runtime.prices import PriceTable, shipped_prices


@dataclass
class Spending:
    """The model calls of one query, including failed attempts."""

    prices: PriceTable
    calls: list[Usage] = field(default_factory=list)

    @property
    def input_tokens(self) -> int:
        return sum(call.input_tokens for call in self.calls)

    @property
    def output_tokens(self) -> int:
        return sum(call.output_tokens for call in self.calls)

    @property
    def dollars(self) -> float:
        return sum(
            self.prices.price(call.model).cost(call.input_tokens, call.output_tokens)
            for call in self.calls
        )


_current: ContextVar[Spending | None] = ContextVar("spending", default=None)


@contextmanager
def counted_spending(prices: PriceTable | None = None) -> Iterator[Spending]:
    """Count spending within the block, including tasks it starts."""
    spending = Spending(prices or shipped_prices())
    token = _current.set(spending)
    try:
        yield spending
    finally:
        _current.reset(token)


def note_usage(usage: Usage) -> None:
    """Add a call to the current query's spending, if it is counted."""
    spending = _current.get()
    if spending is not None:
        spending.calls.append(usage)
