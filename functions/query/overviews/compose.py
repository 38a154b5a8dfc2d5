"""Answers an overview question from headings and first sentences, through the answer chain. Pure
but for the chain's own steps.

Only sentences and headings of the book are taken, word for word; each is cited like any other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from functions.answer.answers import Answer
from functions.answer.context import PROSE_KINDS, Context, Sentence, Source
from functions.answer.gate.calibration import Calibration
from functions.answer.relevance import EXERCISE_TITLES, sets_a_task
from functions.answer.text.words import LazyPattern
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, DraftClaim
from functions.book.chunks.chunk import ChunkPart, StoredChunk
from functions.book.outline import Outline, OutlineEntry
from functions.query.overviews.book_facts import (
    FIRST_CHAPTERS,
    Fact,
    entries_of,
    matter_of,
    tells,
    told_under,
)
from functions.query.overviews.resolve import BookPart

MOST_QUESTIONS = 4
"""Questions that are offered to narrow a wide one down."""
MOST_ROWS = 12
"""Headings with their first sentences in one overview."""
MOST_HEADINGS = 40
"""Headings alone, in a list of contents."""
MOST_OPENING = 4
"""Sections of the page that opens the book."""
FEW_PAGES = 6
"""Most pages of a chapter of which two sentences each are given."""
MOST_LEADS = 3
"""First sentences quoted of a book, a page or a section."""
SHORTEST = 4
"""Words of the shortest first sentence that is quoted."""
NAMED: Final = Calibration(bias=30.0, dense=0.0, best=0.0, coverage=0.0, union=0.0)
"""The reader named a part that the book has: nothing to calibrate."""
LEFT_OUT = LazyPattern(
    rf"(?:\d+[.)]? )?(?:{EXERCISE_TITLES}|(?:self[- ])?questions|answers|solutions?|"
    r"further reading|references|bibliography)\W*$",
    re.IGNORECASE,
)
"""Headings of sections that a summary leaves out."""

Wants = Literal["summary", "chapters", "contents"]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of an overview: a heading (or none), and how many first sentences follow it.

    `chapter` is the label of a chapter, which is on none of its pages.
    """

    entry: OutlineEntry
    heading: str = ""
    leads: int = 1
    chapter: str = ""
    sentences: tuple[tuple[int, int], ...] = ()
    """Instead of first sentences: these, as the part and the sentence in it, from 0."""


def fact_rows(fact: Fact, outline: Outline, chunks: Mapping[str, StoredChunk]) -> tuple[Row, ...]:
    """The lines that tell a fact about the book: of the sections with a heading for it, else
    single sentences. What to read first ends with the first chapters."""
    entries = entries_of(matter_of(outline))
    rows = [Row(entry, entry.title, MOST_LEADS) for entry in told_under(fact, entries)]
    rows = [
        row
        for row in rows
        if row.entry.chunk_id in chunks and _leads(chunks[row.entry.chunk_id], 1)
    ]
    if fact == "first":
        opening = outline.opening
        rows = [*([Row(opening.entries[0], opening.title, 1)] if opening else []), *rows[:2]]
        chapters = [each for each in outline.chapters if opening not in each.pages]
        rows += [
            Row(each.pages[0].entries[0], "", 1, each.label) for each in chapters[:FIRST_CHAPTERS]
        ]
    elif not rows:
        told = (
            (entry, tells(fact, chunks[entry.chunk_id]))
            for entry in entries
            if entry.chunk_id in chunks
        )
        rows = [Row(entry, sentences=tuple(found[:MOST_LEADS])) for entry, found in told if found]
    return tuple(rows[: MOST_LEADS + FIRST_CHAPTERS])


def rows_of(part: BookPart, wants: Wants, outline: Outline) -> tuple[Row, ...]:
    """The lines of an overview, in the book's order."""
    if part.kind == "book":
        return _book_rows(wants, outline)
    if part.kind == "chapter" and len(part.pages) > 1:
        leads = 0 if wants != "summary" else 2 if len(part.pages) <= FEW_PAGES else 1
        rows = [Row(page.entries[0], page.title, leads) for page in part.pages]
        return tuple(rows[: MOST_ROWS if leads else MOST_HEADINGS])
    entries = part.entries or part.pages[0].entries
    depth = min(len(entry.titles) for entry in entries)
    title = part.title if part.kind == "section" else part.pages[0].title
    inner = _inner_rows(entries, depth, 0 if wants != "summary" else 1)
    if wants != "summary" and inner:
        return tuple(inner[:MOST_HEADINGS])
    own = [entry for entry in entries if len(entry.titles) <= depth][:1]
    # With few headings below it, more of its own sentences are given.
    leads = MOST_LEADS if len(inner) < MOST_LEADS else 1
    return (*(Row(entry, title, leads) for entry in own), *inner[: MOST_ROWS - len(own)])


def _book_rows(wants: Wants, outline: Outline) -> tuple[Row, ...]:
    opening, chapters = outline.opening, outline.chapters
    rows: list[Row] = []
    if wants == "summary" and opening:
        rows.append(Row(opening.entries[0], "", MOST_LEADS))
        depth = len(opening.entries[0].titles)
        rows += _inner_rows(opening.entries[1:], depth, 1)[:MOST_OPENING]
    with_pages = wants == "contents" and len(outline.pages) + len(chapters) <= MOST_HEADINGS
    for chapter in chapters[:MOST_HEADINGS]:
        first = chapter.pages[0].entries[0]
        alone = len(chapter.pages) == 1 and not with_pages
        rows.append(Row(first, "", 1 if wants == "summary" and alone else 0, chapter.label))
        if with_pages and len(chapter.pages) > 1:
            rows += [Row(page.entries[0], page.title, 0) for page in chapter.pages]
    return tuple(rows)


