"""Is a reader's selection found in the book where it stands, and nothing found that does not?"""

from __future__ import annotations

import os
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from functions.adapters.aws.object_store import StoredObject
from functions.adapters.postgres.book_records import BookRecords
from functions.adapters.postgres.database import Database
from functions.adapters.postgres.query_records import QueryRecords
from functions.ingest.prepare import PreparedDocument
from functions.ingest.to_rows import stored_blocks, stored_chunks, stored_document
from functions.selected.selection import count_words
from quoth.calibrate.local_index import documents_of_book
from quoth.json_lines import BadRow
from quoth.postgres.embedded import start_server, stop_server
from quoth.postgres.migrate import create_database, create_roles, migrate
from quoth.statistics import share
from tools.evaluate.page_text import ADDED, Piece, Style, page_pieces

LEAST_WORDS, MOST_WORDS = 20, 250
SECONDS = 60.0
EXAMPLES = 5
_WORD = re.compile(r"\S+")
_CHANGED_WORD = re.compile(rf"(?<![^\W_])(?<!{ADDED})[^\W_]+(?:['’][^\W_]+)*")
_BARE = re.compile(r"[\s\u200b]+")


@dataclass(frozen=True, slots=True)
class Page:
    """A document of the book and what a browser shows of it."""

    source_path: str
    pieces: tuple[Piece, ...]
    text: str
    starts: tuple[int, ...]
    """Where each piece starts in `text`."""
    bare: str
    """`text` without white space."""


@dataclass(frozen=True, slots=True)
class Selection:
    """`text[start:end]` of a page. `changed` is the same with one word changed."""

    page: Page
    start: int
    end: int
    changed: str
    how: str

    @property
    def text(self) -> str:
        return self.page.text[self.start : self.end]


async def evaluate_source_proof(
    book: Path, selections: int, say: Callable[[str], None], seed: int = 1
) -> dict[str, Any]:
    """Verify random selections of a book's pages, and each again with one word changed.

    `verified` is the share found at the right lines: all lines of what is selected, and none
    outside the outermost blocks it stands in. `changed_verified` counts what must not be found;
    those are looked for in the whole book.
    """
    draw = random.Random(seed)  # noqa: S311
    documents = documents_of_book(book)
    pages = [page for each in documents if (page := read_page(each, draw)) is not None]
    drawn = draw_selections(pages, selections, draw)
    if not drawn:
        raise BadRow(book, 0, f"has no text of {LEAST_WORDS} words in a row")
    found = right = false = 0
    failures: list[str] = []
    async with stored(documents) as records:
        for each in drawn:
            source = {"source_path": each.page.source_path}
            places = await records.verify_selection(source, None, each.text, seconds=SECONDS)
            found += bool(places)
            is_right = bool(places) and any(
                first <= places[0].first_line <= inner_first
                and inner_last <= places[0].last_line <= last
                for first, inner_first, inner_last, last in right_places(each)
            )
            right += is_right
            if not is_right:
                lines = f"{places[0].first_line}-{places[0].last_line}" if places else "not found"
                wanted = right_places(each)
                failures.append(f"{each.page.source_path} {lines} for {wanted}: {each.text!r}")
            places = await records.verify_selection(None, None, each.changed, seconds=SECONDS)
            false += bool(places)
            if places:
                failures.append(f"{each.how}, yet found in {places[0]}: {each.changed!r}")
    for failure in failures[:EXAMPLES]:
        say(failure)
    return {
        "pages": len(pages),
        "n": len(drawn),
        "found": share(found, len(drawn)),
        "verified": share(right, len(drawn)),
        "n_changed": len(drawn),
        "changed_verified": false,
        "changed": dict(Counter(each.how for each in drawn)),
    }


def read_page(document: PreparedDocument, draw: random.Random) -> Page | None:
    """What a browser shows of a document; None when it shows no text."""
    pieces = tuple(page_pieces(document.document.source, Style.drawn(draw)))
    starts: list[int] = []
    text = ""
    for piece in pieces:
        starts.append(len(text))
        text += piece.text + piece.after
    if not text.strip():
        return None
    path = document.document.source_path
    return Page(path, pieces, text, tuple(starts), _BARE.sub("", text))


