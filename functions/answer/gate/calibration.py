"""Can the context answer? A calibrated confidence, before anything is written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from functions.answer.context import Context
from functions.answer.gate.unknown_names import unknown_names
from functions.answer.question import read_question
from functions.answer.relevance import coverages, covered, score_words

WORDS_SHARE = 0.6
"""What a sentence's words count beside its cosine."""
UNKNOWN = -15.0
"""The weight of an unknown name in a book's calibration: more than all others together, a veto."""
ACROSS_LANGUAGES = 0.5
"""The coverage assumed of a question in another language: between that of questions that a book
answers and of near misses."""
FOCUS_SCALE = 0.15
"""How much less relevant a source is that counts 1/e of the best one towards the focus."""


MOST_SURE = 4.0
READER_BIAS, GATE_SHARE, ANSWERABLE = 2.0, 0.6, 0.7
"""A logistic map of the gate's own score, bounded, and the reader's logit (stacked generalisation,
Wolpert 1992): for any book's calibration, as both are logits."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the gate looks at.

    `dense`: the best raw cosine (0 when embeddings are down). `best`: how well the best single
    sentence fits, by its words and, where known, its cosine (0 to 1.6). `coverage`: the share of
    the question's content in the best source; `union`: in all of them (0 to 1). `focus`: the share
    of what was found that is in one chapter and on one page (0 to 1; 0 in a selection). A book that
    treats a subject does so in one part; one that only mentions it does so in many.
    `unknown`: whether the question asks after a name that is nowhere in the sources, or a rare word
    that is nowhere in the book. `answerable`: the reader's best logit, None where nothing was read.
    """

    dense: float
    best: float
    coverage: float
    union: float
    focus: float = 0.0
    unknown: bool = False
    answerable: float | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of a logistic map from signals to confidence, fitted per embedding model.

    `answerable` is the weight of the reader's logit where there is one; 0: it is not heard.
    """

    bias: float
    dense: float
    best: float
    coverage: float
    union: float
    focus: float = 0.0
    unknown: float = 0.0
    answerable: float = 0.0

    def confidence(self, signals: Signals) -> float:
        """Between 0 and 1; about the share of questions with such signals that can be answered."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.score(signals)))))

    def score(self, signals: Signals) -> float:
        """The log odds of the confidence."""
        score = (
            self.bias
            + self.dense * signals.dense
            + self.best * signals.best
            + self.coverage * signals.coverage
            + self.union * signals.union
            + self.focus * signals.focus
        )
        if signals.answerable is not None and self.answerable:
            bounded = max(-MOST_SURE, min(MOST_SURE, score))
            score = READER_BIAS + GATE_SHARE * bounded + self.answerable * signals.answerable
        return score + self.unknown * signals.unknown

    def across_languages(self) -> Calibration:
        """The map for a question in another language than the book's: its words say nothing, and
        the reader knows one language."""
        bias = self.bias + self.coverage * ACROSS_LANGUAGES
        return replace(self, bias=bias, coverage=0.0, answerable=0.0)

    @classmethod
    def from_json(cls, values: Mapping[str, float]) -> Calibration:
        """KeyError when a weight is missing, save `unknown` and `answerable`: what was kept before
        they were has the shipped ones."""
        given = {"unknown": UNKNOWN, "answerable": ANSWERABLE} | dict(values)
        return cls(**{name: float(given[name]) for name in cls.__slots__})


# Fitted on several books together; `quoth calibrate` replaces a book's by its own.
BOOK = Calibration(
    -14.65,
    dense=16.0,
    best=0.0,
    coverage=9.6,
    union=0.0,
    focus=4.8,
    unknown=UNKNOWN,
    answerable=ANSWERABLE,
)
"""For all-MiniLM-L6-v2."""
BOOK_BY_WORDS = Calibration(
    -5.9,
    dense=0.0,
    best=0.0,
    coverage=6.43,
    union=0.0,
    focus=4.63,
    unknown=UNKNOWN,
    answerable=ANSWERABLE,
)
"""For when the question has no vector."""
BOOK_UNMEASURED = Calibration(
    -9.6,
    dense=7.1,
    best=0.0,
    coverage=8.0,
    union=0.0,
    focus=4.7,
    unknown=UNKNOWN,
    answerable=ANSWERABLE,
)
"""For models nobody has measured here, `text-embedding-3-small` among them: half the words' map,
half MiniLM's, carried over to the scale those cosines are said to have (.14 for a foreign question,
.60 for one of the book's). `quoth calibrate` measures it."""
MEASURED = "all-MiniLM-L6-v2"
SELECTION = Calibration(bias=-8.35, dense=-4.71, best=16.72, coverage=0.0, union=0.0)
TASK = Calibration(bias=3.0, dense=0.0, best=0.0, coverage=0.0, union=0.0)
"""For a question that names nothing of its own: what it asks for is in the selection, or its writer
finds none."""
SELECTION_BY_WORDS = Calibration(bias=-5.0, dense=0.0, best=4.0, coverage=0.0, union=4.0)


@dataclass(frozen=True, slots=True)
class BookCalibration:
    """A book's two maps: for questions with a vector, and without."""

    by_meaning: Calibration
    by_words: Calibration

    def of(self, by_meaning: bool) -> Calibration:
        return self.by_meaning if by_meaning else self.by_words

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> BookCalibration:
        """KeyError when a map or a weight is missing."""
        return cls(
            Calibration.from_json(values["by_meaning"]), Calibration.from_json(values["by_words"])
        )

    @classmethod
    def shipped(cls, embedding_model: str) -> BookCalibration:
        """What holds until the book is calibrated."""
        return cls(BOOK if embedding_model == MEASURED else BOOK_UNMEASURED, BOOK_BY_WORDS)


def read_signals(question: str, context: Context) -> Signals:
    """Measure a context against a question. Pure; a few milliseconds."""
    asked = read_question(question)
    by_source = coverages(asked, context.words_by_source, context.vocabulary)
    return Signals(
        dense=context.dense or 0.0,
        best=max(
            (
                WORDS_SHARE * words + (sentence.similarity or 0.0)
                for sentence, words in zip(
                    context.sentences, score_words(asked, context), strict=True
                )
            ),
            default=0.0,
        ),
        coverage=max(by_source, default=0.0),
        union=covered(asked, context.vocabulary),
        focus=_focus(context),
        unknown=bool(unknown_names(question, context)),
        answerable=context.answerable,
    )


def _focus(context: Context) -> float:
    """The concentration of the sources in one chapter and on one page, weighted by relevance."""
    chunks = [each for source in context.sources for each in source.chunks]
    if not chunks:
        return 0.0
    top = max(relevance for _, relevance in chunks)
    chapters: dict[str, float] = {}
    pages: dict[str, float] = {}
    for chunk, relevance in chunks:
        counts = math.exp((relevance - top) / FOCUS_SCALE)
        chapters[chunk.chapter.id] = chapters.get(chunk.chapter.id, 0.0) + counts
        pages[chunk.document_id] = pages.get(chunk.document_id, 0.0) + counts
    return (max(chapters.values()) + max(pages.values())) / (2 * sum(pages.values()))