def _inner_rows(entries: Sequence[OutlineEntry], depth: int, leads: int) -> list[Row]:
    """One row for each heading right below the depth; for those below them, when these are few."""
    below: dict[tuple[str, str], Row] = {}
    for entry in entries:
        if len(entry.titles) > depth and not (leads and LEFT_OUT.match(entry.titles[depth])):
            # Two headings of the same words on one page differ by their links.
            own = entry.url if len(entry.titles) == depth + 1 else ""
            heading = entry.titles[depth]
            same = [key for key in below if key[0] == heading]
            if not own and same:
                continue
            below.setdefault((heading, own), Row(entry, heading, leads))
    return list(below.values())


@dataclass(frozen=True, slots=True)
class OverviewWriter(QuoteWriter):
    """Hands out the claims that were made with the context."""

    claims: tuple[DraftClaim, ...] = field(default=())

    def pick(self, question: str, context: Context) -> Draft:
        return Draft("full" if self.claims else "none", self.claims)


def gather_rows(
    rows: Sequence[Row], chunks: Mapping[str, StoredChunk]
) -> tuple[Context, OverviewWriter]:
    """The context of an overview, and the writer that makes its claims of it.

    A row whose chunk is gone meanwhile is left out.
    """
    sources: list[Source] = []
    sentences: list[Sentence] = []
    claims: list[DraftClaim] = []
    for row in rows:
        chunk = chunks.get(row.entry.chunk_id)
        if chunk is None:
            continue
        sources.append(Source("book", 1.0, chunk))
        own = _sentences_of(row, chunk, len(sources) - 1)
        if not own:
            sources.pop()
            continue
        sentences += own
        claims += _claims_of(own)
    context = Context(tuple(sources), tuple(sentences))
    return context, OverviewWriter(claims=tuple(claims))


def in_lines(answer: Answer) -> Answer:
    """The answer's text with one line for each claim."""
    if answer.refusal is not None:
        return answer
    lines = (
        f"{claim.text} {''.join(f'[{n}]' for n in claim.citations)}" for claim in answer.claims
    )
    return replace(answer, text="\n".join(lines))


def _sentences_of(row: Row, chunk: StoredChunk, source: int) -> list[Sentence]:
    heading = row.chapter or row.heading
    found = [_heading_sentence(row, chunk)] if heading else []
    if row.sentences:
        found += [_sentence(chunk.parts[part], at) for part, at in row.sentences]
    else:
        found += _leads(chunk, row.leads)
    return [
        replace(sentence, id=f"S{source + 1}.{number}", source=source)
        for number, sentence in enumerate(found, 1)
    ]


def _heading_sentence(row: Row, chunk: StoredChunk) -> Sentence:
    """A heading as a sentence, at its lines, or at the top of the file for a page's title."""
    title = row.heading or (chunk.titles[0] if chunk.titles else "")
    for part in chunk.parts:
        if part.kind == "heading" and part.sentences and part.sentences[0].text == title:
            return _sentence(part, 0, row.chapter)
    first = chunk.parts[0]
    line = (
        1 if len(chunk.titles) <= 1 or title == chunk.titles[0] else first.sentences[0].first_line
    )
    # Before the first block: the title is on the page, but in no block of the file.
    return Sentence(
        "", row.chapter or title, 0, "heading", -1, 0, line, line,
        title if row.chapter else "",
    )  # fmt: skip


def _sentence(part: ChunkPart, at: int, instead: str = "") -> Sentence:
    own = part.sentences[at]
    return Sentence(
        "", instead or own.text, 0, part.kind, part.block, part.paragraph,
        own.first_line, own.last_line, own.text if instead else own.quote,
    )  # fmt: skip


def _leads(chunk: StoredChunk, most: int) -> list[Sentence]:
    """The first statements of a chunk, of one paragraph if that has enough."""
    context = Context((Source("book", 1.0, chunk),), ())
    found: list[Sentence] = []
    for part in chunk.parts:
        if part.kind not in PROSE_KINDS or part.label:
            continue
        for at in range(len(part.sentences)):
            if len(found) == most:
                return found
            sentence = _sentence(part, at)
            said = sentence.text.rstrip()
            if (
                len(said.split()) >= SHORTEST
                and not said.endswith((":", "…"))
                and not sets_a_task(sentence, context)
                and not re.match(r"[\d\W]*$", said)
            ):
                found.append(sentence)
            elif not found:
                break  # the next sentences may refer to one that was left out
    return found


def _claims_of(sentences: Sequence[Sentence]) -> list[DraftClaim]:
    """A heading with the first sentence under it is one claim; each further sentence is another."""
    first, *rest = sentences
    claims: list[DraftClaim] = []
    if first.kind == "heading" and rest:
        mark = "" if first.text.endswith(("?", "!", ":", ".")) else ":"
        lead = rest.pop(0)
        claims.append(DraftClaim(f"{first.text}{mark} {lead.text}", (first.id, lead.id)))
    else:
        claims.append(DraftClaim(first.text, (first.id,)))
    return claims + [DraftClaim(sentence.text, (sentence.id,)) for sentence in rest]
