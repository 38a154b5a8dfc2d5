"""`quoth eval …`: one JSON object as the last line, whatever else is printed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import click

from quoth.evaluate.chunk_recall import evaluate_chunk_recall
from quoth.evaluate.chunking import evaluate_chunking
from quoth.evaluate.citations import evaluate_citations
from quoth.evaluate.everything import measurements, run_measurement
from quoth.evaluate.grounding import evaluate_grounding
from quoth.evaluate.retrieval import evaluate_retrieval
from quoth.evaluate.rows import BadRow
from quoth.evaluate.scope import evaluate_scope
from quoth.evaluate.selected import evaluate_selected
from quoth.evaluate.writers import NoKey, WriterName, chosen_writer

FILE = click.Path(path_type=Path)
Figures = dict[str, Any]


@click.group(name="eval")
def evaluate() -> None:
    """Measure quality on question sets. Shares are 0 to 1, counts are integers."""


def _print(measure: Callable[[], Figures | Coroutine[Any, Any, Figures]]) -> None:
    """Run a measurement and print its figures. Bad input exits with 2 and says where."""
    try:
        figures = measure()
        if not isinstance(figures, dict):
            figures = asyncio.run(figures)
    except (BadRow, NoKey, FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        click.echo(f"quoth eval: {error}", err=True)
        raise SystemExit(2) from error
    click.echo(json.dumps(figures))


with_writer = click.option(
    "--writer",
    type=click.Choice(["quotes", "openai"]),
    default="quotes",
    show_default=True,
    help="openai: the model writes, and judges the claims that the rules flag.",
)
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Taken for clarity: the last line always is JSON."
)


@evaluate.command()
@click.option("--corpus", type=FILE, required=True, help="JSON Lines: id, title, text.")
@click.option("--questions", type=FILE, required=True, help="question, gold_passage_ids.")
@as_json
def retrieval(corpus: Path, questions: Path, as_json: bool) -> None:
    """Is the right chunk among the first?"""
    _print(lambda: evaluate_retrieval(corpus, questions))


@evaluate.command()
@click.option("--book", type=FILE, help="A book's folder.")
@click.option("--corpus", type=FILE, help="JSON Lines: id, title, text.")
@click.option("--questions", type=FILE, required=True, help="question, in_scope.")
@with_writer
@as_json
def scope(
    book: Path | None, corpus: Path | None, questions: Path, writer: WriterName, as_json: bool
) -> None:
    """Is what the book cannot answer refused, and nothing else?"""
    if (book is None) == (corpus is None):
        raise click.UsageError("give either --book or --corpus")
    _print(lambda: evaluate_scope(book, corpus, questions, chosen_writer(writer)))


@evaluate.command()
@click.option("--file", type=FILE, required=True, help="passage, question, answerable.")
@click.option("--max-sentences", type=click.IntRange(1, 10), default=3, show_default=True)
@with_writer
@as_json
def selected(file: Path, max_sentences: int, writer: WriterName, as_json: bool) -> None:
    """Does a selection answer only what stands in it?"""
    _print(lambda: evaluate_selected(file, max_sentences, chosen_writer(writer)))


@evaluate.command()
@click.option("--file", type=FILE, required=True, help="context, response, supported.")
@with_writer
@as_json
def grounding(file: Path, writer: WriterName, as_json: bool) -> None:
    """Does the checker tell supported claims from unsupported ones?"""
    _print(lambda: evaluate_grounding(file, chosen_writer(writer)))


@evaluate.command()
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@as_json
def chunking(book: Path, as_json: bool) -> None:
    """Is a book cut into chunks without losing or breaking anything?"""
    _print(lambda: evaluate_chunking(book))


@evaluate.command()
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option("--site", type=FILE, required=True, help="The folder of its built site.")
@click.option("--questions", type=FILE, required=True, help="JSON Lines: question.")
@as_json
def citations(book: Path, site: Path, questions: Path, as_json: bool) -> None:
    """Do the links of citations lead to what they cite in the built site?"""
    _print(lambda: evaluate_citations(book, site, questions, click.echo))


@evaluate.command(name="chunk-recall")
@click.option("--corpus-dir", type=FILE, required=True, help="Markdown files by corpus name.")
@click.option("--questions", type=FILE, required=True, help="question, corpus, references.")
@click.option("--k", type=click.IntRange(1, 100), help="Chunks a question retrieves.")
@click.option("--budget-chars", type=click.IntRange(1), help="Characters instead of --k.")
@as_json
def chunk_recall(
    corpus_dir: Path, questions: Path, k: int | None, budget_chars: int | None, as_json: bool
) -> None:
    """How much of the passages that answer is retrieved, and how little else?"""
    if k is not None and budget_chars is not None:
        raise click.UsageError("give either --k or --budget-chars")
    if k is None and budget_chars is None:
        k = 5
    _print(lambda: evaluate_chunk_recall(corpus_dir, questions, k=k, budget_chars=budget_chars))


@evaluate.command(name="all")
@click.argument("folder", type=FILE)
@as_json
def everything(folder: Path, as_json: bool) -> None:
    """Measure all that FOLDER (with data/ and books/) has, beside known baselines."""
    table = measurements(folder)
    if not table:
        click.echo(f"There is no evaluation data in {folder}: nothing was measured.")
        return
    results: Figures = {}
    for measurement in table:
        try:
            figures = run_measurement(measurement)
        except BadRow as error:
            click.echo(f"quoth eval: {error}", err=True)
            raise SystemExit(2) from error
        results[measurement.name] = figures
        shown = "  ".join(f"{name} {figures[name]}" for name in measurement.shown)
        click.echo(f"{measurement.name}\n    {shown}")
        if measurement.baseline:
            click.echo(f"    others: {measurement.baseline}")
    click.echo(json.dumps(results))
