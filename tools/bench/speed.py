"""How fast books are cut: processor time, every library in turn, several rounds."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tools.bench.cutters import Cutter, count_words
from tools.evaluate.chunking import book_files


@dataclass(frozen=True, slots=True)
class Book:
    """A book's files as (path inside the book, bytes). `words` counts those of all files."""

    name: str
    files: tuple[tuple[str, bytes], ...]
    words: int


@dataclass(frozen=True, slots=True)
class Speed:
    """Words per second of one library: the median over rounds, by book and over all books."""

    name: str
    by_book: dict[str, float]
    overall: float


def read_books(folder: Path) -> list[Book]:
    """The books in a folder, or the folder as one book. Raises BadRow when there are no files.

    Files that are not UTF-8 are left out: not every library can be given them.
    """
    return [_read_book(each) for each in book_folders(folder)]


def book_folders(folder: Path) -> list[Path]:
    """The folders of the books in a folder, or the folder that is one book."""
    inside = [each for each in sorted(folder.iterdir()) if each.is_dir()] if folder.is_dir() else []
    names = {"docs", "src", "static", "i18n"}
    holds_books = len(inside) > 1 and not any(each.name in names for each in inside)
    return inside if holds_books else [folder]


def _read_book(folder: Path) -> Book:
    files: list[tuple[str, bytes]] = []
    words = 0
    for path in book_files(folder):
        data = path.read_bytes()
        try:
            words += count_words(data.decode())
        except UnicodeDecodeError:
            continue
        files.append((path.relative_to(folder).as_posix(), data))
    return Book(folder.name, tuple(files), words)


def measure_speed(books: Sequence[Book], cutters: Sequence[Cutter], rounds: int) -> list[Speed]:
    """Each round cuts each book with each library once; a first round is not counted."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for round_ in range(rounds + 1):
        for book in books:
            for cutter in cutters:
                taken = _cut(book, cutter)
                if round_:
                    seconds.setdefault((cutter.name, book.name), []).append(taken)
    return [_speed(cutter.name, books, seconds) for cutter in cutters]


def _cut(book: Book, cutter: Cutter) -> float:
    gc.collect()  # nobody pays for what another left behind
    begun = time.process_time()
    for name, data in book.files:
        cutter.run(name, data)
    return time.process_time() - begun


def _speed(name: str, books: Sequence[Book], seconds: dict[tuple[str, str], list[float]]) -> Speed:
    taken = {book.name: median(seconds[name, book.name]) for book in books}
    return Speed(
        name,
        {book.name: book.words / max(taken[book.name], 1e-9) for book in books},
        sum(book.words for book in books) / max(sum(taken.values()), 1e-9),
    )
