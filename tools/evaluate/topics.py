"""Does each question count for the section that its author names, and are the questions that a book
does not treat grouped by what they ask?"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from functions.adapters.postgres.topic_records import Asked, vector_hash
from functions.analytics.topics.group import group_questions, pack, unpack
from functions.book.chunks.chunk import StoredChunk
from functions.lifecycle.begin_finish import Caller
from functions.query.app import build_answers
from functions.query.requests import QueryRequest
from functions.runtime.settings import Settings
from functions.web.responses import QueryResponse
from quoth.calibrate.local_index import embedding_model
from quoth.golden.ask import Placed, load_questions
from quoth.golden.evaluate import running_aside
from quoth.golden.grade import holds_chunk, is_in
from quoth.parts import DATABASE
from quoth.stack import running_stack
from quoth.statistics import share

_COUNTED = """
    SELECT query_id::text, body FROM answer_facts JOIN chunks ON id = chunk_id
    WHERE status IN ('answered', 'partial') AND claims > 0
"""


@dataclass(frozen=True, slots=True)
class Counted:
    """A question that was answered, and the chunk whose section it counts for."""

    asked: Placed
    reply: QueryResponse
    chunk: StoredChunk

    def is_right(self, level: str) -> bool:
        """Whether the author names this section (page, chapter's folder) too."""
        if level == "section":
            return any(holds_chunk(place, self.chunk) for place in self.asked.places)
        named = {_part(place.source_path, level) for place in self.asked.places}
        return _part(self.chunk.source_path, level) in named

    @property
    def cites_place(self) -> bool:
        """Whether any statement is cited from where the author says."""
        cited = self.reply.citations
        return any(is_in(place, each) for place in self.asked.places for each in cited)


async def evaluate_topics(book: Path, questions: Path) -> dict[str, Any]:
    """Asks and records questions as readers' are: of those answered, the share that counts for the
    section (page, chapter's folder) that the author names; the same of those whose answer cites it
    at all; and the groups of the refused ones. `questions` name no sections in JSON Lines, only
    pages. Raises BadRow."""
    known = load_questions(book, questions).questions
    with running_aside() as parts:
        async with running_stack(book, parts) as stack:
            await stack.ingest_all(lambda _: None)
            replies = await _ask(stack.settings["query"], known)
            dsn = parts.postgres.dsn(database=DATABASE)
            chunks = await asyncio.to_thread(_counted_for, dsn)
        pairs = list(zip(known, replies, strict=True))
        refused = [each.asked.question for each, reply in pairs if reply.refusal is not None]
        groups = await _groups(refused)
    asked = [each for each in known if each.asked.wanted == "answer"]
    counted = [
        Counted(each, reply, chunks[reply.query_id])
        for each, reply in pairs
        if each.asked.wanted == "answer" and reply.query_id in chunks
    ]
    shares = _shares(counted, LEVELS[1:] if _has_pages_only(asked) else LEVELS)
    known_of = {"questions": len(asked), "answered": len(counted)}
    return known_of | shares | {"refused": len(refused), "groups": groups}


LEVELS = ("section", "page", "chapter")


def _has_pages_only(asked: Sequence[Placed]) -> bool:
    return all(place.name == place.source_path for each in asked for place in each.places)


def _shares(counted: Sequence[Counted], levels: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for level in levels:
        right = [each for each in counted if each.is_right(level)]
        found[level] = share(len(right), len(counted))
    cited = [each for each in counted if each.cites_place]
    right = [each for each in cited if each.is_right(levels[0])]
    found["answer_cites_it"] = share(len(cited), len(counted))
    found[f"{levels[0]}_of_these"] = share(len(right), len(cited))
    return found


async def _ask(settings: Settings, known: Sequence[Placed]) -> list[QueryResponse]:
    """Each question in a session of its own."""
    answers = build_answers(settings)
    try:
        return [
            await answers.answer(
                QueryRequest(question=each.asked.question, session_id=f"eval-{n}", fresh=True),
                Caller(),
            )
            for n, each in enumerate(known)
        ]
    finally:
        await answers.close()


def _counted_for(dsn: str) -> Mapping[str, StoredChunk]:
    """The chunk that each answered question is counted for, by the question's id."""
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(_COUNTED)
        return {query_id: StoredChunk.from_payload(body) for query_id, body in rows}


def _part(source_path: str, level: str) -> str:
    return source_path if level == "page" else source_path.rpartition("/")[0]


async def _groups(questions: Sequence[str]) -> list[list[str]]:
    """The groups as the dashboard makes them, the largest first, each with its leader first."""
    async with embedding_model() as model:
        vectors = await model.embed(questions, 600.0)
    asked = [Asked(text, text, 1, leads=False) for text in questions]
    packed = {
        vector_hash(text): unpack(pack(vector))
        for text, vector in zip(questions, vectors, strict=True)
    }
    members = await asyncio.to_thread(group_questions, asked, packed)
    groups: dict[str, list[str]] = defaultdict(list)
    for each in sorted(members, key=lambda member: -member.likeness):
        groups[each.leader].append(each.key)
    return sorted(groups.values(), key=len, reverse=True)
