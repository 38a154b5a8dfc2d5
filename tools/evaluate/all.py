"""Every measurement over a folder of evaluation data, beside known baselines, and as a page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tools.evaluate.chunk_recall import evaluate_chunk_recall
from tools.evaluate.chunking import evaluate_chunking
from tools.evaluate.grounding import evaluate_grounding
from tools.evaluate.proof_tables import proof_tables
from tools.evaluate.retrieval import evaluate_retrieval, evaluate_scope
from tools.evaluate.selected import evaluate_selected
from tools.tables import markdown_table

Figures = dict[str, Any]

SHOWN = {
    "retrieval": "n hit@1 hit@5 hit@10 mrr@10 cpu_ms_p50",
    "scope": "n_in n_out false_refusal false_answer auroc",
    "selected": "answered n_answerable gold_in_quotes refused n_unanswerable leaks"
    " balanced_accuracy auroc",
    "grounding": "n fpr fnr balanced_accuracy by_source ms_p50 ms_p95 with_yes_sayer"
    " with_perfect_entailment similarity_recipe",
    "chunk-recall": "recall precision iou",
    "chunking": "files failed words chunks chunk_words_max split_blocks bad_spans words_missing"
    " markup_leaks words_per_s peak_rss_mb",
}
"""The figures shown of each command of `quoth eval`."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One row: the command that measures it, the data it needs, and what is known of others.

    The baselines were measured on the same development sets: BM25, MiniLM and rank fusion for
    retrieval, the cosine or keyword rule for grounding, the top cosine for scope.
    """

    name: str
    command: str
    data: Path
    run: Callable[[], Figures | Coroutine[Any, Any, Figures]]
    baseline: str = ""

    @property
    def shown(self) -> list[str]:
        """The names of the figures to print."""
        return SHOWN[self.command].split()


def measurements(folder: Path) -> list[Measurement]:
    """What can be measured in a folder with `data/` and `books/`; missing files are left out."""
    data, books = folder / "data", folder / "books"
    every = [*_retrieval(data), *_selected(data), *_grounding(data, books), *_chunks(data, books)]
    return [each for each in every if each.data.exists()]


def measure_all(table: Sequence[Measurement], say: Callable[[str], None]) -> Figures:
    """The figures of each measurement by its name; `say` is told of each as it ends."""
    results: Figures = {}
    for each in table:
        work = each.run()
        figures = work if isinstance(work, dict) else asyncio.run(work)
        results[each.name] = figures
        shown = "  ".join(f"{name} {figures[name]}" for name in each.shown)
        say(f"{each.name}\n    {shown}")
        if each.baseline:
            say(f"    others: {each.baseline}")
    return results


def _retrieval(data: Path) -> Iterator[Measurement]:
    for name, baseline in (
        ("squad", "BM25 .840/.960, MiniLM .650/.877, RRF .752/.953"),
        ("openstax", "BM25 .813/.890, MiniLM .772/.919, RRF .825/.927"),
    ):
        corpus = data / f"retrieval_{name}" / "corpus.jsonl"
        questions = corpus.with_name("questions.dev.jsonl")
        yield Measurement(
            f"retrieval {name}",
            "retrieval",
            questions,
            partial(evaluate_retrieval, corpus, questions),
            f"hit@1/@5: {baseline}",
        )
    scope = data / "bookwide_scope_openstax.dev.jsonl"
    yield Measurement(
        "scope openstax",
        "scope",
        scope,
        partial(evaluate_scope, None, data / "retrieval_openstax" / "corpus.jsonl", scope),
        "top cosine: .153 refused at .01 answered, AUROC .985",
    )


def _selected(data: Path) -> Iterator[Measurement]:
    for name, sentences in (("selected_text", 1), ("selected_text", 2), ("selected_text_leak", 3)):
        file = data / f"{name}.dev.jsonl"
        yield Measurement(
            f"{name.replace('_', ' ')}, {sentences} sentences",
            "selected",
            file,
            partial(evaluate_selected, file, sentences),
            "cosine to the passage: AUROC .921 (leak), .644 (adversarial)",
        )


CLAIMS = Path(__file__).with_name("claims")
HELD_OUT = frozenset({"openstax-psychology-md", "physical-ai-toolchain-docs"})
"""Books whose claims nobody reads who works on the checker."""


def _grounding(data: Path, books: Path) -> Iterator[Measurement]:
    for name, baseline in (
        ("grounding", "cosine or keywords: .550/.120/.665"),
        ("grounding_controlled", "cosine or keywords: .677/.003/.660"),
    ):
        file = data / f"{name}.dev.jsonl"
        yield Measurement(
            name.replace("_", " "),
            "grounding",
            file,
            partial(evaluate_grounding, file),
            f"fpr/fnr/bAcc: {baseline}",
        )
    for name in ("by_hand", "by_hand_held_out"):
        file = CLAIMS / f"{name}.json"
        yield Measurement(
            f"claims {name.replace('_', ' ').replace(' held out', ' (held out)')}",
            "grounding",
            file,
            partial(evaluate_grounding, file),
        )
    for book in sorted(books.iterdir()) if books.is_dir() else []:
        yield Measurement(
            f"claims of {book.name}{' (held out)' if book.name in HELD_OUT else ''}",
            "grounding",
            book,
            partial(evaluate_grounding, book),
        )


def _chunks(data: Path, books: Path) -> Iterator[Measurement]:
    corpus = data / "chroma"
    questions = corpus / "questions.dev.jsonl"
    yield Measurement(
        "chunk recall, k=5",
        "chunk-recall",
        questions,
        partial(evaluate_chunk_recall, corpus, questions, k=5),
    )
    yield Measurement(
        "chunk recall, 9,000 characters",
        "chunk-recall",
        questions,
        partial(evaluate_chunk_recall, corpus, questions, budget_chars=9000),
        "best peer with BM25 at 9,000 characters: recall .916",
    )
    for book in sorted(books.iterdir()) if books.is_dir() else []:
        yield Measurement(
            f"chunking {book.name}", "chunking", book, partial(evaluate_chunking, book)
        )


HEAD = """\
# Measurements

