"""Boosts chunks by the reader's position: the open chapter, and the terms of selected text.

A boost changes the order of what was found; it adds and removes nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from functions.adapters.qdrant.chunk_search import ChapterNames
from functions.answer.text.words import terms_of, weight
from functions.book.chunks.chunk import StoredChunk
from functions.runtime.logs import logger

CHAPTER_BOOST = 1.5
LEAST_TERMS_BOOST, TERMS_STEP, MOST_TERMS_BOOST = 1.2, 0.3, 5.0
SELECTION_TERMS = 20
"""Terms of a selection that count: its rarest and most repeated."""
CANDIDATES = 20
"""Chunks that are found when some of them are to be boosted."""

OPERATION = "chapter_detect"
SHOWN = 100
"""Characters of what a page says that are logged."""
_NUMBERED = re.compile(r"(?:ch(?:ap(?:ter)?)?[-_. ]*)?0*(\d{1,3})", re.IGNORECASE)
_TITLED = re.compile(r"chapter\s+0*(\d{1,3})\b", re.IGNORECASE)
_NUMBER_IN_FRONT = re.compile(r"\A\d{1,3}[-_. ]+(?=\D)")


@dataclass(frozen=True, slots=True)
class ReaderPosition:
    """The chapter that a reader has open, as its page names it, and the terms of selected text."""

    chapter: ChapterNames | None = None
    terms: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return self.chapter is not None or bool(self.terms)


@dataclass(frozen=True, slots=True)
class Boosted:
    """The effect of a position: the chapter's id in the index (None: there is no such chapter, or
    none was named), how many of the chunks found are in it, whether any score was raised, and the
    mean factor of those that were."""

    chapter_id: str | None = None
    of_chapter: int = 0
    applied: bool = False
    factor: float | None = None


def names_of_chapter(chapter_id: str, chapter_title: str) -> ChapterNames | None:
    """How the index may know a chapter that a page calls by this id and title; None for no name.

    A page's own id is the folder's, with its number or without (`02-kinematics`, `kinematics`); a
    mere number (`3`, `chapter-3`) is the chapter's.
    """
    name = chapter_id.strip()
    bare = _NUMBER_IN_FRONT.sub("", name)
    ids = tuple(dict.fromkeys(each for each in (name, name.lower(), bare, bare.lower()) if each))
    found = _NUMBERED.fullmatch(name) or (None if ids else _TITLED.match(chapter_title.strip()))
    number = int(found.group(1)) if found else None
    return ChapterNames(ids, number) if ids or number is not None else None


def terms_of_selection(text: str) -> frozenset[str]:
    """The terms that characterise a selection: rare in English, repeated in the text."""
    counts = Counter(terms_of(text))
    worth = {term: weight(term) * (1 + math.log(count)) for term, count in counts.items()}
    return frozenset(sorted(worth, key=lambda term: (-worth[term], term))[:SELECTION_TERMS])


def boost_of_terms(count: int) -> float:
    """The factor for a chunk with `count` of a selection's terms."""
    return min(LEAST_TERMS_BOOST + TERMS_STEP * math.log(count + 1), MOST_TERMS_BOOST)


def find_chapter(found: Sequence[tuple[StoredChunk, float]], names: ChapterNames) -> str | None:
    """The id of the named chapter, where a chunk of it was found."""
    for chunk, _ in found:
        if chunk.chapter.id in names.ids:
            return chunk.chapter.id
    for chunk, _ in found:
        if names.number is not None and chunk.chapter.number == names.number:
            return chunk.chapter.id
    return None


def boost_chunks(
    found: Sequence[tuple[StoredChunk, float]], chapter_id: str | None, terms: frozenset[str]
) -> tuple[list[tuple[StoredChunk, float]], Boosted]:
    """The chunks in their new order, with scores from 0.

    Before they are multiplied, scores are spread from 0 (the last chunk found) to 1 (the first):
    a fused score has no zero of its own, so that a factor on it would mean something else for
    every question.
    """
    of_chapter = sum(chunk.chapter.id == chapter_id for chunk, _ in found) if chapter_id else 0
    boosted = Boosted(chapter_id, of_chapter, of_chapter > 0 or (bool(terms) and bool(found)))
    if not boosted.applied:
        return list(found), boosted
    scores = [score for _, score in found]
    least, most = min(scores), max(scores)
    raised: list[tuple[StoredChunk, float]] = []
    factors = []
    for chunk, score in found:
        relevance = (score - least) / (most - least) if most > least else 1.0
        factor = CHAPTER_BOOST if chapter_id and chunk.chapter.id == chapter_id else 1.0
        if terms:
            factor *= boost_of_terms(len(terms.intersection(terms_of(chunk.text))))
        if factor > 1:
            factors.append(factor)
        raised.append((chunk, relevance * factor))
    raised.sort(key=lambda pair: -pair[1])  # stable: ties keep the index's order
    return raised, replace(boosted, factor=sum(factors) / len(factors))


def log_ignored(problems: Sequence[str]) -> None:
    """Log an invalid context. The question is answered as if it had not been sent."""
    logger().warning(
        "chapter context ignored", operation=OPERATION, status="invalid", problems=list(problems)
    )


def log_chapter(
    chapter_id: str, chapter_title: str, confidence: str, source: str, boosted: Boosted
) -> None:
    """Log a context as the page sent it, and whether the book has the chapter."""
    fields: dict[str, Any] = {
        "operation": OPERATION,
        "chapter_id": chapter_id[:SHOWN],
        "chapter_title": chapter_title[:SHOWN],
        "confidence": confidence[:SHOWN],
        "source": source[:SHOWN],
    }
    if boosted.chapter_id is None:
        logger().warning("chapter context ignored", status="unknown", **fields)
        return
    logger().info(
        "chapter context detected",
        status="detected",
        filtered_count=boosted.of_chapter,
        **fields,
    )
