"""Reads contexts with a reader that finds a word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from functions.answer.context import Context, Sentence, Source
from functions.answer.deadline import Deadline
from functions.answer.reader import (
    EVEN,
    READ_SOURCES,
    WINDOW_CHARACTERS,
    Passage,
    ReaderFailed,
    Reading,
    read_context,
)

SOON = Deadline.after(60)


@dataclass
class WordReader:
    """Finds the question in a passage; its units share nothing else."""

    passages: list[Passage] = field(default_factory=list)

    async def read(
        self, question: str, passages: Sequence[Passage], deadline: Deadline
    ) -> Sequence[Reading]:
        self.passages += passages
        return [self._read(question, passage) for passage in passages]

    def _read(self, word: str, passage: Passage) -> Reading:
        at = passage.text.find(word)
        logit = 2.0 if at >= 0 else -2.0
        masses = tuple(float(start <= at < end) for start, end in passage.units)
        return Reading(logit, 2 * logit, masses, (max(at, 0), max(at, 0) + len(word)))


def sentence(source: int, number: int, text: str) -> Sentence:
    return Sentence(f"S{source + 1}.{number}", text, source, "paragraph", number, number, 1, 1)


def context_of(*texts: Sequence[str]) -> Context:
    sentences = [
        sentence(source, number, text)
        for source, each in enumerate(texts)
        for number, text in enumerate(each, 1)
    ]
    return Context(tuple(Source("selection", 1.0) for _ in texts), tuple(sentences))


async def test_the_sentence_that_answers_has_the_reading_and_the_span() -> None:
    context = context_of(["Robots walk.", "They fall at night."], ["Nothing is here."])
    read = await read_context("fall", context, WordReader(), SOON)
    likely, unlikely = 1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2))
    wanted = [EVEN * likely, likely, EVEN * unlikely]
    assert [each.reading for each in read.sentences] == pytest.approx(wanted)
    assert read.by_id["S1.2"].answer_span == (5, 9)
    assert read.by_id["S1.1"].answer_span is None
    assert [source.answerable for source in read.sources] == [2.0, -2.0]
    assert (read.answerable, read.margin) == (2.0, 4.0)
    assert (context.answerable, context.margin) == (None, None)


async def test_units_are_the_sentences_in_the_text() -> None:
    reader = WordReader()
    context = context_of(["Robots walk.", "They fall at night."])
    await read_context("fall", context, reader, SOON)
    (passage,) = reader.passages
    assert [passage.text[start:end] for start, end in passage.units] == [
        each.text for each in context.sentences
    ]


async def test_a_long_source_is_read_in_windows_that_share_a_sentence() -> None:
    texts = [f"Sentence {number} of the long source{' so' * 40}." for number in range(12)]
    reader = WordReader()
    await read_context("7", context_of(texts), reader, SOON)
    shown = [
        [passage.text[start:end] for start, end in passage.units] for passage in reader.passages
    ]
    assert all(sum(map(len, each)) <= WINDOW_CHARACTERS for each in shown)
    assert all(before[-1] == after[0] for before, after in pairwise(shown))
    assert list(dict.fromkeys(text for each in shown for text in each)) == texts


async def test_a_sentence_longer_than_a_window_is_read_alone() -> None:
    texts = ["Short one.", "long " * 300, "Last one."]
    reader = WordReader()
    await read_context("Last", context_of(texts), reader, SOON)
    assert [len(passage.units) for passage in reader.passages] == [1, 1, 1]


async def test_only_the_first_sources_are_read() -> None:
    context = context_of(*(["A robot walks."] for _ in range(READ_SOURCES + 1)))
    read = await read_context("walks", context, WordReader(), SOON)
    assert [each.reading is None for each in read.sentences] == [False] * READ_SOURCES + [True]
    assert read.sources[-1].answerable is None


async def test_an_empty_context_needs_no_reader() -> None:
    reader = WordReader()
    empty = Context((), ())
    assert await read_context("walks", empty, reader, SOON) == empty
    assert reader.passages == []


class ShortReader(WordReader):
    async def read(
        self, question: str, passages: Sequence[Passage], deadline: Deadline
    ) -> Sequence[Reading]:
        return (await super().read(question, passages, deadline))[1:]


async def test_readings_of_other_passages_are_refused() -> None:
    with pytest.raises(ReaderFailed, match="0 readings of 1"):
        await read_context("walks", context_of(["A robot walks."]), ShortReader(), SOON)
