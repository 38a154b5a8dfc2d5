"""The commands of `quoth eval` that measure Quoth: the last line printed is one JSON object."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import click

from quoth.commands.evaluation import (
    FILE,
    Figures,
    WriterName,
    chosen_writer,
    measurement,
    print_figures,
    with_writer,
)
from tools.evaluate.all import measure_all, measurements, render_page
from tools.evaluate.calibration import evaluate_near_misses, evaluate_transfer
from tools.evaluate.chapters import evaluate_chapters
from tools.evaluate.chunk_recall import evaluate_chunk_recall
from tools.evaluate.chunking import evaluate_chunking
from tools.evaluate.follow_ups import CHAINS, evaluate_follow_ups
from tools.evaluate.grounding import evaluate_grounding, evaluate_random_swaps
from tools.evaluate.highlight import evaluate_highlight
from tools.evaluate.misuse import evaluate_conduct, evaluate_injection
from tools.evaluate.reader import evaluate_golden, evaluate_reranking, evaluate_selections
from tools.evaluate.redaction import evaluate_redaction
from tools.evaluate.retrieval import evaluate_citations, evaluate_retrieval, evaluate_scope
from tools.evaluate.selected import evaluate_outside_knowledge, evaluate_selected
from tools.evaluate.source_proof import evaluate_source_proof
from tools.evaluate.topics import evaluate_topics
from tools.evaluate.verdicts import evaluate_verdicts

Work = Figures | Coroutine[Any, Any, Figures]
with_book = click.option("--book", type=FILE, required=True, help="A book's folder.")


@measurement
@click.option("--corpus", type=FILE, required=True, help="JSON Lines: id, title, text.")
@click.option("--questions", type=FILE, required=True, help="question, gold_passage_ids.")
def retrieval(corpus: Path, questions: Path) -> Work:
    """Is the right chunk among the first?"""
    return evaluate_retrieval(corpus, questions)


@measurement
@click.option("--corpus", type=FILE, help="JSON Lines: id, title, text.")
@click.option("--questions", type=FILE, help="question, gold_passage_ids.")
@click.option("--book", type=FILE, help="A book's folder with golden questions.")
@click.option("--file", type=FILE, help="passage, question, answerable.")
def reader(
    corpus: Path | None, questions: Path | None, book: Path | None, file: Path | None
) -> Work:
    """What does the reader bring: chunks of a corpus, golden questions, or selections?"""
    if corpus is not None and questions is not None:
        return evaluate_reranking(corpus, questions)
    if book is not None:
        return evaluate_golden(book)
    if file is not None:
        return evaluate_selections(file)
    raise click.UsageError("give --corpus with --questions, --book, or --file")


@measurement
@click.option("--book", type=FILE, help="A book's folder.")
@click.option("--corpus", type=FILE, help="JSON Lines: id, title, text.")
@click.option("--questions", type=FILE, required=True, help="question, in_scope.")
@with_writer
def scope(book: Path | None, corpus: Path | None, questions: Path, writer: WriterName) -> Work:
    """Is what the book cannot answer refused, and nothing else?"""
    if (book is None) == (corpus is None):
        raise click.UsageError("give either --book or --corpus")
    return evaluate_scope(book, corpus, questions, chosen_writer(writer))


@measurement
@click.option("--book", "books", type=FILE, multiple=True, help="A book's folder. Repeatable.")
def redaction(books: tuple[Path, ...]) -> Work:
    """How much personal data is masked, by kind, and what of books is?"""
    return evaluate_redaction(books)


@measurement
@click.option("--file", type=FILE, required=True, help="passage, question, answerable.")
@click.option(
    "--max-sentences", "max_quotes", type=click.IntRange(1, 10), default=3, show_default=True
)
@with_writer
def selected(file: Path, max_quotes: int, writer: WriterName) -> Work:
    """Does a selection answer only what it contains?"""
    return evaluate_selected(file, max_quotes, chosen_writer(writer))


@measurement
@click.option("--file", type=FILE, required=True, help="passage, question, book_answers.")
def selected_outside(file: Path) -> Work:
    """Is a model refused that answers from what it knows, not from the selection?"""
    return evaluate_outside_knowledge(file)


@measurement
@with_book
@click.option("--selections", type=click.IntRange(1, 100_000), default=1000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def source_proof(book: Path, selections: int, seed: int) -> Work:
    """Is a selection found in the book where it stands, and no changed one?"""
    return evaluate_source_proof(book, selections, click.echo, seed)


@measurement
@click.option("--file", type=FILE, help="JSON Lines: context, response, supported.")
@click.option("--book", type=FILE, help="A book's folder, to make the claims from.")
@with_writer
@click.option(
    "--peer/--no-peer", default=True, help="Also measure a baseline (cosine or keywords)."
)
def grounding(file: Path | None, book: Path | None, writer: WriterName, peer: bool) -> Work:
    """Does the checker tell supported claims from unsupported ones?"""
    if (file is None) == (book is None):
        raise click.UsageError("give either --file or --book")
    if book is not None and not book.is_dir():
        raise click.UsageError(f"{book} is not a folder")
    chosen = chosen_writer(writer)
    judge = chosen.judge if chosen else None
    return evaluate_grounding(file or book or Path(), judge, peer=peer)


@measurement
@click.option("--book", "books", type=FILE, multiple=True, required=True, help="A book's folder.")
@click.option("--sentences", type=click.IntRange(1), default=1000, show_default=True)
def random_swaps(books: tuple[Path, ...], sentences: int) -> Work:
    """Is a sentence shown that has two random words exchanged?"""
    return evaluate_random_swaps(books, sentences, click.echo)


@measurement
@click.option(
    "--claims", "sources", type=FILE, multiple=True, required=True, help="Rows, or a book."
)
def verdicts(sources: tuple[Path, ...]) -> Work:
    """What becomes of false claims under each verdict of a judge?"""
    return evaluate_verdicts(sources, click.echo)


@measurement
@with_book
@click.option(
    "--questions", type=FILE, required=True, help="Golden YAML, or JSON Lines: question, gold_path."
)
def topics(book: Path, questions: Path) -> Work:
    """Does each question count for the section that its author names?"""
    return evaluate_topics(book, questions)


@measurement
@with_book
def chunking(book: Path) -> Work:
    """Is a book cut into chunks without losing or breaking anything?"""
    return evaluate_chunking(book)


@measurement
@with_book
@click.option("--site", type=FILE, required=True, help="The folder of its built site.")
@click.option("--questions", type=FILE, required=True, help="JSON Lines: question.")
def citations(book: Path, site: Path, questions: Path) -> Work:
    """Do the links of citations lead to what they cite in the built site?"""
    return evaluate_citations(book, site, questions, click.echo)


@measurement
@click.option("--terms", type=FILE, required=True, help="JSON Lines: term.")
@click.option("--book", type=FILE, required=True, help="A book whose own sentences must pass.")
@click.option("--sentences", type=click.IntRange(1), default=500, show_default=True)
def conduct(terms: Path, book: Path, sentences: int) -> Work:
    """Are profanity and abuse distinguished from the subjects of books?"""
    return evaluate_conduct(terms, book, sentences)


@measurement
@click.option("--list", "file", type=FILE, required=True, help="text, label, category.")
def injection(file: Path) -> Work:
    """Do orders hidden in questions, selections and books have an effect on a model that obeys?"""
    return evaluate_injection(file)


@measurement
@click.option("--corpus-dir", type=FILE, required=True, help="Markdown files by corpus name.")
@click.option("--questions", type=FILE, required=True, help="question, corpus, references.")
@click.option("--k", type=click.IntRange(1, 100), help="Chunks to retrieve per question.")
@click.option(
    "--budget-chars", type=click.IntRange(1), help="Characters to retrieve, instead of --k."
)
def chunk_recall(
    corpus_dir: Path, questions: Path, k: int | None, budget_chars: int | None
) -> Work:
    """How much of the passages that answer is retrieved, and how little else?"""
    if k is not None and budget_chars is not None:
        raise click.UsageError("give either --k or --budget-chars")
    if k is None and budget_chars is None:
        k = 5
    return evaluate_chunk_recall(corpus_dir, questions, k=k, budget_chars=budget_chars)


@measurement
@click.option("--chains", type=FILE, default=CHAINS, help="JSON Lines: book, turns.")
@click.option(
    "--books", type=FILE, multiple=True, help="A folder of books; several times for more."
)
@click.option("--write", "page", type=click.Path(path_type=Path), help="The page to write.")
def follow_ups(chains: Path, books: tuple[Path, ...], page: Path | None) -> Work:
    """What do chains of follow-up questions get?"""
    return evaluate_follow_ups(chains, (Path(), *books), page)


@measurement
@with_book
@click.option("--ranges", type=click.IntRange(1, 100_000), default=1000, show_default=True)
def highlight(book: Path, ranges: int) -> Work:
    """Does an answer from a highlighted range stay inside it, and find what is there?"""
    return evaluate_highlight(book, ranges)


@measurement
@with_book
@click.option("--golden", type=FILE, required=True, help="Its questions, or JSON Lines: gold_path.")
def chapters(book: Path, golden: Path) -> Work:
    """What does it change that the reader's chapter is known?"""
    return evaluate_chapters(book, golden)


