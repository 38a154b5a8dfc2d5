"""The reader: a small model that reads a question against passages, and says whether and where
each of them answers it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

from functions.answer.context import Context, Sentence, Source
from functions.answer.deadline import Deadline

READ_SOURCES = 3
"""Sources of a context that are read; more tell the same."""
WINDOW_CHARACTERS = 600
"""Of the sentences of one passage: about 160 tokens."""
EVEN = 0.75
"""What a passage that answers says for each of its sentences, beside the span's own share: fitted
on whole books, the verdict on a passage carries over and the place of the span does so little."""
TITLES = 2
"""Headings in front of a passage, the innermost ones."""

Range = tuple[int, int]
"""Characters of a text: `text[start:end]`."""


class ReaderFailed(Exception):
    """The reader was late, unavailable or of no use: nothing was read."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to read, and the range of each of its units (sentences, rows, lines of code)."""

    text: str
    units: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader makes of one passage.

    `answerable` is a logit. `margin` is how far the best span beats "no answer". `masses` are the
    shares of the answer's span in each unit, `span` is the range of the best one in the text.
    """

    answerable: float
    margin: float
    masses: tuple[float, ...]
    span: Range


class Reader(Protocol):
    async def read(
        self, question: str, passages: Sequence[Passage], deadline: Deadline
    ) -> Sequence[Reading]:
        """A reading of each passage, in order. Raises ReaderFailed."""
        ...


async def read_context(
    question: str,
    context: Context,
    reader: Reader,
    deadline: Deadline,
    most: int = READ_SOURCES,
) -> Context:
    """The context with the readings of its first `most` sources, and of their sentences.

    Raises ReaderFailed.
    """
    read = context.sources[:most]
    windows = [each for at, source in enumerate(read) for each in windows_of(context, source, at)]
    if not windows:
        return context
    passages = [window.passage for window in windows]
    readings = await reader.read(question, passages, deadline)
    if len(readings) != len(passages):
        raise ReaderFailed(f"{len(readings)} readings of {len(passages)} passages")
    return _with_readings(context, windows, readings)


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences of one source as a passage, with its headings in front."""

    source: int
    sentences: tuple[Sentence, ...]
    passage: Passage


def windows_of(context: Context, source: Source, at: int) -> Iterator[Window]:
    """The sentences of a source in windows; each begins with the last sentence of the one before
    it, where there is room."""
    titles = source.chunk.titles[-TITLES:] if source.chunk else ()
    head = " > ".join(titles) + ". " if titles else ""
    own = [sentence for sentence in context.sentences if sentence.source == at]
    start = 0
    while start < len(own):
        end, size = start + 1, len(own[start].text)
        while end < len(own) and size + len(own[end].text) <= WINDOW_CHARACTERS:
            size += len(own[end].text)
            end += 1
        window = tuple(own[start:end])
        yield Window(at, window, _passage(head, window))
        if end == len(own):
            return
        fits = len(own[end - 1].text) + len(own[end].text) <= WINDOW_CHARACTERS
        start = end - 1 if fits and end - start > 1 else end


def _passage(head: str, sentences: Sequence[Sentence]) -> Passage:
    text, units = head, []
    for sentence in sentences:
        units.append((len(text), len(text) + len(sentence.text)))
        text += sentence.text + " "
    return Passage(text.rstrip(), tuple(units))


def _with_readings(
    context: Context, windows: Sequence[Window], readings: Sequence[Reading]
) -> Context:
    """A sentence that was read twice keeps the better reading."""
    found: dict[str, Sentence] = {}
    for window, reading in zip(windows, readings, strict=True):
        likely = 1 / (1 + math.exp(-reading.answerable))
        rows = zip(window.sentences, window.passage.units, reading.masses, strict=True)
        for sentence, unit, mass in rows:
            value = likely * (EVEN + (1 - EVEN) * mass)
            best = found.get(sentence.id)
            if best is None or best.reading is None or value > best.reading:
                span = _inside(reading.span, unit)
                found[sentence.id] = replace(sentence, reading=value, answer_span=span)
    pairs = sorted(zip(windows, readings, strict=True), key=lambda pair: pair[0].source)
    best_of_source = {
        at: max(reading.answerable for _, reading in group)
        for at, group in groupby(pairs, key=lambda pair: pair[0].source)
    }
    sources = tuple(
        replace(source, answerable=best_of_source.get(at))
        for at, source in enumerate(context.sources)
    )
    return replace(
        context,
        sources=sources,
        sentences=tuple(found.get(sentence.id, sentence) for sentence in context.sentences),
        margin=max(reading.margin for reading in readings),
    )


def _inside(span: Range, unit: Range) -> Range | None:
    """The part of the span in a unit, counted from the unit's beginning; None where they do not
    meet."""
    start, end = max(span[0], unit[0]) - unit[0], min(span[1], unit[1]) - unit[0]
    return (start, end) if start < end else None
