"""Fits the gate's map to one book and its embedding model, from unlabelled questions.

Two steps. First the shipped map is carried over: the cosines of questions from elsewhere and of
the book's own questions are two marks on the model's scale, and the shipped map says what lies
between them means. Then the weights are moved towards what separates the book's questions from
foreign ones and near misses, but no farther than the number of questions warrants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from functions.answer.gate.calibration import BookCalibration, Calibration, Signals
from functions.answer.gate.thresholds import GATE
from functions.runtime.plural import plural
from quoth.calibrate.local_index import Embed, Indexable, open_book_index
from quoth.calibrate.questions import (
    Asked,
    Kind,
    Say,
    ask_book,
    make_questions,
    without_known_topics,
)
from quoth.statistics import auroc, share

READER_GAP = Signals(dense=0.04, best=0.0, coverage=0.2, union=0.2, focus=0.05)
"""How much lower the signals of readers' questions are than those of questions made from the
book's own sentences (`dense` on MiniLM's scale): means over three books that have both."""
STRAYING = (0.25, 1.0, 1.75)
"""Readers differ: each made question counts as asked close to the book's words, as most would ask
it, and far from them. In shares of READER_GAP."""
REFERENCE = (0.21, 0.62)
"""The marks on MiniLM's scale that the shipped map is written in: the middle cosines of foreign
questions and of a book's own."""
LEAST_SPAN = 0.05
SHARES: Mapping[Kind, float] = {"own": 0.8, "foreign": 0.1, "near": 0.1}
"""What readers ask: mostly what the book answers. A confidence of 0.7 is one among them."""
QUESTIONS = 300.0
"""How many questions the sample counts for in all, however many were made."""
STRENGTH = 60.0
"""What the shipped weights count, in questions."""
MOST_STEPS = 60
CLOSE_ENOUGH = 1e-7

Floats = NDArray[np.float64]
NAMES = ("dense", "coverage", "focus")
SPREADS = np.array([1.0, 0.12, 0.2, 0.18])
"""How far the bias and each signal usually vary: what makes their weights comparable."""


class TooFewQuestions(ValueError):
    """The book yields too few questions to calibrate with; the shipped map is kept."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Median cosine of questions from elsewhere, and of the book's own."""

    foreign: float
    own: float


def marks_of(asked: Sequence[Asked]) -> Marks:
    """Raises TooFewQuestions when the model does not separate own questions from foreign ones."""
    own = [each.signals.dense for each in asked if each.kind == "own"]
    foreign = [each.signals.dense for each in asked if each.kind == "foreign"]
    if not own or not foreign:
        raise TooFewQuestions("there are no questions of the book's own, or none from elsewhere")
    marks = Marks(median(foreign), median(own))
    if marks.own - marks.foreign < LEAST_SPAN:
        raise TooFewQuestions(
            "the embedding model does not tell the book's own questions from foreign ones "
            f"(middle cosines {marks.own:.2f} and {marks.foreign:.2f})"
        )
    return marks


def rescaled(shipped: Calibration, marks: Marks) -> Calibration:
    """The shipped map, rescaled to this model's cosines."""
    low, high = REFERENCE
    stretch = (high - low) / (marks.own - marks.foreign)
    return replace(
        shipped,
        dense=shipped.dense * stretch,
        bias=shipped.bias + shipped.dense * (low - marks.foreign * stretch),
    )


def fit(asked: Sequence[Asked], prior: Calibration, span: float, by_words: bool) -> Calibration:
    """The map for this book, starting from `prior`. `span` is the distance between the marks.

    No weight falls below zero: a higher signal never lowers the confidence.
    """
    rows: list[list[float]] = []
    kinds: list[Kind] = []
    for each in asked:
        signals = each.by_words if by_words else each.signals
        for one in as_readers_would(signals, span) if each.kind == "own" else (signals,):
            rows.append([1.0, *(getattr(one, name) for name in NAMES)])
            kinds.append(each.kind)
    shares = np.array([QUESTIONS * SHARES[kind] / kinds.count(kind) for kind in kinds])
    wanted = np.array([kind == "own" for kind in kinds], dtype=np.float64)
    start = np.array([prior.bias, *(getattr(prior, name) for name in NAMES)])
    free = np.array([True, *(getattr(prior, name) > 0 for name in NAMES)])
    bias, *others = (float(value) for value in _newton(np.array(rows), wanted, shares, start, free))
    return replace(prior, bias=bias, **dict(zip(NAMES, (max(0.0, w) for w in others), strict=True)))