def draw_selections(pages: Sequence[Page], count: int, draw: random.Random) -> list[Selection]:
    """Selections that begin and end between words, pages drawn by their length."""
    vocabulary = sorted({w for page in pages for w in re.findall(r"[A-Za-z]{2,}", page.text)})
    long = [page for page in pages if count_words(page.text) >= LEAST_WORDS]
    weights = [len(page.text) for page in long]
    everything = "\0".join(page.bare for page in pages)
    found: list[Selection] = []
    tries = 0
    while long and len(found) < count and tries < 50 * count:
        tries += 1
        page = draw.choices(long, weights)[0]
        words = list(_WORD.finditer(page.text))
        first = draw.randrange(len(words))
        last = min(first + draw.randint(LEAST_WORDS, MOST_WORDS), len(words)) - 1
        start, end = words[first].start(), words[last].end()
        if count_words(page.text[start:end]) < LEAST_WORDS:
            continue
        changed = change_word(page, start, end, vocabulary, everything, draw)
        if changed:
            found.append(Selection(page, start, end, *changed))
    return found


def change_word(
    page: Page,
    start: int,
    end: int,
    vocabulary: Sequence[str],
    everything: str,
    draw: random.Random,
) -> tuple[str, str] | None:
    """The selection with one of the author's words replaced, dropped or swapped with the next, and
    what was done; None when no such change makes a text that stands nowhere in the book."""
    text = page.text[start:end]
    written = [
        word
        for word in _CHANGED_WORD.finditer(text)
        if piece_at(page, start + word.start()).written
    ]
    for _ in range(10):
        if not written:
            return None
        at = draw.randrange(len(written))
        word = written[at]
        how = draw.choice(("replaced", "dropped", "swapped"))
        if how == "replaced":
            changed = text[: word.start()] + draw.choice(vocabulary) + text[word.end() :]
        elif how == "dropped":
            changed = text[: word.start()] + text[word.end() :]
        elif at + 1 < len(written):
            other = written[at + 1]
            between = text[word.end() : other.start()]
            swapped = other.group() + between + word.group()
            changed = text[: word.start()] + swapped + text[other.end() :]
        else:
            continue
        if _BARE.sub("", changed) not in everything:
            return changed, how
    return None


def piece_at(page: Page, offset: int) -> Piece:
    """The piece that holds the character `page.text[offset]`."""
    at = max(n for n, start in enumerate(page.starts) if start <= offset)
    return page.pieces[at]


def right_places(selection: Selection) -> list[tuple[int, int, int, int]]:
    """Each occurrence of the selected text on its page: (outer first, first, last, outer last)."""
    page = selection.page
    places = []
    start = page.text.find(selection.text)
    while start >= 0:
        end = start + len(selection.text)
        inside = [
            at
            for at, (piece, begin) in enumerate(zip(page.pieces, page.starts, strict=True))
            if begin < end and begin + len(piece.text) > start
        ]
        written = [page.pieces[at] for at in inside if page.pieces[at].written]
        # What the site added belongs to the block before it or to the one behind.
        beside = page.pieces[
            inside[0] - (not page.pieces[inside[0]].written and inside[0] > 0) : inside[-1]
            + 1
            + (not page.pieces[inside[-1]].written)
        ]
        if written:
            places.append(
                (
                    min(piece.outer[0] for piece in beside),
                    min(piece.first for piece in written),
                    max(piece.last for piece in written),
                    max(piece.outer[1] for piece in beside),
                )
            )
        start = page.text.find(selection.text, start + 1)
    return places


@asynccontextmanager
async def stored(documents: Sequence[PreparedDocument]) -> AsyncIterator[QueryRecords]:
    """The book in a real database of its own, asked under the rights of the function `selected`."""
    directory = Path(tempfile.mkdtemp(prefix="quoth-proof-", dir="/tmp"))
    try:
        os.chmod(directory, 0o755)  # noqa: PTH101, S103 - the server has an account of its own
        server = start_server(directory, durable=False)
        create_database(server.dsn(database="postgres"), "quoth")
        migrate(server.dsn())
        create_roles(server.dsn(), server.passwords)
        writing = Database(server.dsn("quoth_ingest"), size=1)
        reading = Database(server.dsn("quoth_selected"), size=1)
        try:
            books = BookRecords(writing)
            nothing = StoredObject(b"", "", datetime.now(UTC))
            for each in documents:
                await books.swap_document(
                    stored_document(each, nothing, 1),
                    stored_chunks(each, nothing, 1),
                    stored_blocks(each),
                    expected_generation=0,
                    seconds=SECONDS,
                )
            yield QueryRecords(reading)
        finally:
            await writing.close()
            await reading.close()
    finally:
        stop_server(directory)
        shutil.rmtree(directory)
