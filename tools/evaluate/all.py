"""Every measurement over a folder of evaluation data, as one table beside known baselines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tools.evaluate.chunk_recall import evaluate_chunk_recall
from tools.evaluate.chunking import evaluate_chunking
from tools.evaluate.grounding import evaluate_grounding
from tools.evaluate.retrieval import evaluate_retrieval
from tools.evaluate.scope import evaluate_scope
from tools.evaluate.selected import evaluate_selected

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row: how it is measured, which figures are shown, and what is known of others.

    The baselines were measured on the same development sets: BM25, MiniLM and rank fusion for
    retrieval, the cosine or keyword rule for grounding, the top cosine for scope.
    """

    name: str
    run: Callable[[], Figures | Coroutine[Any, Any, Figures]]
    shown: tuple[str, ...]
    baseline: str = ""


def measurements(folder: Path) -> list[Measurement]:
    """What can be measured in a folder with `data/` and `books/`; missing files are left out."""
    data, books = folder / "data", folder / "books"
    found: list[tuple[Path, Measurement]] = []
    baselines = {
        "squad": "BM25 .840/.960, MiniLM .650/.877, RRF .752/.953",
        "openstax": "BM25 .813/.890, MiniLM .772/.919, RRF .825/.927",
    }
    for name, baseline in baselines.items():
        corpus = data / f"retrieval_{name}" / "corpus.jsonl"
        questions = corpus.with_name("questions.dev.jsonl")
        found.append(
            (
                questions,
                Measurement(
                    f"retrieval {name}",
                    partial(evaluate_retrieval, corpus, questions),
                    ("n", "hit@1", "hit@5", "hit@10", "mrr@10", "cpu_ms_p50"),
                    f"hit@1/@5: {baseline}",
                ),
            )
        )
    scope = data / "bookwide_scope_openstax.dev.jsonl"
    openstax = data / "retrieval_openstax" / "corpus.jsonl"
    found.append(
        (
            scope,
            Measurement(
                "scope openstax",
                partial(evaluate_scope, None, openstax, scope),
                ("n_in", "n_out", "false_refusal", "false_answer", "auroc"),
                "top cosine: .153 refused at .01 answered, AUROC .985",
            ),
        )
    )
    for name, sentences in (("selected_text", 1), ("selected_text", 2), ("selected_text_leak", 3)):
        file = data / f"{name}.dev.jsonl"
        found.append(
            (
                file,
                Measurement(
                    f"{name.replace('_', ' ')}, {sentences} sentences",
                    partial(evaluate_selected, file, sentences),
                    (
                        "answered",
                        "n_answerable",
                        "gold_in_quotes",
                        "refused",
                        "n_unanswerable",
                        "leaks",
                        "balanced_accuracy",
                        "auroc",
                    ),
                    "cosine to the passage: AUROC .921 (leak), .644 (adversarial)",
                ),
            )
        )
    for name, baseline in (
        ("grounding", "cosine or keywords: .550/.120/.665"),
        ("grounding_controlled", "cosine or keywords: .677/.003/.660"),
    ):
        file = data / f"{name}.dev.jsonl"
        found.append(
            (
                file,
                Measurement(
                    name.replace("_", " "),
                    partial(evaluate_grounding, file),
                    (
                        "n",
                        "fpr",
                        "fnr",
                        "balanced_accuracy",
                        "by_source",
                        "ms_p50",
                        "ms_p95",
                        "flagged",
                        "with_perfect_entailment",
                        "similarity_recipe",
                    ),
                    f"fpr/fnr/bAcc: {baseline}",
                ),
            )
        )
    chroma = data / "chroma"
    for label, chosen in (("k=5", {"k": 5}), ("9,000 characters", {"budget_chars": 9000})):
        found.append(
            (
                chroma / "questions.dev.jsonl",
                Measurement(
                    f"chunk recall, {label}",
                    partial(
                        evaluate_chunk_recall, chroma, chroma / "questions.dev.jsonl", **chosen
                    ),
                    ("recall", "precision", "iou"),
                    "best peer with BM25 at 9,000 characters: recall .916" if "9" in label else "",
                ),
            )
        )
    for book in sorted(books.iterdir()) if books.is_dir() else []:
        found.append(
            (
                book,
                Measurement(
                    f"chunking {book.name}",
                    partial(evaluate_chunking, book),
                    (
                        "files",
                        "failed",
                        "words",
                        "chunks",
                        "chunk_words_max",
                        "split_blocks",
                        "bad_spans",
                        "words_missing",
                        "markup_leaks",
                        "words_per_s",
                        "peak_rss_mb",
                    ),
                ),
            )
        )
    return [measurement for needed, measurement in found if needed.exists()]


def run_measurement(measurement: Measurement) -> Figures:
    """The figures of one measurement."""
    figures = measurement.run()
    if isinstance(figures, dict):
        return figures
    return asyncio.run(figures)
