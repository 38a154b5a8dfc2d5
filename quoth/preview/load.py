"""Reads both sides of a preview: a folder as ingest would, and the database without a change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from functions.adapters.aws.object_store import ObjectStore, ObjectTooLarge, StoredObject
from functions.book.markdown.parse import MAX_BYTES, UnreadableDocument
from functions.book.site.links import generator_of
from functions.ingest.compose import layout_of
from functions.ingest.prepare import passage_hash, prepare_document, reason_to_leave_out
from functions.ingest.site_manifest import Manifests, read_chapter_title
from functions.runtime.settings import read_settings
from quoth.preview.diff import Answered, Page, Piece
from quoth.stack import markdown_of

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
    keys = sorted(path.relative_to(book).as_posix() for path in markdown_of(book))
    generator, docs_root = generator_of(keys)
    given = {"QUOTH_GENERATOR": generator, "QUOTH_DOCS_ROOT": docs_root, **environment}
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
