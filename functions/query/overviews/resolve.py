"""Finds in the outline the part of the book of which an overview is asked. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from functions.answer.text.words import LazyPattern, matches, terms_of, weight
from functions.book.outline import (
    Outline,
    OutlineChapter,
    OutlineEntry,
    OutlinePage,
    bare_name,
    section_entries,
)
from functions.query.overviews.parse import LAST, Target, Unit
from functions.query.requests import ChapterContext
from functions.web.fields import PageBody

Kind = Literal["book", "chapter", "page", "section"]

ENOUGH = 0.7
"""The share of the words asked for, by weight, that a heading must hold to be meant by them."""
EXACT = 0.99
_NUMBERED_TITLE = LazyPattern(r"(?:chapter|part|unit|lesson) \w+ ?[:.–—-] *", re.IGNORECASE)
OPENINGS = ("preface", "foreword", "introduction", "title page", "front matter")
"""What readers call the page that opens a book."""
OTHER_UNIT: dict[tuple[Unit, Kind], float] = {
    ("chapter", "page"): 0.3, ("chapter", "section"): 0.6,
    ("page", "section"): 0.3, ("page", "chapter"): 0.6,
    ("section", "page"): 0.1, ("section", "chapter"): 0.6,
}  # fmt: skip
"""What a heading of another kind than the one asked for loses. A numbered section is a page."""


@dataclass(frozen=True, slots=True)
class BookPart:
    """A part of the book: its title, its pages and, of a section, its chunks."""

    kind: Kind
    title: str
    pages: tuple[OutlinePage, ...]
    entries: tuple[OutlineEntry, ...] = ()
    guessed: bool = False
    """The reader meant the open page, which is unknown: this is the whole book."""


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """The book has no such part. `closest`: the chapters or sections with the nearest numbers."""

    closest: tuple[OutlineEntry, ...]


def resolve_target(
    target: Target, outline: Outline, page: PageBody | None, context: ChapterContext | None
) -> BookPart | UnknownPart | None:
    """The part asked for. None when words name no heading: a search may still find them."""
    open_page = outline.page_at(page.source_path, page.permalink) if page else None
    fragment = page.permalink.partition("#")[2] if page else ""
    if target.kind == "book":
        return _book(outline)
    if target.kind == "here":
        return _open_place(target.unit, outline, open_page, fragment, context)
    if target.kind == "beside":
        here = outline.chapter_of(open_page) if open_page else _chapter_like(outline, context)
        return _beside(outline, here, target.numbers[0], target.unit == "chapter")
    if target.kind == "numbered":
        return _numbered(target, outline, open_page)
    return _named(target, outline)


def _book(outline: Outline, guessed: bool = False) -> BookPart:
    opening = outline.opening
    return BookPart("book", opening.title if opening else "", outline.pages, guessed=guessed)


def _chapter(chapter: OutlineChapter) -> BookPart:
    return BookPart("chapter", chapter.label, chapter.pages)


def _page(page: OutlinePage) -> BookPart:
    return BookPart("page", page.title, (page,))


def _section(page: OutlinePage, titles: Sequence[str]) -> BookPart:
    if len(titles) < 2:
        return _page(page)
    return BookPart("section", titles[-1], (page,), section_entries(page.entries, titles))


def _open_place(
    unit: Unit,
    outline: Outline,
    page: OutlinePage | None,
    fragment: str,
    context: ChapterContext | None,
) -> BookPart | UnknownPart | None:
    if page is None:
        chapter = _chapter_like(outline, context)
        return _chapter(chapter) if chapter else _book(outline, guessed=True)
    if unit == "chapter":
        return _chapter(outline.chapter_of(page))
    if unit == "section" and fragment:
        for entry in page.entries:
            if entry.url.partition("#")[2] == fragment:
                return _section(page, entry.titles)
    return _page(page)


def _chapter_like(outline: Outline, context: ChapterContext | None) -> OutlineChapter | None:
    """The chapter that the reader's page says it is of."""
    if context is None:
        return None
    wanted = context.chapter_title.casefold()
    for chapter in outline.chapters:
        title = _NUMBERED_TITLE.sub("", chapter.chapter.title)
        known = {text.casefold() for text in (chapter.label, chapter.chapter.title, title) if text}
        if (context.chapter_id and context.chapter_id == chapter.chapter.id) or wanted in known:
            return chapter
    return None


