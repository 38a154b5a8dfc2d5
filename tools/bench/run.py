"""Runs all chunking comparisons and renders them as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.bench.chunking import Book, Losses, Speed, measure_losses, measure_speed, read_books
from tools.bench.cutters import LANGCHAIN, cutters
from tools.bench.updates import Update, edit_paragraph, measure_updates
from tools.tables import markdown_table


@dataclass(frozen=True, slots=True)
class Run:
    """Measurements of one run."""

    books: Sequence[Book]
    rounds: int
    max_words: int
    speeds: Sequence[Speed]
    losses: Sequence[Losses]
    edited: str
    updates: Sequence[Update]


def run_markdown(run: Run) -> str:
    """The run as Markdown: speed, what is lost, and what one edit costs."""
    files = sum(len(book.files) for book in run.books)
    words = sum(book.words for book in run.books)
    lines = [
        f"Books: {len(run.books)}, with {files:,} files and {words:,} words; chunks of at most"
        f" {run.max_words} words, without overlap.",
        "",
        f"**Speed**, in thousands of words per second of processor time: the median of"
        f" {run.rounds} rounds in which all take turns. The first row is the work needed to tell"
        " which chunks are new; sentences and passages are computed only for those.",
        "",
        *markdown_table(
            ["", *(book.name for book in run.books), "all", "× LangChain"], _speeds(run)
        ),
        "",
        "**What is kept.** Path: the heading path of a section's first line is given and right."
        " Code whole: in one chunk. Verbatim: with its indentation. Places: the source has the"
        " chunk's text at the given place.",
        "",
        *markdown_table(
            ["", "chunks", "path", "code whole", "code verbatim", "places"],
            [
                [
                    each.name,
                    f"{each.chunks:,}",
                    _percent(each.paths_right),
                    _percent(each.code_whole),
                    _percent(each.code_verbatim),
                    _percent(each.places_right),
                ]
                for each in run.losses
            ],
        ),
        "",
        f"**One edited paragraph** ({run.edited}): texts to embed.",
        "",
        *markdown_table(
            ["", "for the whole book", "after the edit"],
            [[each.name, f"{each.first:,}", f"{each.after_edit:,}"] for each in run.updates],
        ),
    ]
    return "\n".join(lines) + "\n"


def _speeds(run: Run) -> list[list[str]]:
    base = next(each.overall for each in run.speeds if each.name == LANGCHAIN)
    return [
        [
            each.name,
            *(f"{each.by_book[book.name] / 1000:,.0f}" for book in run.books),
            f"{each.overall / 1000:,.0f}",
            f"{each.overall / base:.2f}",
        ]
        for each in run.speeds
    ]


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.1f} %"


def run_bench(folder: Path, rounds: int, max_words: int) -> str:
    """The tables as Markdown. Raises BadRow when the folder has no Markdown files."""
    books = read_books(folder)
    compared = cutters(max_words)
    speeds = measure_speed(books, compared, rounds)
    losses = [measure_losses(books, cutter, max_words) for cutter in compared]
    edited = next((book for book in books if book.name == "rust-book"), None) or max(
        books, key=lambda book: book.words
    )
    edit = edit_paragraph(edited)
    return run_markdown(
        Run(
            books=books,
            rounds=rounds,
            max_words=max_words,
            speeds=speeds,
            losses=[each for each in losses if each],
            edited=f"{edit.path} of {edited.name}",
            updates=measure_updates(edit, max_words),
        )
    )
