"""Does the reader bring the right chunk, sentence and refusal to the front?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from functions.adapters.qdrant.schema import SearchFilters
from functions.answer.context import Context, context_of_chunks, context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import BOOK, SELECTION, Calibration, read_signals
from functions.answer.question import read_question
from functions.answer.reader import Passage, Reading, read_context
from functions.answer.relevance import score_sentences
from functions.answer.text.vectors import cosines
from functions.book.chunks.chunk import StoredChunk
from functions.query.retrieval.rerank import context_of_result, ranked_hits
from functions.selected.selection import split_selection
from quoth.calibrate.local_index import Stage, chunk_of_row, chunks_of_book, open_stage
from quoth.golden.ask import FILE_NAME, Placed, load_golden
from quoth.json_lines import read_rows
from quoth.reader.onnx_reader import OnnxReader
from quoth.statistics import auroc, share

DEPTH, TOP = 10, 5
WEIGHTS = (0.0, 0.3, 0.6, 1.2)
"""Of the reader beside the score without it."""
REFUSED = 0.05
"""Share of answerable questions refused where refusals are compared."""


@dataclass
class LocalReader:
    """The shipped weights in this process."""

    model: OnnxReader = field(default_factory=OnnxReader)

    async def read(
        self, question: str, passages: Sequence[Passage], deadline: Deadline
    ) -> Sequence[Reading]:
        return self.model.read(question, passages)


@dataclass(frozen=True, slots=True)
class Asked:
    """A read context, with its confidence without the reader."""

    question: str
    context: Context
    confidence: float

    @property
    def log_odds(self) -> float:
        likely = min(max(self.confidence, 1e-4), 1 - 1e-4)
        return math.log(likely / (1 - likely))


async def read_asked(
    reader: LocalReader, question: str, context: Context, calibration: Calibration
) -> Asked:
    confidence = calibration.confidence(read_signals(question, context))
    read = await read_context(question, context, reader, Deadline.after(600.0))
    return Asked(question, read, confidence)


async def evaluate_reranking(corpus: Path, questions: Path) -> dict[str, Any]:
    """hit@1 of the first ten chunks by relevance and weight of the reader."""
    rows = read_rows(corpus, {"id": str, "title": str, "text": str})
    asked = read_rows(questions, {"question": str, "gold_passage_ids": list})
    reader, hits = LocalReader(), dict.fromkeys(WEIGHTS, 0)
    async with open_stage() as stage:
        await stage.add([chunk_of_row(row, at) for at, row in enumerate(rows)])
        for row in asked:
            (vector,) = await stage.embeddings.embed([row["question"]], 60.0)
            result = await stage.search.search(row["question"], vector, SearchFilters(), DEPTH)
            ranked = ranked_hits(row["question"], result)
            for weight, first in (await first_chunks(reader, row["question"], ranked)).items():
                hits[weight] += first in row["gold_passage_ids"]
    return {f"hit@1, weight {weight}": share(hit, len(asked)) for weight, hit in hits.items()}


async def first_chunks(
    reader: LocalReader, question: str, ranked: Sequence[tuple[StoredChunk, float]]
) -> dict[float, str]:
    """The first chunk by each weight of the reader."""
    context = context_of_chunks(ranked)
    read = await read_context(question, context, reader, Deadline.after(600.0), DEPTH)
    logits = {each.chunk.chunk_id: each.answerable for each in read.sources if each.chunk}

    def likely(chunk: StoredChunk) -> float:
        logit = logits.get(chunk.chunk_id)
        return 0.0 if logit is None else 1 / (1 + math.exp(-logit))

    return {
        weight: max(ranked, key=lambda pair: pair[1] + weight * likely(pair[0]))[0].chunk_id
        if ranked
        else ""
        for weight in WEIGHTS
    }


async def evaluate_golden(book: Path) -> dict[str, Any]:
    """Golden questions: are the best sentences from the right section, is the rest refused?"""
    reader, golden = LocalReader(), load_golden(book, book / FILE_NAME).questions
    asked: list[tuple[Placed, Asked]] = []
    async with open_stage() as stage:
        await stage.add(chunks_of_book(book))
        for each in golden:
            question = each.asked.question
            (vector,) = await stage.embeddings.embed([question], 60.0)
            result = await stage.search.search(question, vector, SearchFilters(), DEPTH)
            context = context_of_result(question, result, TOP)
            asked.append((each, await read_asked(reader, question, context, BOOK)))
    return {**sentences_in_place(asked), **golden_refusals(asked)}


def sentences_in_place(asked: Sequence[tuple[Placed, Asked]]) -> dict[str, Any]:
    """How often one of the first 1 and 3 sentences is from the right section, by weight."""
    rows = [(placed, each) for placed, each in asked if placed.asked.wanted == "answer"]
    return {
        f"in place, first {most}, weight {weight}": share(
            sum(_in_place(placed, each, weight, most) for placed, each in rows), len(rows)
        )
        for most in (1, 3)
        for weight in WEIGHTS
    }


def best_sentences(asked: Asked, weight: float, most: int) -> list[int]:
    """The positions of the first sentences by score and the weight of their reading."""
    scores = score_sentences(read_question(asked.question), asked.context)
    read = [sentence.reading or 0.0 for sentence in asked.context.sentences]
    return sorted(range(len(scores)), key=lambda at: -(scores[at] + weight * read[at]))[:most]


def _in_place(placed: Placed, asked: Asked, weight: float, most: int) -> bool:
    context = asked.context
    for at in best_sentences(asked, weight, most):
        sentence = context.sentences[at]
        chunk = context.sources[sentence.source].chunk
        for place in placed.places:
            if (
                chunk is not None
                and place.source_path == chunk.source_path
                and place.first_line <= sentence.last_line
                and sentence.first_line <= place.last_line
            ):
                return True
    return False


def golden_refusals(asked: Sequence[tuple[Placed, Asked]]) -> dict[str, Any]:
    inside = [each for placed, each in asked if placed.asked.wanted == "answer"]
    outside = [each for placed, each in asked if placed.asked.kind == "near-scope"]
    return refusals(inside, outside)


def refusals(inside: Sequence[Asked], outside: Sequence[Asked]) -> dict[str, Any]:
    """AUROC, and the share of `outside` answered where REFUSED of `inside` are refused."""
    found = {}
    for weight in (0.0, 0.5, 1.0):
        high, low = (
            [each.log_odds + weight * (each.context.answerable or 0.0) for each in side]
            for side in (inside, outside)
        )
        threshold = sorted(high)[int(REFUSED * len(high))]
        found[f"AUROC, weight {weight}"] = auroc(high, low)
        found[f"answered at {REFUSED}, weight {weight}"] = share(
            sum(each >= threshold for each in low), len(low)
        )
    return found


async def evaluate_selections(file: Path) -> dict[str, Any]:
    """Is the gold answer in the best sentence of a selection, and are others refused?"""
    rows = read_rows(file, {"passage": str, "question": str, "answerable": bool})
    reader, found = LocalReader(), []
    async with open_stage() as stage:
        for row in rows:
            context = await selection_context(stage, row["passage"], row["question"])
            found.append((row, await read_asked(reader, row["question"], context, SELECTION)))
    inside = [(row, each) for row, each in found if row["answerable"]]
    outside = [each for row, each in found if not row["answerable"]]
    figures = {
        f"gold in one sentence, weight {weight}": share(
            sum(_holds_gold(row, each, weight) for row, each in inside), len(inside)
        )
        for weight in WEIGHTS
    }
    return figures | refusals([each for _, each in inside], outside)


async def selection_context(stage: Stage, passage: str, question: str) -> Context:
    parts = split_selection(passage)
    texts = [sentence.text for part in parts for sentence in part.sentences]
    asked, *given = await stage.embeddings.embed([question, *texts], 120.0)
    return context_of_selection(parts, tuple(cosines(asked, given)))


def _holds_gold(row: dict[str, Any], asked: Asked, weight: float) -> bool:
    texts = [asked.context.sentences[at].text for at in best_sentences(asked, weight, 1)]
    return any(gold in text for gold in row["gold_answers"] for text in texts)
