"""`quoth preview`: what a change of the book would do to the index and to answers."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import click

from functions.runtime.settings import MissingSettings
from quoth.commands.start_stack import check_book, plain_errors
from quoth.commands.stored_book import StoredBook, database_errors, with_database_url
from quoth.golden.ask import FILE_NAME as GOLDEN_FILE
from quoth.golden.ask import NotAsked
from quoth.golden.check import GoldenPreview, preview_golden
from quoth.golden.evaluate import line_of
from quoth.golden.grade import Judged
from quoth.json_lines import BadRow
from quoth.preview.diff import Change, Lost, Preview, Verdict, preview_change
from quoth.preview.load import ReadFolder, read_folder, read_store

SHOWN_QUOTE = 80
MARKS: dict[Verdict, str] = {"new": "+", "changed": "~", "moved": ">", "rebuilt": "=", "gone": "-"}


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--book", type=click.Path(path_type=Path), help="Whose index; FOLDER when left out.")
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@with_database_url
@click.option("--golden", type=click.Path(path_type=Path), help="golden.yaml of FOLDER else.")
@click.option("--no-golden", is_flag=True, help="Ask no golden questions.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def preview(
    folder: Path,
    book: Path | None,
    data: Path | None,
    database_url: str | None,
    golden: Path | None,
    no_golden: bool,
    as_json: bool,
) -> None:
    """Say what taking FOLDER in would change, cost and make unanswerable. Changes nothing.

    Its golden questions are asked of FOLDER indexed aside, and compared with what came of them
    when the book was last taken in.
    """
    folder = check_book(folder)
    file = golden or folder / GOLDEN_FILE
    asking = not no_golden and (golden is not None or file.is_file())
    stored = StoredBook(folder, data, database_url)
    if not database_url:
        stored = replace(stored, book=check_book(book or folder))
    with plain_errors(BadRow, NotAsked, MissingSettings), database_errors():
        read = asyncio.run(read_folder(folder, os.environ))
        with stored.database() as address:
            found = _compared(read, address)
            history = None if stored.url else stored.store.folder
            asked = preview_golden(folder, file, history, address) if asking else GoldenPreview()
    if as_json:
        click.echo(json.dumps(_as_json(found, read, asked), ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join([*_as_lines(found, read), *_golden_lines(asked)]))


def _compared(read: ReadFolder, address: str) -> Preview:
    stored = read_store(address, read.pages)
    return preview_change(stored.pages, read.pages, stored.known, stored.answered, read.text)


def _as_lines(found: Preview, read: ReadFolder) -> Iterator[str]:
    yield _counted("Documents", found.documents)
    yield from (_change_line(change) for change in found.documents)
    yield _counted("Sections", found.sections)
    yield from (_change_line(change) for change in found.sections)
    cost = found.cost
    yield (
        f"To store: {cost.documents} documents, {cost.chunks} chunks; "
        f"{cost.computed} embeddings computed, {cost.reused} reused; about {cost.tokens:,} tokens, "
        f"${cost.dollars:.6f} with text-embedding-3-small"
    )
    unanswerable = sum(lost.is_unanswerable for lost in found.lost)
    yield f"Answers: {unanswerable} lose all they cite, {len(found.lost) - unanswerable} a part"
    yield from (_lost_line(lost) for lost in found.lost)
    yield from (f"Left out: {path}: {reason}" for path, reason in read.skipped)


def _counted(kind: str, changes: tuple[Change, ...]) -> str:
    counts = Counter(change.verdict for change in changes)
    return f"{kind}: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in MARKS)


def _change_line(change: Change) -> str:
    place = " › ".join([change.source_path, *change.titles])
    origin = f" (from {change.came_from})" if change.came_from else ""
    return f"  {MARKS[change.verdict]} {place}{origin}"


def _lost_line(lost: Lost) -> str:
    mark = "-" if lost.is_unanswerable else "~"
    quote = lost.missing[0]
    shown = quote if len(quote) <= SHOWN_QUOTE else quote[: SHOWN_QUOTE - 1] + "…"
    return f"  {mark} {lost.answered.question} ({lost.answered.asked_at}): “{shown}”"


def _golden_lines(asked: GoldenPreview) -> Iterator[str]:
    if not asked.judged:
        return
    known = f"; {asked.compared} were asked before" if asked.compared else "; none asked before"
    yield f"Golden questions: {len(asked.failing)} of {len(asked.judged)} fail{known}"
    yield f"Answered before, not any more: {len(asked.lost)}"
    yield from (line_of(each) for each in asked.lost)


def _as_json(found: Preview, read: ReadFolder, asked: GoldenPreview) -> dict[str, object]:
    lost = [asdict(each) | {"unanswerable": each.is_unanswerable} for each in found.lost]
    return asdict(found) | {
        "cost": asdict(found.cost) | {"dollars": found.cost.dollars},
        "lost": lost,
        "golden": {
            "asked": len(asked.judged),
            "failing": [_golden_json(each) for each in asked.failing],
            "lost": [_golden_json(each) for each in asked.lost],
        },
        "skipped": [{"source_path": path, "reason": reason} for path, reason in read.skipped],
    }


def _golden_json(judged: Judged) -> dict[str, object]:
    return {"line": judged.asked.line, "question": judged.asked.question, "why": judged.why}
