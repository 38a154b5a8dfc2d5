"""Does each question count for the section that its author names, and are the questions that a book
does not treat grouped by what they ask?"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from functions.adapters.postgres.topic_records import Asked, vector_hash
from functions.analytics.topics.group import group_questions, pack, unpack
from functions.query.requests import QueryRequest
from functions.web.responses import QueryResponse
from quoth.calibrate.local_index import embedding_model
from quoth.golden.ask import GoldenSet, Placed, load_golden, unrecorded_chain
from quoth.golden.evaluate import running_aside
from quoth.golden.grade import is_in
from quoth.golden.questions import Place
from quoth.stack import running_stack
from quoth.statistics import share


async def evaluate_topics(book: Path, golden: Path) -> dict[str, Any]:
    """Of the answered golden questions, the share whose first statement is cited from the section
    (page, chapter's folder) that the author names; and the groups of the others. Raises BadRow."""
    known = load_golden(book, golden)
    with running_aside() as parts:
        async with running_stack(book, parts) as stack:
            await stack.ingest_all(lambda _: None)
            async with unrecorded_chain(stack.settings["query"]) as ask:
                replies = {
                    each.asked.question: await ask(
                        QueryRequest(question=each.asked.question, session_id="eval", fresh=True)
                    )
                    for each in known.questions
                }
        return await _count(known, replies)


async def _count(known: GoldenSet, replies: Mapping[str, QueryResponse]) -> dict[str, Any]:
    wanted = [each for each in known.questions if each.asked.wanted == "answer"]
    answered = [each for each in wanted if replies[each.asked.question].claims]
    refused = [
        each.asked.question
        for each in known.questions
        if replies[each.asked.question].refusal is not None
    ]
    found: dict[str, Any] = {"questions": len(wanted), "answered": len(answered)}
    for level in ("section", "page", "chapter"):
        right = [each for each in answered if _is_right(each, replies[each.asked.question], level)]
        found[level] = share(len(right), len(answered))
    return found | {"refused": len(refused), "groups": await _groups(refused)}


def _is_right(placed: Placed, reply: QueryResponse, level: str) -> bool:
    number = reply.claims[0].citations[0]
    citation = next(each for each in reply.citations if each.n == number)
    if level == "section":
        return any(is_in(place, citation) for place in placed.places)
    return _part(citation.source_path, level) in {_path(place, level) for place in placed.places}


def _path(place: Place, level: str) -> str:
    return _part(place.source_path, level)


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
