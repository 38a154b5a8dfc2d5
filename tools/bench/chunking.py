"""How fast each library cuts a book, and what it loses."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from markdown_it import MarkdownIt

from tools.bench.cutters import Cut, Cutter, count_words
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
    gc.collect()  # garbage of one library must not count against the next
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


_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)
_LETTERS = re.compile(r"[\W_]+")
_EXPLICIT_ID = re.compile(r"\s*\{#[^{}]*\}\s*\Z")
_FEW_WORDS = 5


@dataclass(frozen=True, slots=True)
class Losses:
    """Shares from 0 to 1. None when a library does not provide the information."""

    name: str
    chunks: int
    paths_right: float | None
    code_whole: float
    code_verbatim: float
    places_right: float | None


@dataclass(slots=True)
class _Tally:
    chunks: int = 0
    sections: int = 0
    paths_right: int = 0
    codes: int = 0
    whole: int = 0
    verbatim: int = 0
    places_right: int = 0
    says_paths: bool = False
    says_places: bool = False


def measure_losses(books: Sequence[Book], cutter: Cutter, max_words: int) -> Losses | None:
    """None for what is only timed. Code of more than `max_words` words is left out.

    A path is right when the titles over a section's first line of prose are the last of those
    given, in order; the section's own may stand in the text only. A place is right when the
    source reads there what the chunk does.
    """
    if cutter.cuts is None:
        return None
    tally = _Tally()
    parser = MarkdownIt("commonmark").enable("table")
    for book in books:
        for name, data in book.files:
            _check(data.decode(), cutter.cuts(name, data), parser, max_words, tally)
    return Losses(
        cutter.name,
        tally.chunks,
        _share(tally.paths_right, tally.sections) if tally.says_paths else None,
        _share(tally.whole, tally.codes),
        _share(tally.verbatim, tally.codes),
        _share(tally.places_right, tally.chunks) if tally.says_places else None,
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _check(source: str, cuts: list[Cut], parser: MarkdownIt, max_words: int, tally: _Tally) -> None:
    tally.chunks += len(cuts)
    for cut in cuts:
        tally.says_paths |= cut.titles is not None
        tally.says_places |= cut.places is not None
        joined = "".join(source[start:end] for start, end in cut.places or ())
        tally.places_right += joined == cut.text
    front = _FRONT.match(source)
    body = re.sub(r"[^\n]", " ", front.group()) + source[front.end() :] if front else source
    squeezed = ["".join(cut.text.split()) for cut in cuts]
    for code, inside in _code(body, parser):
        if count_words(code) > max_words or not inside.strip():
            continue
        tally.codes += 1
        bare = "".join(code.split())
        tally.whole += any(bare in text for text in squeezed)
        tally.verbatim += any(inside in cut.text for cut in cuts)
    for titles, line in _sections(body, parser):
        holding = [cut for cut in cuts if line in cut.text]
        if len(holding) == 1:
            tally.sections += 1
            tally.paths_right += _is_path(holding[0], titles)


def _code(body: str, parser: MarkdownIt) -> Iterator[tuple[str, str]]:
    """Fenced code: with its fences, and the lines inside as they stand in the source."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", body)
    for token in parser.parse(body):
        if token.type == "fence" and token.map:
            first, end = token.map
            whole = "".join(lines[first:end]).strip()
            inside = "".join(lines[first + 1 : end])
            closes = inside.rstrip().endswith(token.markup)
            kept = inside.rstrip()[: -len(token.markup)] if closes else inside
            yield whole, kept.rstrip()


def _sections(body: str, parser: MarkdownIt) -> Iterator[tuple[list[str], str]]:
    """The titles over each section, and the section's first line of prose."""
    tokens = parser.parse(body)
    open_: list[tuple[int, str]] = []
    waits = False
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            level = int(token.tag[1])
            while open_ and open_[-1][0] >= level:
                open_.pop()
            children = tokens[at + 1].children or []
            title = _EXPLICIT_ID.sub("", "".join(child.content for child in children))
            open_.append((level, title))
            waits = True
        elif waits and token.type == "inline" and tokens[at - 1].type == "paragraph_open":
            line = token.content.split("\n")[0].strip()
            if count_words(line) >= _FEW_WORDS and body.count(line) == 1:
                waits = False
                yield [title for _, title in open_], line


def _is_path(cut: Cut, titles: list[str]) -> bool:
    """The section's own title may be in the text instead."""
    given = [_bare(title) for title in cut.titles or ()]
    expected = [_bare(title) for title in titles]
    if given[-len(expected) :] == expected:
        return True
    return given == expected[:-1] and cut.titles is not None and expected[-1] in _bare(cut.text)


def _bare(title: str) -> str:
    return _LETTERS.sub("", title).casefold()
