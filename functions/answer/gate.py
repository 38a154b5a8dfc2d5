"""Can the context answer? A calibrated confidence, before anything is written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from functions.answer.context import Context
from functions.answer.evidence import covered, read_question, score_words
from functions.answer.words import terms_of

GATE = 0.7
"""Confidence below which a question is refused without a model call."""
REVIEW = 0.85
"""Confidence below which an answer is listed for review."""
WORDS_SHARE = 0.6
"""What a sentence's words count beside its cosine."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the gate looks at.

    `dense`: the best raw cosine (0 when embeddings are down). `best`: how well the best single
    sentence fits, by its words and, where known, its cosine (0 to 1.6). `coverage`: the share of
    the question's content in the best source; `union`: in all of them (0 to 1).
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
BOOK = Calibration(bias=-13.5, dense=21.36, best=0.0, coverage=9.12, union=0.0)
BOOK_BY_WORDS = Calibration(bias=-6.7, dense=0.0, best=0.0, coverage=13.76, union=0.0)
SELECTION = Calibration(bias=-8.35, dense=-4.71, best=16.72, coverage=0.0, union=0.0)
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
        best=max(
            (
                WORDS_SHARE * words + (context.similarities[at] if context.similarities else 0.0)
                for at, words in enumerate(score_words(asked, context))
            ),
            default=0.0,
        ),
        coverage=max((covered(asked, frozenset(w)) for w in by_source.values()), default=0.0),
        union=covered(asked, everything),
    )
