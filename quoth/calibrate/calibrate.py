"""Calibrates the gate for one book: asks it, fits, and says what the thresholds would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from functions.answer.gate.confidence import BookCalibration, Calibration
from functions.answer.gate.thresholds import GATE
from quoth.calibrate.fit import TooFewQuestions, as_readers_would, carried_over, fit, marks_of
from quoth.calibrate.local_index import Embed, Indexable, open_book_index
from quoth.calibrate.questions import Asked, Say, ask_book, make_questions, without_known_topics
from quoth.statistics import auroc, share

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
            f"only {len(made)} questions can be made from the book's headings and sentences, "
            f"and {LEAST_OWN} are needed: the shipped calibration stays"
        )
    async with open_book_index(chunks, vectors, embed) as book:
        asked = await ask_book(book, made, say)
    return calibrate_from(asked, shipped)


def calibrate_from(asked: Sequence[Asked], shipped: BookCalibration) -> Calibrated:
    """Fit both maps to what came of the questions. Pure; raises TooFewQuestions."""
    asked, left_out = without_known_topics(asked)
    marks = marks_of(asked)
    span = marks.own - marks.foreign
    start = carried_over(shipped.by_meaning, marks)
    fitted = BookCalibration(
        by_meaning=fit(asked, start, span, by_words=False),
        by_words=fit(asked, shipped.by_words, span, by_words=True),
    )
    return Calibrated(
        calibration=fitted,
        curve=trade_off(asked, fitted.by_meaning, span),
        shipped_curve=trade_off(asked, shipped.by_meaning, span),
        auroc=told_apart(asked, fitted.by_meaning, span),
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
