"""Is the right chunk found, what the book cannot answer refused, and do citations lead to it?"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from functions.adapters.qdrant.schema import SearchFilters
from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import BOOK
from functions.answer.gate.unknown_names import rare_words
from functions.answer.write.quote_writer import QuoteWriter
from functions.book.site.manifest import ManifestUnreadable
from functions.lifecycle.choose_writer import ChosenWriter
from functions.query.retrieval.rerank import context_of_result, ranked_hits
from quoth.calibrate.local_index import Stage, chunk_of_row, chunks_of_book, open_stage
from quoth.commands.links import resolves
from quoth.json_lines import BadRow, read_rows
from quoth.site.built import BuiltSite
from quoth.statistics import auroc, percentile, share

DEPTH = 10


async def evaluate_retrieval(corpus: Path, questions: Path) -> dict[str, Any]:
    """n, hit@1, hit@5, hit@10, mrr@10 and the CPU time of a query in ms, embedding included."""
    rows = read_rows(corpus, {"id": str, "title": str, "text": str})
    asked = read_rows(questions, {"question": str, "gold_passage_ids": list})
    ranks: list[int | None] = []
    cpu_ms: list[float] = []
    async with open_stage() as stage:
        await stage.add([chunk_of_row(row, at) for at, row in enumerate(rows)])
        for row in asked:
            started = time.process_time()
            (vector,) = await stage.embeddings.embed([row["question"]], 60.0)
            result = await stage.search.search(row["question"], vector, SearchFilters(), DEPTH)
            found = [chunk.chunk_id for chunk, _ in ranked_hits(row["question"], result)]
            cpu_ms.append((time.process_time() - started) * 1000)
            gold = set(row["gold_passage_ids"])
            ranks.append(next((at for at, name in enumerate(found, 1) if name in gold), None))
    n = len(ranks)
    return {
        "n": n,
        **{
            f"hit@{k}": share(sum(1 for rank in ranks if rank and rank <= k), n) for k in (1, 5, 10)
        },
        "mrr@10": round(sum(1 / rank for rank in ranks if rank) / n, 4) if n else 0.0,
        "cpu_ms_p50": round(percentile(cpu_ms, 0.5), 1),
    }


TOP = 5


async def evaluate_scope(
    book: Path | None, corpus: Path | None, questions: Path, writer: ChosenWriter | None = None
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


async def ask_stage(stage: Stage, question: str, writer: ChosenWriter | None = None) -> Answer:
    """Answer from the stage's index as the query function does, without its database."""
    (vector,) = await stage.embeddings.embed([question], 60.0)
    result = await stage.search.search(question, vector, SearchFilters(), 10)
    absent = await stage.search.absent_words(rare_words(question), SearchFilters())
    context = context_of_result(question, result, TOP, absent)
    chosen = writer or ChosenWriter(QuoteWriter(), "")
    until = Deadline.after(60.0)
    return await answer_from(question, context, chosen.writer, BOOK, "book", until, chosen.judge)


async def evaluate_citations(
    book: Path,
    built: Path,
    questions: Path,
    report: Callable[[str], None] = lambda _: None,
    writer: ChosenWriter | None = None,
) -> dict[str, Any]:
    """How many citations the answers have, and how many resolve.

    A citation resolves when the folder `built` has the page of its link, the page has the link's
    element, and every quote stands in the page. Links are the manifest's, where the build wrote
    one. `report` is called for each citation that does not resolve. Raises BadRow and
    NotADirectoryError.
    """
    asked = read_rows(questions, {"question": str})
    site = BuiltSite(built)
    try:
        chunks = chunks_of_book(book, site.manifest)
    except ManifestUnreadable as error:
        raise BadRow(built, 0, f"has a manifest that cannot be read: {error}") from error
    citations = resolved = 0
    async with open_stage() as stage:
        await stage.add(chunks)
        for row in asked:
            answer = await ask_stage(stage, row["question"], writer)
            for citation in answer.citations:
                citations += 1
                quotes = tuple(quote.exact for quote in citation.quotes)
                if resolves(site, citation.url, quotes):
                    resolved += 1
                else:
                    report(f"unresolved: {citation.url} ({citation.source_path}): {quotes[0]}")
    return {"citations": citations, "resolved": resolved}
