"""Calibrates the gate for one book: asks it, fits, and says what the thresholds would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from functions.answer.gate.confidence import BookCalibration
from functions.answer.gate.thresholds import GATE
from quoth.calibrate.book_index import Embed, open_book_index
from quoth.calibrate.fit import TooFewQuestions, carried_over, fit, marks_of
from quoth.calibrate.local_index import Indexable
from quoth.calibrate.measure import Asked, Say, ask_book, without_known_topics
from quoth.calibrate.questions import make_questions
from quoth.calibrate.tradeoff import Step, told_apart, trade_off

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
