"""What the query at hand has spent on models, whoever called them and however often.

The clients outlive a query and serve many at once, so what they use is noted in the context of the
task that called them.
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
    """The calls of one query, those of failed tries too."""

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
    """Count what is spent while the block runs, in the tasks started within it too."""
    spending = Spending(prices or shipped_prices())
    token = _current.set(spending)
    try:
        yield spending
    finally:
        _current.reset(token)


def note_usage(usage: Usage) -> None:
    """Add a call to the query at hand, if one is counted."""
    spending = _current.get()
    if spending is not None:
        spending.calls.append(usage)
