"""`quoth eval golden`: an author's questions, asked of the book."""

from __future__ import annotations

from pathlib import Path

import click

from quoth.commands.evaluation import FILE, WriterName, chosen_writer, print_figures, with_writer
from quoth.golden.ask import FILE_NAME
from quoth.golden.evaluate import evaluate_golden


@click.command()
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option("--golden", "file", type=FILE, help="Its questions; golden.yaml of the book.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a share is out of its bounds.")
@with_writer
@click.option("--json", is_flag=True, expose_value=False, help="The last line always is JSON.")
def golden(book: Path, file: Path | None, strict: bool, writer: WriterName) -> None:
    """Does the book answer what its author wants answered, from where it says so?"""
    if not book.is_dir():
        raise click.UsageError(f"{book} is not a folder")
    file = file or book / FILE_NAME
    found = print_figures(lambda: evaluate_golden(book, file, chosen_writer(writer), click.echo))
    if strict and found["short"]:
        raise SystemExit(1)
