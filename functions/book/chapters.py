"""Chapters, and the labels of citations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from functions.book.chunks.chunk import Chapter

_ROOTS = frozenset({"docs", "src", "book", "content", "doc", "text", "manuscript"})
_CHAPTER = re.compile(r"ch(?:ap(?:ter)?)?[-_. ]?(\d{1,3})(?:[-_.](\d{1,3}))?(?:[-_. ]+(.*))?", re.I)
_NUMBERED = re.compile(r"(\d{1,3})[-_. ]+(\D.*)")
_TITLED_CHAPTER = re.compile(r"chapter\s+(\d{1,3})\b[\s:.–—-]*(.*)", re.I)
_TITLED_SECTION = re.compile(r"(\d{1,3}(?:\.\d{1,3})+)\.?\s")


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers in a path: the chapter's number and name, and the numbers inside the chapter."""

    id: str
    name: str
    chapter: int | None
    section: tuple[int, ...]


def chapter_of(source_path: str, titles: Sequence[str], chapter_title: str = "") -> Chapter:
    """The chapter of a document, from its path and its headings.

    `chapter_title` is the title that the book gives the chapter's folder, if any.
    """
    numbers = _numbers_of(source_path)
    number, title = numbers.chapter, chapter_title
    if number is None and titles and (found := _TITLED_CHAPTER.match(titles[0])):
        number = int(found.group(1))
        title = title or found.group(2)
    if not title:
        title = titles[0] if titles and _is_one_file(source_path) else numbers.name
        if (found := _TITLED_CHAPTER.match(title)) and found.group(2):
            title = found.group(2)
    return Chapter(numbers.id, number, title)


def place_of(source_path: str, titles: Sequence[str]) -> str:
    """The citation label of a section, without the paragraph: "Chapter 1, Section 1.1".

    A book without numbers is cited by its titles.
    """
    numbers = _numbers_of(source_path)
    chapter = numbers.chapter
    if chapter is None and titles and (found := _TITLED_CHAPTER.match(titles[0])):
        chapter = int(found.group(1))
    if chapter is None:
        return ", ".join(_distinct(titles)[:2]) or PurePosixPath(source_path).stem
    section = ".".join(map(str, (chapter, *numbers.section))) if numbers.section else ""
    for title in reversed(titles):
        if found := _TITLED_SECTION.match(title):
            section = found.group(1)
            break
    if section:
        return f"Chapter {chapter}, Section {section}"
    inner = titles[1] if len(titles) > 1 else ""
    return f"Chapter {chapter}, {inner}" if inner else f"Chapter {chapter}"


def _distinct(titles: Sequence[str]) -> list[str]:
    return [title for at, title in enumerate(titles) if title and title not in titles[:at]]


def _segments(source_path: str) -> list[str]:
    parts = list(PurePosixPath(source_path).parts)
    while len(parts) > 1 and parts[0].lower() in _ROOTS:
        parts.pop(0)
    if parts:
        parts[-1] = PurePosixPath(parts[-1]).stem
    if len(parts) > 1 and (
        parts[-1].lower() in {"index", "readme"} or parts[-1].lower() == parts[-2].lower()
    ):
        parts.pop()
    return parts


def _is_one_file(source_path: str) -> bool:
    """Whether the chapter is one file (or a folder's own page), so that its title is the page's."""
    segments = _segments(source_path)
    found = _CHAPTER.fullmatch(segments[0]) if segments else None
    return len(segments) < 2 and not (found and int(found.group(2) or 0))


def _numbers_of(source_path: str) -> _Numbers:
    segments = _segments(source_path)
    if not segments:
        return _Numbers("", "", None, ())
    top = segments[0]
    if found := _CHAPTER.fullmatch(top):
        chapter, inner, name = int(found.group(1)), found.group(2), found.group(3) or ""
        if inner is not None:  # ch04-01-what-is-ownership: the page's name, not the chapter's
            name = f"Chapter {chapter}"
        section = [int(inner)] if inner is not None else []
        identity = top if inner is None else f"ch{found.group(1)}"
    elif found := _NUMBERED.fullmatch(top):
        chapter, name, section = int(found.group(1)), found.group(2), []
        identity = name
    else:
        return _Numbers(top, _as_title(top), None, ())
    for segment in segments[1:]:
        numbered = _NUMBERED.fullmatch(segment)
        if not numbered:
            section = []
            break
        section.append(int(numbered.group(1)))
    if 0 in section:  # "00-introduction" opens the chapter
        section = []
    return _Numbers(identity, _as_title(name or top), chapter, tuple(section))


def _as_title(name: str) -> str:
    words = re.sub(r"[-_]+", " ", name).strip()
    return words[:1].upper() + words[1:]
