"""Proportions with their confidence intervals. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z = 1.959963984540054
"""Two-sided, 95 %."""


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`. `value` is the share (0 to 1), `low` and `high` its Wilson interval at 95 %;
    all three None where there is nothing to have a share of."""

    count: int
    of: int
    value: float | None
    low: float | None
    high: float | None

    @classmethod
    def of_counts(cls, count: int, of: int) -> Share:
        """The proportion of two counts, `count` at most `of`."""
        if of == 0:
            return cls(count, of, None, None, None)
        share = count / of
        spread = 1 + _Z * _Z / of
        middle = (share + _Z * _Z / (2 * of)) / spread
        half = _Z / spread * math.sqrt(share * (1 - share) / of + _Z * _Z / (4 * of * of))
        # Rounding must not move the bounds out of [0, 1].
        low = 0.0 if count == 0 else max(0.0, middle - half)
        high = 1.0 if count == of else min(1.0, middle + half)
        return cls(count, of, share, low, high)


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many of `of` have a property, estimated from the `known` ones, which were reviewed.

    `sample` is the share among those. `value`, `low` and `high` count the known ones as they are
    and the others by the sample and its interval; None while none has been reviewed.
    """

    of: int
    sample: Share
    value: float | None
    low: float | None
    high: float | None

    @property
    def known(self) -> int:
        return self.sample.of

    @classmethod
    def from_sample(cls, of: int, found: int, known: int) -> Estimate:
        """`known` of `of` were examined; `found` of those have the property."""
        sample = Share.of_counts(found, known)
        if sample.value is None or sample.low is None or sample.high is None:
            return cls(of, sample, None, None, None)
        rest = max(0, of - known)
        low, value, high = (found + rest * s for s in (sample.low, sample.value, sample.high))
        return cls(of, sample, value, low, high)
