"""Does the gate let in what the book answers, and nothing else?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from functions.adapters.qdrant.schema import SearchFilters
from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.deadline import Deadline
from functions.answer.gate.confidence import BOOK
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Writer
from functions.query.retrieval.rerank import context_of_result
from quoth.calibrate.local_index import Stage, chunk_of_row, chunks_of_book, open_stage
from quoth.json_lines import read_rows
from quoth.statistics import auroc, share

TOP = 5


async def evaluate_scope(
    book: Path | None, corpus: Path | None, questions: Path, writer: Writer | None = None
) -> dict[str, Any]:
    """n_in, n_out, false_refusal, false_answer at the shipped threshold, and the AUROC."""
    asked = read_rows(questions, {"question": str, "in_scope": bool})
    if corpus is not None:
        rows = read_rows(corpus, {"id": str, "title": str, "text": str})
        chunks = [chunk_of_row(row, at) for at, row in enumerate(rows)]
    elif book is not None:
        chunks = chunks_of_book(book)
    else:
        raise ValueError("either a book or a corpus is needed")
    async with open_stage() as stage:
        await stage.add(chunks)
        answers = [await ask_stage(stage, row["question"], writer) for row in asked]
    inside = [a for a, row in zip(answers, asked, strict=True) if row["in_scope"]]
    outside = [a for a, row in zip(answers, asked, strict=True) if not row["in_scope"]]
    return {
        "n_in": len(inside),
        "n_out": len(outside),
        "false_refusal": share(sum(a.status == "refused" for a in inside), len(inside)),
        "false_answer": share(sum(a.status != "refused" for a in outside), len(outside)),
        "auroc": auroc([a.confidence for a in inside], [a.confidence for a in outside]),
    }


async def ask_stage(stage: Stage, question: str, writer: Writer | None = None) -> Answer:
    """Answer from the stage's index as the query function does, without its database."""
    (vector,) = await stage.embeddings.embed([question], 60.0)
    result = await stage.search.search(question, vector, SearchFilters(), 10)
    context = context_of_result(question, result, TOP)
    return await answer_from(
        question, context, writer or QuoteWriter(), BOOK, "book", Deadline.after(60.0)
    )
