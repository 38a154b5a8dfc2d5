"""Facts about the book itself: who wrote it, its licence, its readers, what to read first. Pure.

They are quoted from its opening pages and those that name such a thing, never searched for: a
chapter's sentences on authors or licences are not about the book.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from functions.answer.text.words import STOP_WORDS, LazyPattern, words_of
from functions.book.chunks.chunk import StoredChunk
from functions.book.outline import Outline, OutlineEntry, OutlinePage, bare_name

Fact = Literal["author", "date", "licence", "readers", "first"]

MOST_ENTRIES = 60
"""Chunks of the opening pages that are looked through."""
FIRST_CHAPTERS = 3
_MATTER = LazyPattern(
    r"title|preface|foreword|about|author|contribut|licen[cs]e|copyright|colophon|credits|"
    r"acknowledg|intro(?:duction)?$|readme$|index$|welcome|overview$"
)
"""Names of pages that tell of the book itself."""


@dataclass(frozen=True, slots=True)
class FactWords:
    """How a fact is asked for, and how the book tells it.

    `names` ask for it by themselves, `about` only beside a word for the book, and neither beside
    one of `never`. `headings` are over sections that tell it, `sentences` tell it elsewhere;
    `line` is said when nothing does.
    """

    names: frozenset[str]
    about: frozenset[str]
    never: frozenset[str]
    headings: LazyPattern
    sentences: LazyPattern
    line: str


def _words(
    names: str, about: str, never: str
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return frozenset(names.split()), frozenset(about.split()), frozenset(never.split())


FACTS: Mapping[Fact, FactWords] = {
    "author": FactWords(
        *_words(
            "author authors",
            "wrote write written writer writers created made name names publisher editor editors "
            "edited published",
            "when why how",
        ),
        LazyPattern(r"\b(?:authors?|contributors|who wrote)\b", re.IGNORECASE),
        LazyPattern(
            r"\b[Bb]y (?:the )?[A-Z][\w.]+,? (?:[A-Z]|and\b)|\b(?i:(?:written|edited|authored) by|"
            r"the authors? (?:is|are))\b"
        ),
        "The opening pages of this book do not say who wrote it.",
    ),
    "date": FactWords(
        *_words(
            "edition",
            "published publication released release written wrote version date year updated old",
            "who why",
        ),
        LazyPattern(r"\b(?:edition|version|release)\b", re.IGNORECASE),
        LazyPattern(
            r"\b(?i:edition|version|published|updated|released)\b.*\b(?:19|20)\d\d\b|"
            r"\bversion of the (?:book|text)\b"
        ),
        "The opening pages of this book do not say when it was published.",
    ),
    "licence": FactWords(
        *_words(
            "licence license copyright",
            "licensed copy copying reuse share sharing free print redistribute distribute "
            "permission permitted allowed terms",
            "why how",
        ),
        LazyPattern(r"\b(?:licen[cs]e|copyright)\b", re.IGNORECASE),
        LazyPattern(r"\b(?:licen[cs]ed?|copyright(?:ed)?|creative commons)\b|©", re.IGNORECASE),
        "The opening pages of this book do not name its licence.",
    ),
    "readers": FactWords(
        *_words(
            "audience readership prerequisite prerequisites",
            "reader readers need know knowledge background required requires require intended "
            "aimed target suitable beginner beginners experience level assume assumes skills",
            "when why how",
        ),
        LazyPattern(
            r"\bwho\b.*\bfor\b|\b(?:audience|prerequisites?|readers?|before you (?:start|begin|"
            r"read))\b",
            re.IGNORECASE,
        ),
        LazyPattern(
            r"\b(?:readers?|audience|prerequisites?|assumes? (?:that )?you|designed for|"
            r"(?:is|are|written|meant|intended) for (?:anyone|people|students|those|beginners|"
            r"readers|developers|teams))\b",
            re.IGNORECASE,
        ),
        "The opening pages of this book do not say whom it is for.",
    ),
    "first": FactWords(
        *_words(
            "first start starting begin beginning order sequence",
            "chapter chapters recommended recommend suggest best way learn learning page section "
            "study use using through",
            "when why who",
        ),
        LazyPattern(
            r"\b(?:how to (?:read|use)|getting started|where to (?:start|begin)|start here|"
            r"how (?:the|this) .*organi[sz]ed|organi[sz]ation)\b",
            re.IGNORECASE,
        ),
        LazyPattern(r"(?!)"),
        "",
    ),
}
_BOOK = frozenset(
    "book books textbook manual guide course documentation docs text read reading ebook".split()
)


def read_fact(question: str) -> Fact | None:
    """The fact about the book that a question asks for; None when it names anything else."""
    words = {*words_of(question)}
    rest = words - STOP_WORDS - _BOOK
    if not words.isdisjoint(_BOOK) and {"who", "for"} <= words and not rest:
        return "readers"
    for fact, known in FACTS.items():
        is_named = not rest.isdisjoint(known.names) or not words.isdisjoint(_BOOK)
        if (
            rest
            and is_named
            and rest <= known.names | known.about
            and known.never.isdisjoint(words)
        ):
            return fact
    return None


def matter_of(outline: Outline) -> tuple[OutlinePage, ...]:
    """The pages that tell of the book itself: the opening page, and those named so beside it."""
    opening = outline.opening
    depth = min((len(PurePosixPath(page.path).parts) for page in outline.pages), default=0)
    limit = len(PurePosixPath(opening.path).parts) if opening else depth
    return tuple(
        page
        for page in outline.pages
        if page is opening
        or (
            page.chapter.number in (None, 0)
            and len(PurePosixPath(page.path).parts) <= limit
            and _MATTER.match(bare_name(page.path))
        )
    )


def entries_of(pages: Sequence[OutlinePage]) -> list[OutlineEntry]:
    return [entry for page in pages for entry in page.entries][:MOST_ENTRIES]


def told_under(fact: Fact, entries: Sequence[OutlineEntry]) -> list[OutlineEntry]:
    """The first chunk under each heading that tells the fact."""
    found: dict[tuple[str, tuple[str, ...]], OutlineEntry] = {}
    for entry in entries:
        if len(entry.titles) > 1 and FACTS[fact].headings.search(entry.titles[-1]):
            found.setdefault((entry.source_path, entry.titles), entry)
    return list(found.values())


def tells(fact: Fact, chunk: StoredChunk) -> list[tuple[int, int]]:
    """Where a chunk's sentences tell the fact: the part and the sentence in it, from 0."""
    return [
        (at, number)
        for at, part in enumerate(chunk.parts)
        if part.kind != "heading"
        for number, sentence in enumerate(part.sentences)
        if FACTS[fact].sentences.search(sentence.text)
    ]
