"""`quoth preview`: what a change of the book would do to the index and to answers."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click
import psycopg

from functions.adapters.aws.object_store import ObjectStore, ObjectTooLarge, StoredObject
from functions.book.markdown.parse import MAX_BYTES, UnreadableDocument
from functions.ingest.compose import layout_of
from functions.ingest.prepare import passage_hash, prepare_document, reason_to_leave_out
from functions.ingest.site_manifest import Manifests, read_chapter_title
from functions.runtime.plural import plural
from functions.runtime.settings import MissingSettings, read_settings
from quoth.book_files import markdown_files
from quoth.book_layout import layout_settings
from quoth.commands.start_stack import check_book, plain_errors
from quoth.commands.stored_book import StoredBook, database_errors, with_database_url
from quoth.golden.ask import FILE_NAME as GOLDEN_FILE
from quoth.golden.ask import NotAsked
from quoth.golden.evaluate import GoldenPreview, line_of, preview_golden
from quoth.golden.grade import Judged
from quoth.json_lines import BadRow
from quoth.preview import Answered, Change, Lost, Page, Piece, Preview, Verdict, preview_change

CONNECT_SECONDS = 10
MOST_ANSWERS = 2000

STORED = (
    "SELECT source_path, content_hash,"
    " coalesce(array_agg(body ->> 'text' ORDER BY ordinal) FILTER (WHERE body IS NOT NULL), '{}'),"
    " coalesce(array_agg(body -> 'titles' ORDER BY ordinal) FILTER (WHERE body IS NOT NULL), '{}')"
    " FROM documents LEFT JOIN chunks ON document_id = documents.id"
    " WHERE deleted_at IS NULL GROUP BY source_path, content_hash ORDER BY source_path"
)
ANSWERED = (
    "SELECT question, asked_at::date::text,"
    " ARRAY(SELECT DISTINCT quote ->> 'exact'"
    " FROM jsonb_array_elements(source_references) AS cited,"
    " jsonb_array_elements(cited -> 'quotes') AS quote)"
    " FROM queries JOIN responses USING (query_id)"
    " WHERE status IN ('answered', 'partial') AND mode <> 'selected-text' AND NOT repeated"
    " ORDER BY asked_at DESC LIMIT %s"
)
KNOWN = (
    "SELECT hash FROM passage_vectors, index_state"
    " WHERE model = embedding_model || '@' || index_state.dimensions AND hash = ANY(%s)"
)


class Folder(ObjectStore):
    """A book's folder, read as the bucket would be."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder.name)
        self._folder = folder

    async def read(self, key: str, max_bytes: int = MAX_BYTES) -> StoredObject | None:
        path = self._folder / key
        try:
            found = path.stat()
            if found.st_size > max_bytes:
                raise ObjectTooLarge(f"the file has {found.st_size:,} bytes")
            modified = datetime.fromtimestamp(found.st_mtime, UTC)
            return StoredObject(path.read_bytes(), str(found.st_mtime_ns), modified)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None


@dataclass(frozen=True, slots=True)
class ReadFolder:
    """The book of a folder. `text` is what answers could quote; `skipped` are (path, reason)."""

    pages: tuple[Page, ...]
    text: str
    skipped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ReadStore:
    pages: tuple[Page, ...]
    known: frozenset[str]
    answered: tuple[Answered, ...]


async def read_folder(book: Path, environment: Mapping[str, str]) -> ReadFolder:
    """Read and cut every file as ingest would. Raises MissingSettings for a wrong variable."""
    keys = list(markdown_files(book))
    given = {**layout_settings(book, keys), **environment}
    settings = read_settings(given)
    layout, store = layout_of(settings), Folder(book)
    manifests = Manifests(store, settings.manifest_key)
    pages: list[Page] = []
    texts: list[str] = []
    skipped: list[tuple[str, str]] = []
    for key in keys:
        page = await manifests.page_of(key)
        if reason := reason_to_leave_out(key, layout, page):
            skipped.append((key, reason))
            continue
        try:
            found = await store.read(key)
            title = await read_chapter_title(store, key, layout)
            if found is None:
                continue
            prepared = prepare_document(key, found.data, layout, title, page)
        except (UnreadableDocument, ObjectTooLarge, OSError) as error:
            skipped.append((key, str(error)))
            continue
        if prepared.withheld:
            skipped.append((key, prepared.withheld))
            continue
        pieces = tuple(
            Piece(key, tuple(h.title for h in chunk.headings), chunk.text, chunk.passages)
            for chunk in prepared.chunks
        )
        pages.append(Page(key, prepared.fingerprint, pieces))
        texts += [
            sentence.quote or sentence.text
            for chunk in prepared.chunks
            for part in chunk.parts
            for sentence in part.sentences
        ]
    return ReadFolder(tuple(pages), "\n".join(texts), tuple(skipped))


