"""Proportions with their confidence intervals. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_Z = 1.959963984540054
"""Two-sided, 95 %."""


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`. `value` is the share (0 to 1), `low` and `high` its Wilson interval at 95 %;
    all three None where there is nothing to have a share of. In a share `of_strata` they are
    weighted, and `value` need not be `count` / `of`."""

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

    @classmethod
    def of_strata(cls, strata: Sequence[tuple[int, int, int]]) -> Share:
        """The share of a whole of which parts were sampled apart: (count, of, size) of each part.

        `value` weights the parts by their sizes, the interval combines their Wilson intervals
        (MOVER: Zou and Donner, 2008). A part without a sample is taken to be like the others.
        """
        sampled = [(cls.of_counts(count, of), max(size, of)) for count, of, size in strata if of]
        whole = cls.of_counts(sum(s.count for s, _ in sampled), sum(s.of for s, _ in sampled))
        if len(sampled) < 2:
            return whole
        total = sum(size for _, size in sampled)
        parts = [_scaled(share, size / total) for share, size in sampled]
        value, low, high = _added(parts)
        return cls(whole.count, whole.of, value, max(0.0, low), min(1.0, high))


Bounded = tuple[float, float, float]
"""A value with its lower and upper bound."""


def _scaled(share: Share, by: float) -> Bounded:
    return by * (share.value or 0.0), by * (share.low or 0.0), by * (share.high or 0.0)


def _added(parts: Sequence[Bounded]) -> Bounded:
    value = sum(part[0] for part in parts)
    below = math.hypot(*(part[0] - part[1] for part in parts))
    above = math.hypot(*(part[2] - part[0] for part in parts))
    return value, value - below, value + above


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

    @classmethod
    def from_strata(cls, strata: Sequence[tuple[int, int, int]]) -> Estimate:
        """The same of a whole of which parts were sampled apart: (of, found, known) of each part. A
        part without a sample is taken to be like the others."""
        of, found, known = (sum(part[at] for part in strata) for at in range(3))
        pooled = cls.from_sample(of, found, known)
        parts = [cls.from_sample(*part) for part in strata if part[0] or part[2]]
        bounds = [
            (part.value, part.low, part.high)
            for part in parts
            if part.value is not None and part.low is not None and part.high is not None
        ]
        if len(bounds) < max(2, len(parts)):
            return pooled
        sample = Share.of_strata([(found, known, of) for of, found, known in strata])
        return cls(of, sample, *_added(bounds))