Output of `quoth eval`, without a key, on the embedded parts. Shares are 0 to 1; "others" were
measured on the same sets.
"""
GENERATED = """\
Generated by `make eval WRITE=1`; do not edit. Times are medians in milliseconds of processor time,
on two cores without a GPU.
"""
OF_THE_RUN = ("ms_p95", "words_per_s", "peak_rss_mb")
"""Figures that say more of the machine and its load than of Quoth: printed, not on the page."""


def render_page(table: Sequence[Measurement], results: Figures, page: str = "") -> str:
    """The page with a section for each command that was measured. `results` are figures by the
    name of their measurement; sections of `page` that belong to other commands stay."""
    head, *others = re.split(r"^(?=## )", page or HEAD, flags=re.MULTILINE)
    sections = {section.partition("\n")[0]: section.rstrip("\n") for section in others}
    for command in dict.fromkeys(each.command for each in table):
        measured = [each for each in table if each.command == command and each.name in results]
        if measured:
            title = f"## eval {command}"
            lines = [title, "", GENERATED, *_section(measured, results)]
            sections[title] = "\n".join(lines)
    return "\n\n".join([head.rstrip("\n"), *sections.values()]) + "\n"


def _section(measured: Sequence[Measurement], results: Figures) -> Iterator[str]:
    nested = {
        name for each in measured for name, value in results[each.name].items()
        if isinstance(value, dict)
    }  # fmt: skip
    columns = [name for name in measured[0].shown if name not in (*nested, *OF_THE_RUN)]
    others = any(each.baseline for each in measured)
    yield from markdown_table(
        ["set", *columns, *(["others"] if others else [])],
        [
            [name, *(_text(figures.get(column)) for column in columns), *([said] if others else [])]
            for each in measured
            for name, figures, said in _rows(each, results[each.name], columns)
        ],
    )
    for each in measured:
        for name in each.shown:
            parts = results[each.name].get(name)
            if isinstance(parts, dict) and parts and not set(parts) & set(columns):
                yield f"\n{each.name}, {name.replace('_', ' ')}:\n"
                yield from markdown_table([*parts], [[_text(value) for value in parts.values()]])
    kinds = {each.name: results[each.name].get("kinds", {}) for each in measured}
    yield from proof_tables(kinds)


def _rows(
    measurement: Measurement, figures: Figures, columns: Sequence[str]
) -> Iterator[tuple[str, Figures, str]]:
    """The measurement, and what was measured beside it in the same run."""
    yield measurement.name, figures, measurement.baseline
    for name in measurement.shown:
        beside = figures.get(name)
        if isinstance(beside, dict) and set(beside) & set(columns):
            yield f"{measurement.name}, {name.replace('_', ' ')}", beside, ""


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else str(value)
