"""`quoth eval golden`, and what the commands of `quoth eval` share: figures, writers, errors."""

from __future__ import annotations

import asyncio
import functools
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

import click

from functions.lifecycle.choose_writer import ChosenWriter, Writers
from functions.runtime.settings import read_settings
from quoth.commands.start_stack import EXPECTED
from quoth.golden.ask import FILE_NAME, NotAsked
from quoth.golden.evaluate import evaluate_golden
from quoth.json_lines import BadRow
from quoth.models import model_settings

Figures = dict[str, Any]
WriterName = Literal["quotes", "openai"]
FILE = click.Path(path_type=Path)


class CannotMeasure(ValueError):
    """A key or a package that the measurement needs is missing. The message names it."""


BAD_INPUT: tuple[type[Exception], ...] = (
    *EXPECTED, BadRow, CannotMeasure, NotAsked,
    FileNotFoundError, IsADirectoryError, NotADirectoryError,
)  # fmt: skip

with_writer = click.option(
    "--writer",
    type=click.Choice(["quotes", "openai"]),
    default="quotes",
    show_default=True,
    help="openai: the model writes, and a model judges its paraphrases.",
)


def measurement(
    measure: Callable[..., Figures | Coroutine[Any, Any, Figures]],
) -> click.Command:
    """A command that prints the figures of `measure` as JSON in the last line."""

    @click.command()
    @click.option(
        "--json", is_flag=True, expose_value=False,
        help="Has no effect: the last line is always JSON.",
    )  # fmt: skip
    @functools.wraps(measure)
    def command(**given: Any) -> None:
        print_figures(lambda: measure(**given))

    return command


def print_figures(measure: Callable[[], Figures | Coroutine[Any, Any, Figures]]) -> Figures:
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


def chosen_writer(name: WriterName) -> ChosenWriter | None:
    """The model's writer and its judge, or None for the quote writer.

    Raises CannotMeasure without a model.
    """
    if name == "quotes":
        return None
    model = Writers.of(read_settings(model_settings(os.environ))).large
    if model is None:
        raise CannotMeasure("--writer openai needs OPENAI_API_KEY, or OPENAI_BASE_URL")
    return model


@click.command()
@click.option("--book", type=FILE, required=True, help="A book's folder.")
@click.option("--golden", "file", type=FILE, help="Default: golden.yaml of the book.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a share is out of bounds.")
@with_writer
@click.option(
    "--json", is_flag=True, expose_value=False, help="Has no effect: the last line is always JSON."
)
def golden(book: Path, file: Path | None, strict: bool, writer: WriterName) -> None:
    """Ask a book's golden questions, and count correct answers and refusals."""
    if not book.is_dir():
        raise click.UsageError(f"{book} is not a folder")
    file = file or book / FILE_NAME
    found = print_figures(lambda: evaluate_golden(book, file, chosen_writer(writer), click.echo))
    if strict and found["short"]:
        raise SystemExit(1)