def read_store(address: str, folder: Iterable[Page]) -> ReadStore:
    """Read what the database holds, in a transaction that can change nothing.

    Raises psycopg.Error.
    """
    passages = {
        passage_hash(text): text
        for page in folder
        for piece in page.pieces
        for text in piece.passages
    }
    with psycopg.connect(address, connect_timeout=CONNECT_SECONDS) as connection:
        connection.read_only = True
        stored = connection.execute(STORED).fetchall()
        answered = connection.execute(ANSWERED, (MOST_ANSWERS,)).fetchall()
        known = connection.execute(KNOWN, (list(passages),)).fetchall()
    pages = tuple(
        Page(path, content_hash, tuple(
            Piece(path, tuple(own), text) for text, own in zip(texts, titles, strict=True)
        ))
        for path, content_hash, texts, titles in stored
    )  # fmt: skip
    return ReadStore(
        pages,
        frozenset(passages[row[0]] for row in known),
        tuple(Answered(text, day, tuple(quotes)) for text, day, quotes in answered if quotes),
    )


SHOWN_QUOTE = 80
LISTED = 10
"""Of more, the number of the rest is said."""
MARKS: dict[Verdict, str] = {"new": "+", "changed": "~", "moved": ">", "rebuilt": "=", "gone": "-"}


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--book", type=click.Path(path_type=Path), help="The indexed book; default: FOLDER.")
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@with_database_url
@click.option("--golden", type=click.Path(path_type=Path), help="Default: golden.yaml of FOLDER.")
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
    """Show what ingesting FOLDER would change, cost and make unanswerable. Changes nothing.

    Its golden questions are asked of a temporary index of FOLDER and compared with their results
    at the last ingest.
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
    yield from _listed(_change_line(change) for change in found.documents)
    yield _counted("Sections", found.sections)
    yield from _section_lines(found)
    cost = found.cost
    yield (
        f"To store: {plural(cost.documents, 'document')}, {plural(cost.chunks, 'chunk')}; "
        f"{plural(cost.computed, 'embedding')} computed, {cost.reused} reused; "
        f"about {cost.tokens:,} tokens, "
        f"${cost.dollars:.6f} with text-embedding-3-small"
    )
    unanswerable = sum(lost.is_unanswerable for lost in found.lost)
    yield f"Answers: {unanswerable} lose all they cite, {len(found.lost) - unanswerable} a part"
    yield from _listed(_lost_line(lost) for lost in found.lost)
    yield from _listed(f"Left out: {path}: {reason}" for path, reason in read.skipped)


def _listed(lines: Iterable[str]) -> Iterator[str]:
    """The first lines, and how many there are besides."""
    every = list(lines)
    yield from every[:LISTED]
    if more := len(every) - LISTED if len(every) > LISTED else 0:
        yield f"  … and {more:,} more (all with --json)"


def _section_lines(found: Preview) -> Iterator[str]:
    """The changed sections of documents that stay; a document's own change is said of it all."""
    whole = {each.source_path for each in found.documents if each.verdict != "changed"}
    by_document: dict[str, list[str]] = {}
    for change in found.sections:
        if change.source_path not in whole:
            by_document.setdefault(change.source_path, []).append(_change_line(change))
    lines = [line for each in by_document.values() for line in _listed(each)]
    yield from (
        lines
        if len(by_document) <= LISTED
        else _listed(
            f"  ~ {path}: {plural(len(each), 'section')}" for path, each in by_document.items()
        )
    )


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
    yield from _listed(line_of(each) for each in asked.lost)


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
