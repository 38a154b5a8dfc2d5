"""Does the index bring the right chunk up?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from functions.adapters.qdrant.schema import SearchFilters
from functions.query.retrieval.rerank import ranked_hits
from quoth.calibrate.local_index import chunk_of_row, open_stage
from quoth.json_lines import read_rows
from quoth.statistics import percentile, share

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
