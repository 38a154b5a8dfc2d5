"""The outline of a book: its chapters, pages and the headings of its chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from functions.book.chunks.chunk import Chapter

_OPENINGS = (
    "introduction", "intro", "index", "readme", "overview", "about", "preface", "welcome",
    "title-page", "foreword",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One chunk without its text: its headings, citation label and link."""

    chunk_id: str
    source_path: str
    version: str
    locale: str
    ordinal: int
    chapter: Chapter
    titles: tuple[str, ...]
    place: str
    url: str

    @property
    def title(self) -> str:
        """The innermost heading, else the file's name."""
        return self.titles[-1] if self.titles else PurePosixPath(self.source_path).stem


@dataclass(frozen=True, slots=True)
class OutlinePage:
    """One document, with its chunks in order."""

    entries: tuple[OutlineEntry, ...]

    @property
    def path(self) -> str:
        return self.entries[0].source_path

    @property
    def chapter(self) -> Chapter:
        return self.entries[0].chapter

    @property
    def title(self) -> str:
        first = self.entries[0]
        return first.titles[0] if first.titles else first.title

    @property
    def link(self) -> str:
        return self.entries[0].url.split("#")[0]


@dataclass(frozen=True, slots=True)
class OutlineChapter:
    """A chapter's pages, in book order."""

    chapter: Chapter
    pages: tuple[OutlinePage, ...]

    @property
    def label(self) -> str:
        """ "Chapter 4: Gears"; the title alone where the book numbers no chapters."""
        number, title = self.chapter.number, self.chapter.title
        if number is None or title.lower().startswith(("chapter", "part")):
            return title or self.pages[0].title
        return f"Chapter {number}: {title}" if title else f"Chapter {number}"


@dataclass(frozen=True, slots=True)
class Outline:
    """A book's pages: the opening page, numbered chapters, then the rest by path."""

    pages: tuple[OutlinePage, ...]

    @property
    def chapters(self) -> tuple[OutlineChapter, ...]:
        """The pages grouped by chapter. If some chapters have numbers, only those count."""
        groups: dict[object, list[OutlinePage]] = {}
        numbered = any(page.chapter.number is not None for page in self.pages)
        opening = self.opening
        for page in self.pages:
            number = page.chapter.number
            if (numbered and number is None) or (not numbered and page is opening):
                continue
            groups.setdefault(page.chapter.id if number is None else number, []).append(page)
        return tuple(OutlineChapter(pages[0].chapter, tuple(pages)) for pages in groups.values())

    @property
    def opening(self) -> OutlinePage | None:
        """The page that introduces the book, if one is recognised by its link or name."""
        for page in self.pages:
            if page.chapter.number in (None, 0) and not page.link.strip("/"):
                return page
        names = {
            bare_name(page.path): page
            for page in reversed(self.pages)
            if page.chapter.number in (None, 0)
        }
        return next((names[name] for name in _OPENINGS if name in names), None)

    def chapter_of(self, page: OutlinePage) -> OutlineChapter:
        """The chapter that a page belongs to."""
        for chapter in self.chapters:
            if page in chapter.pages:
                return chapter
        return OutlineChapter(page.chapter, (page,))

    def page_at(self, source_path: str, permalink: str) -> OutlinePage | None:
        """The page of a source file or of a link, whatever the link's host and base."""
        wanted = _path_of(permalink)
        for page in self.pages:
            if (source_path and page.path == source_path) or (
                not source_path and permalink and _path_of(page.link) == wanted
            ):
                return page
        if not permalink or source_path:
            return None
        ending = [
            page
            for page in self.pages
            if (path := _path_of(page.link)) != "/"
            and (wanted.endswith(path) or path.endswith(wanted))
            and wanted != "/"
        ]
        return ending[0] if len(ending) == 1 else None


def outline_of(
    entries: Iterable[OutlineEntry], version: str | None = None, locale: str | None = None
) -> Outline:
    """The outline of one version in one language: the given ones, else those with most pages."""
    found = [
        entry
        for entry in entries
        if version in (None, entry.version) and locale in (None, entry.locale)
    ]
    editions: dict[tuple[str, str], dict[str, list[OutlineEntry]]] = {}
    for entry in found:
        edition = editions.setdefault((entry.version, entry.locale), {})
        edition.setdefault(entry.source_path, []).append(entry)
    if not editions:
        return Outline(())
    # Of equals, the one without a name: a site's current version and default language.
    chosen = min(editions, key=lambda edition: (-len(editions[edition]), edition))
    pages = [
        OutlinePage(tuple(sorted(own, key=lambda entry: entry.ordinal)))
        for own in editions[chosen].values()
    ]
    opening = Outline(tuple(pages)).opening
    return Outline(tuple(sorted(pages, key=lambda page: _order(page, page is opening))))


def section_entries(
    entries: Sequence[OutlineEntry], titles: Sequence[str]
) -> tuple[OutlineEntry, ...]:
    """The chunks under a heading path, including those of its subsections."""
    depth = len(titles)
    return tuple(entry for entry in entries if entry.titles[:depth] == tuple(titles))


def may_open(number: int | None, path: str, link: str) -> bool:
    """Whether a page's link or name is one of an opening page, and it is in no numbered chapter."""
    return number in (None, 0) and (not link.strip("/") or bare_name(path) in _OPENINGS)


def _order(page: OutlinePage, opens: bool) -> tuple[object, ...]:
    number = page.chapter.number
    return (not opens, number is None, number or 0, page.path)


def bare_name(path: str) -> str:
    """A file's name without its number and ending, in small letters."""
    return PurePosixPath(path).stem.lower().lstrip("0123456789-_. ").removeprefix("ch00-00-")


def _path_of(link: str) -> str:
    path = unquote(urlsplit(link).path).rstrip("/")
    return path.removesuffix("/index.html").removesuffix(".html") or "/"
