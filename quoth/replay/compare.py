"""What differs between an answer and its replay, and in the book since. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from functions.answer.text.vectors import cosine

FLAGGED_ABOVE = 0.05
"""SC-010: the variance two answers to one question on one content may have."""


@dataclass(frozen=True, slots=True)
class BookChange:
    """Sentences that a chunk of a document had then and has no longer, and those in their place."""

    source_path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


def diff_answers(recorded: str, replayed: str) -> tuple[str, ...]:
    """The lines of a diff, sentence by sentence ("- …", "+ …"); empty when they are the same."""
    if recorded == replayed:
        return ()
    lines = difflib.ndiff(_lines(recorded), _lines(replayed))
    return tuple(line for line in lines if line[0] in "+-")


def variance(left: Sequence[float], right: Sequence[float]) -> float:
    """One less the cosine of two vectors, 0 (the same meaning) to 2."""
    return 1.0 - cosine(left, right) if any(left) and any(right) else 0.0


def diff_chunk(
    source_path: str, then: Sequence[str], now: Sequence[Sequence[str]]
) -> BookChange | None:
    """How a chunk's sentences changed; None when they did not.

    `then` are its sentences, `now` those of each chunk its document has today: the one most like
    it took its place.
    """
    if any(list(then) == list(chunk) for chunk in now):
        return None
    heir = max(now, key=lambda chunk: _likeness(then, chunk), default=())
    if _likeness(then, heir) == 0:
        heir = ()
    return BookChange(
        source_path,
        tuple(sentence for sentence in then if sentence not in set(heir)),
        tuple(sentence for sentence in heir if sentence not in set(then)),
    )


def _likeness(then: Sequence[str], now: Sequence[str]) -> float:
    matcher = difflib.SequenceMatcher(None, " ".join(then).split(), " ".join(now).split(), False)
    return matcher.ratio() if set(then) & set(now) or matcher.ratio() > 0.5 else 0.0


def _lines(text: str) -> list[str]:
    return [line for line in text.replace("] ", "]\n").split("\n") if line.strip()]
