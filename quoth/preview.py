"""What a folder would change in the index, before it is pushed. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from functions.book.fold import fold_text

Verdict = Literal["new", "changed", "moved", "rebuilt", "gone"]

DOLLARS_PER_TOKEN = 0.02 / 1_000_000
"""Of text-embedding-3-small."""

BYTES_PER_TOKEN = 4
"""Of English text with that model's tokens; an estimate."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk: its place and its text. `passages` are given for the folder's only."""

    source_path: str
    titles: tuple[str, ...]
    text: str
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A document. `fingerprint` differs when it must be stored again."""

    source_path: str
    fingerprint: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that was given, and the words of the book it cited."""

    question: str
    asked_at: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a document (no titles) or a section.

    `came_from` is where a moved one was. A rebuilt document has the text it had, and is stored
    again all the same: its links or the chunk size changed.
    """

    verdict: Verdict
    source_path: str
    titles: tuple[str, ...] = ()
    came_from: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """What ingesting the folder would cost. Chunks are those of documents stored again."""

    documents: int = 0
    chunks: int = 0
    computed: int = 0
    reused: int = 0
    tokens: int = 0

    @property
    def dollars(self) -> float:
        return self.tokens * DOLLARS_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Lost:
    """An answer the folder no longer supports: `missing` of its quotes are nowhere in it."""

    answered: Answered
    missing: tuple[str, ...]

    @property
    def is_unanswerable(self) -> bool:
        """Whether nothing that it cited is left."""
        return len(self.missing) == len(self.answered.quotes)


@dataclass(frozen=True, slots=True)
class Preview:
    documents: tuple[Change, ...] = ()
    sections: tuple[Change, ...] = ()
    cost: Cost = field(default_factory=Cost)
    lost: tuple[Lost, ...] = ()


def preview_change(
    stored: Sequence[Page],
    folder: Sequence[Page],
    known_passages: frozenset[str],
    answered: Sequence[Answered],
    read_text: str,
) -> Preview:
    """Compare the index with a folder.

    `known_passages` are those whose vectors are kept; `read_text` is all that readers would see of
    the folder's book, as plain text.
    """
    return Preview(
        documents=tuple(_compare_documents(stored, folder)),
        sections=tuple(_compare_sections(stored, folder)),
        cost=cost_of(stored, folder, known_passages),
        lost=tuple(lost_answers(answered, read_text)),
    )


def cost_of(stored: Iterable[Page], folder: Iterable[Page], known_passages: frozenset[str]) -> Cost:
    """What must be stored and embedded; a passage that stands twice is embedded once."""
    kept = {page.source_path: page.fingerprint for page in stored}
    again = [page for page in folder if kept.get(page.source_path) != page.fingerprint]
    passages = [text for page in again for piece in page.pieces for text in piece.passages]
    computed = set(passages) - known_passages
    return Cost(
        documents=len(again),
        chunks=sum(len(page.pieces) for page in again),
        computed=len(computed),
        reused=len(passages) - len(computed),
        tokens=sum(math.ceil(len(text.encode()) / BYTES_PER_TOKEN) for text in computed),
    )


def lost_answers(answered: Iterable[Answered], read_text: str) -> list[Lost]:
    """The answers with a quote that is gone; those with no quote left come first."""
    text = fold_text(read_text)
    lost: list[Lost] = []
    for answer in answered:
        missing = tuple(quote for quote in answer.quotes if fold_text(quote) not in text)
        if missing:
            lost.append(Lost(answer, missing))
    return sorted(lost, key=lambda each: not each.is_unanswerable)


Key = TypeVar("Key", bound=Hashable)
Texts = tuple[str, ...]
Section = tuple[str, tuple[str, ...]]


def _compare_documents(stored: Sequence[Page], folder: Sequence[Page]) -> list[Change]:
    before = {page.source_path: _texts(page.pieces) for page in stored}
    after = {page.source_path: _texts(page.pieces) for page in folder}
    kept = {page.source_path: page.fingerprint for page in stored}
    changes = []
    for path, verdict, came_from in _compare(before, after):
        changes.append(Change(verdict, path, came_from=came_from or ""))
    named = {change.source_path for change in changes}
    changes += [
        Change("rebuilt", page.source_path)
        for page in folder
        if page.source_path in kept
        and kept[page.source_path] != page.fingerprint
        and page.source_path not in named
    ]
    return sorted(changes, key=lambda change: change.source_path)


def _compare_sections(stored: Sequence[Page], folder: Sequence[Page]) -> list[Change]:
    changes = []
    for (path, titles), verdict, came_from in _compare(_sections(stored), _sections(folder)):
        origin = " › ".join([came_from[0], *came_from[1]]) if came_from else ""
        changes.append(Change(verdict, path, titles, origin))
    return changes


def _compare(
    before: Mapping[Key, Texts], after: Mapping[Key, Texts]
) -> list[tuple[Key, Verdict, Key | None]]:
    """The change of each, in the order of the new ones, then what is gone.

    A new one with the text of one that is gone was moved from there.
    """
    left: dict[Texts, list[Key]] = {}
    for key, texts in before.items():
        if key not in after and texts:
            left.setdefault(texts, []).append(key)
    changes: list[tuple[Key, Verdict, Key | None]] = []
    moved: set[Key] = set()
    for key, texts in after.items():
        if key not in before:
            sources = left.get(texts)
            if sources:
                origin = sources.pop(0)
                moved.add(origin)
                changes.append((key, "moved", origin))
            else:
                changes.append((key, "new", None))
        elif before[key] != texts:
            changes.append((key, "changed", None))
    gone = [key for key in before if key not in after and key not in moved]
    return [*changes, *((key, "gone", None) for key in gone)]


def _sections(pages: Iterable[Page]) -> dict[Section, Texts]:
    found: dict[Section, list[str]] = {}
    for page in pages:
        for piece in page.pieces:
            found.setdefault((page.source_path, piece.titles), []).append(piece.text)
    return {section: tuple(texts) for section, texts in found.items()}


def _texts(pieces: Iterable[Piece]) -> Texts:
    return tuple(piece.text for piece in pieces)
