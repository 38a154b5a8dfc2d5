"""Questions to suggest on a page: made of its headings, its definitions and the glossary, each
answered from the page without a model before it is suggested."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from functions.adapters.postgres.database import DatabaseRejected, DatabaseUnavailable
from functions.answer.chain import answer_from
from functions.answer.context import PROSE_KINDS
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import BookCalibration
from functions.answer.languages import language_of
from functions.answer.reader import ReaderFailed, read_context
from functions.answer.text.words import LazyPattern, term_set
from functions.answer.write.quote_writer import QuoteWriter
from functions.book.chunks.chunk import StoredChunk
from functions.book.outline import Outline, OutlinePage, bare_name, outline_of
from functions.lifecycle.circuit_breakers import GuardedReader, PartCalls
from functions.lifecycle.not_served import NothingCanAnswer, NotServed
from functions.query.answer_query import BookAnswers
from functions.query.intents.classify import read_intent
from functions.query.lookup import Lookup
from functions.query.overviews.compose import LEFT_OUT
from functions.query.overviews.parse import read_overview
from functions.query.requests import QueryRequest
from functions.web.fields import PageBody

MOST = 3
MOST_TRIED = 8
KEPT_SECONDS = 600
MOST_KEPT = 500
"""Pages whose questions are kept; the oldest go first."""
OUTLINE_SECONDS = 2.5
"""Of each look into the database."""
LONGEST = 100
"""Characters of a heading that is a question."""
ABOUT_PAGE = "What is this page about?"
UNAVAILABLE = (DatabaseUnavailable, DatabaseRejected, NothingCanAnswer, ReaderFailed)

_GLOSSARY = frozenset(("glossary", "glossar", "glossaire", "terms", "terminology"))
_DEFINED = LazyPattern(
    r"(?P<article>the |an? )?(?P<subject>[^\W\d_][\w’'-]*(?: [\w’'-]+){0,4}?)"
    r"(?: \([^)]*\))? (?P<verb>is|are) (?:an?|the|any|one of|what)\b",
    re.IGNORECASE,
)
_ENTRY = LazyPattern(r"(?P<term>[^\W\d_][^:–—.]{1,48}?)(?:: | [–—-] )\S")
_BOUND = frozenset(
    "it this that these those there here he she they we you i one each our its his their my your "
    "for in on at with by from to as if when where while which what who but and so then".split()
)
"""Words that no subject of a definition has."""
_HOW = LazyPattern(r"how to (?P<task>.{3,60})", re.IGNORECASE)


def candidate_questions(
    chunks: Sequence[StoredChunk], glossary: Sequence[StoredChunk]
) -> Iterator[str]:
    """The questions that a page's chunks may answer, in the page's order, each once. Pure.

    A heading that is a question is taken as it is, in any language; the others need English.
    """
    text = " ".join(chunk.text for chunk in chunks)
    made: set[frozenset[str]] = set()
    for question in (*_of_page(chunks, text), *_of_glossary(glossary, text)):
        if (terms := term_set(question)) and terms not in made:
            made.add(terms)
            yield question


def _of_page(chunks: Sequence[StoredChunk], text: str) -> Iterator[str]:
    for chunk in chunks:
        title = chunk.titles[-1] if chunk.titles else ""
        if LEFT_OUT.match(title):
            continue
        if title.endswith("?") and len(title) <= LONGEST and len(term_set(title)) > 1:
            yield title
        elif found := _HOW.fullmatch(title):
            yield f"How do I {found['task'][:1].lower()}{found['task'][1:].rstrip('.')}?"
        about = term_set(" ".join(chunk.titles))
        for part in chunk.parts:
            for sentence in part.sentences if part.kind in PROSE_KINDS else ():
                found = _DEFINED.match(sentence.text)
                if found and term_set(found["subject"]) & about and _stands_alone(found):
                    yield _what_is(found, text)


def _stands_alone(found: re.Match[str]) -> bool:
    """Whether a subject is one, and says what is meant without what stands before it in the page,
    as "the gap" does not."""
    subject, words = found["subject"], found["subject"].lower().split()
    if _BOUND & set(words) or (len(words) > 1 and words[0].endswith("ing")):
        return False
    return (found["article"] or "").lower() != "the " or len(term_set(subject)) > 1


def _what_is(found: re.Match[str], text: str) -> str:
    article, subject = (found["article"] or "").lower(), found["subject"]
    lower = subject[:1].lower() + subject[1:]
    if not article and re.search(rf"(?<!\w){re.escape(lower)}\b", text):
        subject = lower  # its capital was the sentence's
    return f"What {found['verb']} {article}{subject}?"


def _of_glossary(chunks: Sequence[StoredChunk], text: str) -> Iterator[str]:
    """Of the terms that the glossary has an entry for, those that the page uses."""
    for chunk in chunks:
        lines = (sentence.text for part in chunk.parts for sentence in part.sentences)
        entries = (found["term"] for line in lines if (found := _ENTRY.match(line)))
        for term in (*chunk.titles[1:], *entries):
            if re.search(rf"(?<!\w){re.escape(term)}\b", text, re.IGNORECASE):
                yield f"What does “{term}” mean?"


@dataclass
class Suggestions:
    """The questions of each page, kept for ten minutes. Calls no model and records nothing."""

    answers: BookAnswers
    _kept: dict[tuple[str, ...], tuple[float, tuple[str, ...]]] = field(default_factory=dict)

    async def of(self, page: PageBody) -> tuple[str, ...]:
        """At most three questions; none for a page the book does not have. Raises NotServed."""
        key = (page.source_path, page.permalink, page.version, page.locale)
        kept = self._kept.get(key)
        if kept and kept[0] > time.monotonic():
            return kept[1]
        try:
            questions = await self._make(page)
        except UNAVAILABLE as unavailable:
            raise NotServed("unavailable", 30) from unavailable
        self._kept.pop(key, None)
        self._kept[key] = (time.monotonic() + KEPT_SECONDS, questions)
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return questions

    async def _make(self, asked: PageBody) -> tuple[str, ...]:
        answers, records = self.answers, self.answers.overviews.records
        deadline = Deadline.after(answers.settings.request_seconds)
        outline = outline_of(
            await records.outline(seconds=OUTLINE_SECONDS),
            asked.version or None,
            asked.locale or None,
        )
        page = outline.page_at(asked.source_path, asked.permalink)
        if page is None:
            return ()
        glossaries = _glossaries(outline)
        ids = [entry.chunk_id for each in (page, *glossaries) for entry in each.entries]
        chunks = await records.chunks(ids, seconds=OUTLINE_SECONDS)
        candidates = candidate_questions(
            _chunks_of((page,), chunks), _chunks_of(glossaries, chunks)
        )
        stored = await records.calibration(seconds=OUTLINE_SECONDS)
        links = {each.link for each in (page, *glossaries)}
        calls = PartCalls(answers.local_state.breakers)
        lookup = Lookup(
            answers.settings, answers.records, answers.embeddings, answers.search, calls
        )
        found: list[str] = []
        for question in islice(candidates, MOST_TRIED):
            if len(found) == MOST or not deadline.left():
                break
            if await self._is_answered(
                QueryRequest(question=question, session_id="-", page=asked),
                links, stored, lookup, deadline,
            ):  # fmt: skip
                found.append(question)
        if len(found) < MOST and await self._is_summed_up(asked, chunks.values(), deadline):
            found.append(ABOUT_PAGE)
        return tuple(found)

    async def _is_summed_up(
        self, page: PageBody, chunks: Iterable[StoredChunk], deadline: Deadline
    ) -> bool:
        """Whether an English page has sentences that say what it is about."""
        overview = read_overview(ABOUT_PAGE)
        if overview is None or language_of(" ".join(chunk.text for chunk in chunks)) != "en":
            return False
        asked = QueryRequest(question=ABOUT_PAGE, session_id="-", page=page)
        told = await self.answers.overviews.gather(overview, asked, "", deadline)
        return told is not None and bool(told.writer.claims)

    async def _is_answered(
        self,
        asked: QueryRequest,
        links: set[str],
        stored: Mapping[str, float] | None,
        lookup: Lookup,
        deadline: Deadline,
    ) -> bool:
        """Whether the quotes that answer it are from one of these pages, and answer all of it."""
        question = asked.question
        intent = read_intent(question)
        if not intent.is_searched or intent.topic:
            return False
        answers, settings = self.answers, self.answers.settings
        vector = await lookup.embed(question, deadline) if answers.index_model.fits else None
        context = (await lookup.retrieve(asked, vector, deadline)).context
        if answers.reader is not None:
            reader = GuardedReader(answers.reader, lookup.calls)
            context = await read_context(question, context, reader, deadline)
        calibration = (
            BookCalibration.from_json(stored)
            if stored
            else BookCalibration.shipped(settings.embedding_model)
        )
        answer = await answer_from(
            question,
            context,
            QuoteWriter(settings.max_quotes),
            calibration.of(vector is not None and context.dense is not None),
            "book",
            deadline,
        )
        cited = {(citation.url or "").split("#")[0] for citation in answer.citations}
        return answer.status == "answered" and bool(cited & links)


def _glossaries(outline: Outline) -> tuple[OutlinePage, ...]:
    return tuple(
        page
        for page in outline.pages
        if bare_name(page.path) in _GLOSSARY or page.title.lower() in _GLOSSARY
    )


def _chunks_of(
    pages: Sequence[OutlinePage], chunks: Mapping[str, StoredChunk]
) -> list[StoredChunk]:
    return [
        chunks[entry.chunk_id]
        for page in pages
        for entry in page.entries
        if entry.chunk_id in chunks
    ]