def as_readers_would(signals: Signals, span: float) -> list[Signals]:
    """The signals of a made question as if readers had asked it in words of their own."""
    stretch = span / (REFERENCE[1] - REFERENCE[0])
    return [
        replace(
            signals,
            dense=max(0.0, signals.dense - far * READER_GAP.dense * stretch),
            coverage=max(0.0, signals.coverage - far * READER_GAP.coverage),
            union=max(0.0, signals.union - far * READER_GAP.union),
            focus=max(0.0, signals.focus - far * READER_GAP.focus),
        )
        for far in STRAYING
    ]


def _newton(
    signals: Floats, wanted: Floats, shares: Floats, start: Floats, free: NDArray[np.bool_]
) -> Floats:
    """Logistic regression that is drawn towards `start`; weights that are not `free` stay."""
    pull = STRENGTH * SPREADS**2
    weights = start.copy()
    for _ in range(MOST_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(signals @ weights, -30, 30)))
        slope = signals.T @ (shares * (chance - wanted)) + pull * (weights - start)
        bend = (signals * (shares * chance * (1 - chance))[:, None]).T @ signals + np.diag(pull)
        step = np.zeros_like(weights)
        step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
        weights = weights - step
        if np.abs(step).max() < CLOSE_ENOUGH:
            break
    return weights


LEAST_OWN = 20
KINDS = ("own", "foreign", "near")


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A book's calibration, the curve of its thresholds, and the same of the shipped one."""

    calibration: BookCalibration
    curve: list[Step]
    shipped_curve: list[Step]
    auroc: dict[str, float]
    asked: dict[str, int]
    left_out_topics: list[str]

    def to_json(self) -> dict[str, Any]:
        """What the index keeps, and what the command prints last."""
        at = next(step for step in self.curve if step.threshold == GATE)
        return {
            **asdict(self.calibration),
            "questions": self.asked,
            "auroc": self.auroc,
            "at_gate": asdict(at),
        }


async def calibrate_book(
    chunks: Sequence[Indexable],
    vectors: dict[str, list[float]],
    embed: Embed,
    shipped: BookCalibration,
    say: Say = lambda _: None,
) -> Calibrated:
    """Calibrate. `vectors` are of the chunks' passages, by passage. Raises TooFewQuestions."""
    made = make_questions(each.chunk for each in chunks)
    if len(made) < LEAST_OWN:
        raise TooFewQuestions(
            f"only {plural(len(made), 'question')} can be made from the book's headings and "
            f"sentences, and {LEAST_OWN} are needed: the shipped calibration stays"
        )
    async with open_book_index(chunks, vectors, embed) as book:
        asked = await ask_book(book, made, say)
    return calibrate_from(asked, shipped)


def calibrate_from(asked: Sequence[Asked], shipped: BookCalibration) -> Calibrated:
    """Fit both maps to the signals of the questions. Pure; raises TooFewQuestions."""
    asked, left_out = without_known_topics(asked)
    marks = marks_of(asked)
    span = marks.own - marks.foreign
    start = rescaled(shipped.by_meaning, marks)
    fitted = BookCalibration(
        by_meaning=fit(asked, start, span, by_words=False),
        by_words=fit(asked, shipped.by_words, span, by_words=True),
    )
    return Calibrated(
        calibration=fitted,
        curve=trade_off(asked, fitted.by_meaning, span),
        shipped_curve=trade_off(asked, shipped.by_meaning, span),
        auroc=aurocs(asked, fitted.by_meaning, span),
        asked={
            kind: sum(each.kind == kind for each in asked) for kind in ("own", "foreign", "near")
        },
        left_out_topics=left_out,
    )


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


def aurocs(asked: Sequence[Asked], calibration: Calibration, span: float) -> dict[str, float]:
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
