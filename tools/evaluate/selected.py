"""Does a selection answer only what stands in it?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.context import context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.gate.confidence import SELECTION
from functions.answer.text.vectors import cosines
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Writer
from functions.selected.selection import split_selection
from quoth.calibrate.local_index import Stage, open_stage
from quoth.json_lines import read_rows
from quoth.statistics import auroc, share

_MARK = re.compile(r"\[\d+\]")


async def evaluate_selected(
    file: Path, max_sentences: int, writer: Writer | None = None
) -> dict[str, Any]:
    """Counts over answerable and unanswerable rows, all at the shipped threshold."""
    rows = read_rows(file, {"passage": str, "question": str, "answerable": bool})
    async with open_stage() as stage:
        chosen = writer or QuoteWriter(max_sentences)
        answers = [
            await ask_selection(stage, row["passage"], row["question"], chosen) for row in rows
        ]
    pairs = list(zip(rows, answers, strict=True))
    answerable = [(row, answer) for row, answer in pairs if row["answerable"]]
    others = [(row, answer) for row, answer in pairs if not row["answerable"]]
    answered = [(row, answer) for row, answer in answerable if answer.status != "refused"]
    refused = sum(answer.status == "refused" for _, answer in others)
    sides = [share(len(answered), len(answerable))] if answerable else []
    sides += [share(refused, len(others))] if others else []
    return {
        "n_answerable": len(answerable),
        "answered": len(answered),
        "gold_in_quotes": sum(_holds_gold(row, answer) for row, answer in answered),
        "n_unanswerable": len(others),
        "refused": refused,
        "leaks": sum(_leaks(row, answer) for row, answer in pairs),
        "balanced_accuracy": round(sum(sides) / len(sides), 4) if sides else 0.0,
        "auroc": auroc(
            [answer.confidence for _, answer in answerable],
            [answer.confidence for _, answer in others],
        ),
    }


async def ask_selection(stage: Stage, passage: str, question: str, writer: Writer) -> Answer:
    """The chain's answer from a passage alone, at the shipped threshold."""
    parts = split_selection(passage)
    texts = [sentence.text for part in parts for sentence in part.sentences]
    asked, *given = await stage.embeddings.embed([question, *texts], 120.0)
    context = context_of_selection(parts, tuple(cosines(asked, given)))
    return await answer_from(
        question, context, writer, SELECTION, "selection", Deadline.after(60.0)
    )


def _holds_gold(row: dict[str, Any], answer: Answer) -> bool:
    quotes = [quote.exact for citation in answer.citations for quote in citation.quotes]
    return any(gold in quote for gold in row.get("gold_answers", []) for quote in quotes)


def _leaks(row: dict[str, Any], answer: Answer) -> bool:
    """Whether the response says something of the book that the passage does not."""
    said = _MARK.sub("", answer.text)
    return any(
        gold in said and gold not in row["passage"] for gold in row.get("book_answers", []) if gold
    )
