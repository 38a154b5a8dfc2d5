"""One run of all comparisons."""

from __future__ import annotations

from pathlib import Path

from tools.bench.cutters import cutters
from tools.bench.losses import measure_losses
from tools.bench.report import Run, run_markdown
from tools.bench.speed import measure_speed, read_books
from tools.bench.updates import edit_paragraph, measure_updates


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