@measurement
@with_book
@click.option(
    "--questions",
    type=FILE,
    help="JSON Lines (question, gold_path) or golden YAML; the book's own.",
)
@click.option(
    "--chapters", type=click.IntRange(1), default=1000, help="Leave out at most this many."
)
def near_misses(book: Path, questions: Path | None, chapters: int) -> Work:
    """Is a question refused when the chapter that answers it is missing, and only then?"""
    return evaluate_near_misses(book, questions, chapters, click.echo)


@measurement
@click.option("--book", "books", type=FILE, multiple=True, required=True, help="A book's folder.")
@click.option("--questions", type=FILE, multiple=True, help="One per book, in the same order.")
def transfer(books: tuple[Path, ...], questions: tuple[Path, ...]) -> Work:
    """Does a calibration made on one book hold for the others?"""
    if len(books) < 2 or len(books) != len(questions):
        raise click.UsageError("give two books or more, and as many --questions")
    return evaluate_transfer(list(zip(books, questions, strict=True)), click.echo)


@click.command(name="all")
@click.argument("folder", type=FILE)
@click.option("--write", "page", type=FILE, help="Write the figures into this page, in Markdown.")
@click.option("--figures", type=FILE, help="Output of an earlier run, instead of measuring.")
@click.option(
    "--json", is_flag=True, expose_value=False, help="Has no effect: the last line is always JSON."
)
def everything(folder: Path, page: Path | None, figures: Path | None) -> None:
    """Measure all that FOLDER (with data/ and books/) has, beside known baselines."""
    table = measurements(folder)
    if not table:
        click.echo(f"There is no evaluation data in {folder}: nothing was measured.")
        return
    if figures is None:
        results = print_figures(lambda: measure_all(table, click.echo))
    else:
        printed = figures.read_text("utf-8").splitlines()
        results = json.loads(next(line for line in reversed(printed) if line.startswith("{")))
    if page is not None:
        kept = page.read_text("utf-8") if page.is_file() else ""
        page.write_text(render_page(table, results, kept), "utf-8")
