"""`quoth calibrate`: fit what counts as answerable to one book and its embedding model."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path

import click

from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.adapters.openai.embeddings import (
    Embeddings,
    EmbeddingsMismatch,
    EmbeddingsRejected,
    EmbeddingsUnavailable,
)
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database, DatabaseRejected, DatabaseUnavailable
from functions.answer.gate.calibration import BookCalibration
from functions.answer.gate.thresholds import GATE
from functions.ingest.embed import embed_passages
from functions.ingest.prepare import passage_hash
from functions.runtime.plural import plural
from functions.runtime.settings import MissingSettings, Settings, read_settings
from quoth.calibrate.calibrate import Calibrated, TooFewQuestions, calibrate_book
from quoth.calibrate.local_index import Indexable, chunks_of_book
from quoth.commands.progress import console
from quoth.commands.start_stack import check_book, plain_errors
from quoth.json_lines import BadRow
from quoth.parts import running_parts
from quoth.stack import function_settings
from quoth.store import DEFAULT_BOOK, store_of

DATABASE_SECONDS = 15.0
FAILURES = (
    BadRow, DatabaseRejected, DatabaseUnavailable, EmbeddingsMismatch,
    EmbeddingsRejected, EmbeddingsUnavailable, MissingSettings, SecretUnavailable, TooFewQuestions,
)  # fmt: skip


@click.command()
@click.argument("book", type=click.Path(path_type=Path), default=DEFAULT_BOOK)
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@click.option(
    "--deployed", is_flag=True, help="The book of a deployment; QUOTH_… variables name its parts."
)
@click.option("--dry-run", is_flag=True, help="Print the figures and change nothing.")
@click.option("--reset", is_flag=True, help="Restore the shipped calibration.")
def calibrate(book: Path, data: Path | None, deployed: bool, dry_run: bool, reset: bool) -> None:
    """Fit the refusal threshold to BOOK and its embedding model.

    No labelled questions are needed: the book is asked questions made from its own headings and
    sentences, questions from elsewhere, and each chapter's questions with the chapter left out.
    The result is stored with the index and applies at once. BOOK must have been ingested. Prints
    what each threshold would refuse and answer; the last line is JSON.
    """
    if dry_run and reset:
        raise click.UsageError("--dry-run changes nothing, so there is nothing to --reset")
    check_book(book)
    with plain_errors(*FAILURES):
        if deployed:
            asyncio.run(_run(read_settings(os.environ), book, dry_run, reset))
        else:
            _run_here(book, data, dry_run, reset)


def _run_here(book: Path, data: Path | None, dry_run: bool, reset: bool) -> None:
    store = store_of(book, data)
    with store.held(), running_parts(store.folder) as parts:
        settings = function_settings(book, parts, os.environ)["ingest"]
        asyncio.run(_run(settings, book, dry_run, reset))


async def _run(settings: Settings, book: Path, dry_run: bool, reset: bool) -> None:
    settings.require("database_url")
    database = Database(secret(settings, "database_url"), size=1)
    embeddings = Embeddings(
        settings.embeddings_base_url,
        secret(settings, "openai_api_key") or "embedded",
        settings.embedding_model,
        settings.embedding_dimensions,
        patient=True,
    )
    records = BookRecords(database)
    try:
        await _check_index(records, settings)
        if reset:
            await _keep(records, None)
            click.echo("The shipped calibration holds again.")
            return
        found = await _calibrate(records, embeddings, settings, chunks_of_book(book))
        for line in table_of(found):
            click.echo(line)
        if not dry_run:
            await _keep(records, found)
        click.echo(json.dumps(found.to_json() | {"stored": not dry_run}))
    finally:
        await embeddings.close()
        await database.close()


async def _check_index(records: BookRecords, settings: Settings) -> None:
    state = await records.index_state(seconds=DATABASE_SECONDS)
    if not state.embedding_model:
        raise click.ClickException("The book is not indexed: run `quoth ingest` or `quoth up`.")
    if (state.embedding_model, state.dimensions) != (
        settings.embedding_model,
        settings.embedding_dimensions,
    ):
        raise click.ClickException(
            f"The book is indexed with {state.embedding_model} ({state.dimensions} dimensions), "
            f"the settings name {settings.embedding_model} ({settings.embedding_dimensions})."
        )


async def _calibrate(
    records: BookRecords, embeddings: Embeddings, settings: Settings, chunks: Sequence[Indexable]
) -> Calibrated:
    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return await embeddings.embed(texts, settings.ingest_seconds)

    with console.status("Calibrating …") as status:
        passages = [passage for each in chunks for passage in each.passages]
        known = await embed_passages(
            passages,
            records,
            embeddings,
            f"{settings.embedding_model}@{settings.embedding_dimensions}",
            settings.ingest_seconds,
        )
        return await calibrate_book(
            chunks,
            {passage: known.by_hash[passage_hash(passage)] for passage in passages},
            embed,
            BookCalibration.shipped(settings.embedding_model),
            lambda doing: status.update(f"Calibrating: {doing} …"),
        )


async def _keep(records: BookRecords, found: Calibrated | None) -> None:
    state = await records.index_state(seconds=DATABASE_SECONDS)
    await records.set_index_state(
        embedding_model=state.embedding_model,
        dimensions=state.dimensions,
        collection=state.collection,
        calibration=found.to_json() if found else None,
        seconds=DATABASE_SECONDS,
    )


def table_of(found: Calibrated) -> list[str]:
    """The trade-off as a table, beside that of the shipped calibration."""
    lines = [
        f"{plural(found.asked['own'], 'question')} made from the book, "
        f"{found.asked['foreign']} from elsewhere, "
        f"{found.asked['near']} asked without their chapter."
    ]
    if found.left_out_topics:
        lines.append(f"The book treats {', '.join(found.left_out_topics)}: not asked as foreign.")
    lines.append("threshold  own refused  foreign answered  near misses answered   (shipped)")
    for own, shipped in zip(found.curve, found.shipped_curve, strict=True):
        mark = "  <- the gate" if own.threshold == GATE else ""
        lines.append(
            f"{own.threshold:9.2f}  {own.false_refusal:11.3f}  {own.foreign_answered:16.3f}  "
            f"{own.near_answered:20.3f}   ({shipped.false_refusal:.3f} "
            f"{shipped.foreign_answered:.3f} {shipped.near_answered:.3f}){mark}"
        )
    return lines
