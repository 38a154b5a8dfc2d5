"""`quoth eval …`: one JSON object as the last line, whatever else is printed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import click

from quoth.commands.start_stack import EXPECTED
from quoth.golden.ask import FILE_NAME as GOLDEN_FILE
from quoth.golden.ask import NotAsked
from quoth.golden.evaluate import evaluate_golden
from quoth.json_lines import BadRow
from tools.evaluate.all import measurements, run_measurement
from tools.evaluate.chapters import evaluate_chapters
from tools.evaluate.chunk_recall import evaluate_chunk_recall
from tools.evaluate.chunking import evaluate_chunking
from tools.evaluate.citations import evaluate_citations
from tools.evaluate.conduct import evaluate_conduct
from tools.evaluate.grounding import evaluate_grounding
from tools.evaluate.highlight import evaluate_highlight
from tools.evaluate.injection import evaluate_injection
from tools.evaluate.near_misses import evaluate_near_misses
from tools.evaluate.outside_knowledge import evaluate_outside_knowledge
from tools.evaluate.retrieval import evaluate_retrieval
from tools.evaluate.scope import evaluate_scope
from tools.evaluate.selected import evaluate_selected
from tools.evaluate.source_proof import evaluate_source_proof
from tools.evaluate.topics import NoPeer, evaluate_topics
from tools.evaluate.transfer import evaluate_transfer
from tools.evaluate.writers import NoKey, WriterName, chosen_writer

FILE = click.Path(path_type=Path)
BAD_INPUT = (
    *EXPECTED, BadRow, NoKey, NoPeer, NotAsked,
    FileNotFoundError, IsADirectoryError, NotADirectoryError,
)  # fmt: skip
Figures = dict[str, Any]


@click.group(name="eval")
def evaluate() -> None:
    """Measure quality on question sets. Shares are 0 to 1, counts are integers."""


def _print(measure: Callable[[], Figures | Coroutine[Any, Any, Figures]]) -> Figures:
    """Run a measurement and print its figures. Bad input exits with 2 and says where."""
    try:
        figures = measure()
        if not isinstance(figures, dict):
            figures = asyncio.run(figures)
    except BAD_INPUT as error:
        click.echo(f"quoth eval: {error}", err=True)
        raise SystemExit(2) from error
    click.echo(json.dumps(figures))
    return figures


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


@evaluate.command(name="selected-outside")
@click.option("--file", type=FILE, required=True, help="passage, question, book_answers.")
@as_json
def selected_outside(file: Path, as_json: bool) -> None:
    """Is a model refused that answers from what it knows, not from the selection?"""
    _print(lambda: evaluate_outside_knowledge(file))


@evaluate.command(name="source-proof")
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option("--selections", type=click.IntRange(1, 100_000), default=1000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@as_json
def source_proof(book: Path, selections: int, seed: int, as_json: bool) -> None:
    """Is a selection found in the book where it stands, and no changed one?"""
    _print(lambda: evaluate_source_proof(book, selections, click.echo, seed))


@evaluate.command()
@click.option("--file", type=FILE, required=True, help="context, response, supported.")
@with_writer
@click.option("--peer/--no-peer", default=True, help="Measure cosine or keywords beside it.")
@as_json
def grounding(file: Path, writer: WriterName, peer: bool, as_json: bool) -> None:
    """Does the checker tell supported claims from unsupported ones?"""
    _print(lambda: evaluate_grounding(file, chosen_writer(writer), peer=peer))


@evaluate.command()
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option("--golden", type=FILE, required=True, help="Golden questions with their sections.")
@as_json
def topics(book: Path, golden: Path, as_json: bool) -> None:
    """Are questions about one part of the book put into one topic?"""
    _print(lambda: evaluate_topics(book, golden))


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


@evaluate.command()
@click.option("--terms", type=FILE, required=True, help="JSON Lines: term.")
@click.option("--book", type=FILE, required=True, help="A book whose own sentences must pass.")
@click.option("--sentences", type=click.IntRange(1), default=500, show_default=True)
@as_json
def conduct(terms: Path, book: Path, sentences: int, as_json: bool) -> None:
    """Are profanity and abuse told from the subjects of books?"""
    _print(lambda: evaluate_conduct(terms, book, sentences))


@evaluate.command()
@click.option("--list", "file", type=FILE, required=True, help="text, label, category.")
@as_json
def injection(file: Path, as_json: bool) -> None:
    """Do orders hidden in questions, selections and books have an effect on a model that obeys?"""
    _print(lambda: evaluate_injection(file))


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


@evaluate.command()
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option("--ranges", type=click.IntRange(1, 100_000), default=1000, show_default=True)
@as_json
def highlight(book: Path, ranges: int, as_json: bool) -> None:
    """Does an answer from a highlighted range stay inside it, and find what stands there?"""
    _print(lambda: evaluate_highlight(book, ranges))


@evaluate.command()
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option("--golden", "file", type=FILE, help="Its questions; golden.yaml of the book.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a share is out of its bounds.")
@with_writer
@as_json
def golden(book: Path, file: Path | None, strict: bool, writer: WriterName, as_json: bool) -> None:
    """Does the book answer what its author wants answered, from where it says so?"""
    if not book.is_dir():
        raise click.UsageError(f"{book} is not a folder")
    file = file or book / GOLDEN_FILE
    found = _print(lambda: evaluate_golden(book, file, chosen_writer(writer), click.echo))
    if strict and found["short"]:
        raise SystemExit(1)


@evaluate.command()
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option("--golden", type=FILE, required=True, help="Its questions, or JSON Lines: gold_path.")
@as_json
def chapters(book: Path, golden: Path, as_json: bool) -> None:
    """What does it change that the reader's chapter is known?"""
    _print(lambda: evaluate_chapters(book, golden))


@evaluate.command(name="near-misses")
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option(
    "--questions",
    type=FILE,
    help="JSON Lines (question, gold_path) or golden YAML; the book's own.",
)
@click.option("--chapters", type=click.IntRange(1), default=1000, help="Leave out at most so many.")
@as_json
def near_misses(book: Path, questions: Path | None, chapters: int, as_json: bool) -> None:
    """Is a question refused when the chapter that answers it is missing, and only then?"""
    _print(lambda: evaluate_near_misses(book, questions, chapters, click.echo))


@evaluate.command()
@click.option("--book", "books", type=FILE, multiple=True, required=True, help="A book's folder.")
@click.option("--questions", type=FILE, multiple=True, help="For each book, in the same order.")
@as_json
def transfer(books: tuple[Path, ...], questions: tuple[Path, ...], as_json: bool) -> None:
    """Does a calibration made on one book hold for the others?"""
    if len(books) < 2 or len(books) != len(questions):
        raise click.UsageError("give two books or more, and as many --questions")
    _print(lambda: evaluate_transfer(list(zip(books, questions, strict=True)), click.echo))


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
