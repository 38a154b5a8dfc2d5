"""What each threshold would refuse and let in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from functions.answer.gate.confidence import Calibration
from quoth.calibrate.fit import as_readers_would
from quoth.calibrate.measure import Asked
from quoth.statistics import auroc, share

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Step:
    """Shares (0 to 1): the book's own questions that are refused, and others that are answered."""

    threshold: float
    false_refusal: float
    foreign_answered: float
    near_answered: float


def trade_off(
    asked: Sequence[Asked],
    calibration: Calibration,
    span: float,
    thresholds: Sequence[float] = THRESHOLDS,
) -> list[Step]:
    """The curve. The book's own questions count as a reader would ask them."""
    of = _confidences(asked, calibration, span)
    return [
        Step(
            at,
            share(sum(each < at for each in of["own"]), len(of["own"])),
            share(sum(each >= at for each in of["foreign"]), len(of["foreign"])),
            share(sum(each >= at for each in of["near"]), len(of["near"])),
        )
        for at in thresholds
    ]


def told_apart(asked: Sequence[Asked], calibration: Calibration, span: float) -> dict[str, float]:
    """AUROC of own questions against foreign ones and against near misses."""
    of = _confidences(asked, calibration, span)
    return {kind: auroc(of["own"], of[kind]) for kind in ("foreign", "near")}


def _confidences(
    asked: Sequence[Asked], calibration: Calibration, span: float
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"own": [], "foreign": [], "near": []}
    for each in asked:
        found[each.kind] += [
            calibration.confidence(one)
            for one in (
                as_readers_would(each.signals, span) if each.kind == "own" else (each.signals,)
            )
        ]
    return found
