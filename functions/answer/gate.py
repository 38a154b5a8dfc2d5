"""Can the context answer? A calibrated confidence, before anything is written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from functions.answer.context import Context
from functions.answer.evidence import covered, read_question, score_sentences
from functions.answer.words import terms_of

GATE = 0.7
"""Confidence below which a question is refused without a model call."""
REVIEW = 0.85
"""Confidence below which an answer is listed for review."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the gate looks at, each between 0 and about 1.

    `dense`: the best raw cosine (0 when embeddings are down). `best`: the score of the sentence
    that answers best. `coverage`: the share of the question's content in the best source;
    `union`: in all of them.
    """

    dense: float
    best: float
    coverage: float
    union: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of a logistic map from signals to confidence, fitted per embedding model."""

    bias: float
    dense: float
    best: float
    coverage: float
    union: float

    def confidence(self, signals: Signals) -> float:
        """Between 0 and 1; about the share of questions with such signals that can be answered."""
        score = (
            self.bias
            + self.dense * signals.dense
            + self.best * signals.best
            + self.coverage * signals.coverage
            + self.union * signals.union
        )
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))

    @classmethod
    def from_json(cls, values: Mapping[str, float]) -> Calibration:
        """KeyError when a weight is missing."""
        return cls(**{name: float(values[name]) for name in cls.__slots__})


# Fitted on the development sets; `quoth calibrate` replaces the book's by its own.
BOOK = Calibration(bias=-7.0, dense=8.0, best=2.0, coverage=4.0, union=0.0)
BOOK_BY_WORDS = Calibration(bias=-5.0, dense=0.0, best=2.0, coverage=6.0, union=0.0)
SELECTION = Calibration(bias=-8.6, dense=0.0, best=9.4, coverage=0.0, union=4.1)
SELECTION_BY_WORDS = Calibration(bias=-5.0, dense=0.0, best=4.0, coverage=0.0, union=4.0)


def read_signals(question: str, context: Context) -> Signals:
    """Measure a context against a question. Pure; a few milliseconds."""
    asked = read_question(question)
    by_source: dict[int, set[str]] = {}
    for sentence in context.sentences:
        words = by_source.setdefault(sentence.source, set())
        words.update(terms_of(sentence.text))
        for title in context.titles(sentence):
            words.update(terms_of(title))
    everything = frozenset[str]().union(*by_source.values()) if by_source else frozenset[str]()
    return Signals(
        dense=context.dense or 0.0,
        best=max(score_sentences(asked, context), default=0.0),
        coverage=max((covered(asked, frozenset(w)) for w in by_source.values()), default=0.0),
        union=covered(asked, everything),
    )
