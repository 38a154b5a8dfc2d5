"""Measures the shipped weights on the rows held out from training."""

from __future__ import annotations

import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from quoth.model_files import cpu_session
from tools.reader.rows import Row, Rows


def report(rows: Path, weights: Path) -> None:
    """Print AUROC of "answerable", and how often the best token lies in the span, by source."""
    session = cpu_session(weights)
    by_source: dict[str, list[tuple[bool, float, float | None]]] = defaultdict(list)
    started, count = time.process_time(), 0
    for row in Rows.load(rows).held_out():
        answerable, start, _ = session.run(None, _inputs(row))
        inside = _is_inside(start[0], row) if row.answerable and row.first >= 0 else None
        group = row.source.split()[0]
        for name in {group, row.source if group == "documentation" else group}:
            by_source[name].append((row.answerable, float(answerable[0]), inside))
        count += 1
    print(f"{(time.process_time() - started) / count * 1000:.1f} ms a pair on one core")
    for name, found in sorted(by_source.items()):
        wanted, logits = [each[0] for each in found], [each[1] for each in found]
        hits = [each[2] for each in found if each[2] is not None]
        print(
            f"{name:28} {len(found):5} rows, answerable AUROC {roc_auc_score(wanted, logits):.3f},"
            f" span found {np.mean(hits):.3f} of {len(hits)}"
        )


def _inputs(row: Row) -> dict[str, Any]:
    ids = row.ids.astype(np.int64)[None]
    types = (np.arange(ids.shape[1]) >= row.passage).astype(np.int64)[None]
    return {"ids": ids, "mask": np.ones_like(ids), "types": types}


def _is_inside(start: Any, row: Row) -> float:
    at = row.passage + int(np.argmax(start[row.passage : len(row.ids) - 1]))
    return float(row.first <= at <= row.last)