def _beside(
    outline: Outline, here: OutlineChapter | None, step: int, asks_chapter: bool
) -> BookPart | UnknownPart:
    chapters = outline.chapters
    if here is None or here not in chapters or not asks_chapter:
        return UnknownPart(_first_entries(chapters))
    at = chapters.index(here) + step
    return (
        _chapter(chapters[at])
        if 0 <= at < len(chapters)
        else UnknownPart(_first_entries(_nearest(chapters, here.chapter.number)))
    )


def _numbered(
    target: Target, outline: Outline, page: OutlinePage | None
) -> BookPart | UnknownPart | None:
    chapters = outline.chapters
    if target.unit == "page":
        return None  # the web has no numbered pages
    if len(target.numbers) > 1 or target.unit == "section":
        return _numbered_section(target.numbers, outline, page)
    number = target.numbers[0]
    if number == LAST and chapters:
        return _chapter(chapters[-1])
    for chapter in chapters:
        if chapter.chapter.number == number:
            return _chapter(chapter)
    return UnknownPart(_first_entries(_nearest(chapters, number)))


def _numbered_section(
    numbers: tuple[int, ...], outline: Outline, page: OutlinePage | None
) -> BookPart | UnknownPart:
    own = outline.chapter_of(page).chapter.number if page else None
    tried = [numbers] if len(numbers) > 1 else []
    if len(numbers) == 1 and own is not None:
        tried.append((own, *numbers))
    for wanted in tried:
        ending = f"Section {'.'.join(map(str, wanted))}"
        for each in outline.pages:
            found = [entry for entry in each.entries if entry.place.endswith(ending)]
            if found and len(found) == len(each.entries):
                return _page(each)
            if found:
                return _section(each, found[0].titles)
    if page and len(numbers) == 1:
        headings = list(dict.fromkeys(e.titles[:2] for e in page.entries if len(e.titles) > 1))
        at = numbers[0] - (numbers[0] != LAST)
        if -1 <= at < len(headings):
            return _section(page, headings[at])
    number = numbers[0] if len(numbers) > 1 else own
    near = [c for c in outline.chapters if c.chapter.number == number]
    pages = near[0].pages if near else [c.pages[0] for c in _nearest(outline.chapters, number)]
    return UnknownPart(tuple(each.entries[0] for each in pages))


def _nearest(chapters: Sequence[OutlineChapter], number: int | None) -> tuple[OutlineChapter, ...]:
    if number is None:
        return tuple(chapters)
    return tuple(sorted(chapters, key=lambda each: abs((each.chapter.number or 0) - number)))


def _first_entries(chapters: Sequence[OutlineChapter]) -> tuple[OutlineEntry, ...]:
    return tuple(chapter.pages[0].entries[0] for chapter in chapters)


def _named(target: Target, outline: Outline) -> BookPart | None:
    """The heading that words name; for a mere topic, only the very words of a heading."""
    if target.words in OPENINGS:
        names = {bare_name(page.path).replace("-", " "): page for page in outline.pages}
        page = names.get(target.words) or outline.opening
        return _page(page) if page else None
    wanted = frozenset(terms_of(target.words)) or frozenset(target.words.lower().split())
    best: tuple[float, BookPart] | None = None
    for title, kind, found in _headings(outline):
        terms = frozenset(terms_of(title)) or frozenset(title.lower().split())
        share, filled = _share(wanted, terms), _share(terms, wanted)
        if target.kind == "topic" and min(share, filled) < EXACT:
            continue
        if share < ENOUGH:
            continue
        score = share + 0.5 * filled - OTHER_UNIT.get((target.unit, kind), 0.0)
        if best is None or score > best[0]:
            best = (score, found)
    return best[1] if best else None


def _headings(outline: Outline) -> Iterator[tuple[str, Kind, BookPart]]:
    """Every heading with its kind: chapters first, then pages, then sections, in book order."""
    for chapter in outline.chapters:
        title = _NUMBERED_TITLE.sub("", chapter.chapter.title)
        alone = len(chapter.pages) == 1 and title == chapter.pages[0].title
        yield title, "chapter", _page(chapter.pages[0]) if alone else _chapter(chapter)
    for page in outline.pages:
        yield page.title, "page", _page(page)
        yield bare_name(page.path).replace("-", " "), "page", _page(page)
    for page in outline.pages:
        for titles in dict.fromkeys(entry.titles for entry in page.entries):
            for depth in range(2, len(titles) + 1):
                yield titles[depth - 1], "section", _section(page, titles[:depth])


def _share(wanted: frozenset[str], given: frozenset[str]) -> float:
    """The share of the words, by weight, that is among the others (0 to 1)."""
    total = sum(weight(term) + 0.05 for term in wanted)
    if not total:
        return 0.0
    return sum((weight(term) + 0.05) * matches(term, given) for term in wanted) / total
