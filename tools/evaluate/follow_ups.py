"""`quoth eval follow-ups`: chains of questions, each after the answer to the one before it.

Nothing is graded: the page is for reading. What is counted can be told without judging an answer.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.answer.refusals import OUT_OF_SCOPE
from functions.lifecycle.begin_finish import Caller
from functions.query.app import build_answers
from functions.query.requests import QueryRequest
from functions.runtime.settings import Settings
from functions.web.responses import QueryResponse
from quoth.golden.evaluate import running_aside
from quoth.stack import running_stack

CHAINS = Path(__file__).with_name("follow_ups.jsonl")
LONGEST = 600
"""Characters of an answer on the page."""
HEAD = """\
# Follow-up questions

Written by `quoth eval follow-ups --write`; not edited by hand. {chains} chains of questions on
{books} books, in quote mode. "About" is the earlier subject that a question was read with; long
answers are cut at "…". The rules are in `functions/query/intents/follow_up.py`.

Of {turns} later questions {refused} were refused as out of scope, and {repeated} got an answer
that the chain had already given.
"""


@dataclass(frozen=True, slots=True)
class Chain:
    """Questions of one reader, in their order, to the book in a folder."""

    book: str
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskedChain:
    """A chain with its answers."""

    chain: Chain
    answers: tuple[QueryResponse, ...]


def read_chains(file: Path) -> list[Chain]:
    rows = map(json.loads, file.read_text("utf-8").splitlines())
    return [Chain(row["book"], tuple(row["turns"])) for row in rows]


async def evaluate_follow_ups(file: Path, roots: Sequence[Path], page: Path | None) -> Any:
    """Ask every chain, and write the page. Books are looked for below the roots."""
    chains = read_chains(file)
    asked: list[AskedChain] = []
    for book in dict.fromkeys(chain.book for chain in chains):
        folder = _folder(book, roots)
        with running_aside() as parts:
            async with running_stack(folder, parts) as stack:
                await stack.ingest_all(lambda _: None)
                of_book = [chain for chain in chains if chain.book == book]
                asked += await ask_chains(stack.settings["query"], of_book)
    if page is not None:
        await asyncio.to_thread(page.write_text, render_page(asked), "utf-8")
    return figures(asked)


def _folder(book: str, roots: Sequence[Path]) -> Path:
    return next(root / book for root in roots if (root / book).is_dir())


async def ask_chains(settings: Settings, chains: Sequence[Chain]) -> list[AskedChain]:
    """Ask chains of one book, each in a session of its own."""
    answers = build_answers(settings)
    asked = []
    for chain in chains:
        session = str(uuid.uuid4())
        found = [
            await answers.answer(
                QueryRequest(question=question, session_id=session), Caller(None, None)
            )
            for question in chain.turns
        ]
        asked.append(AskedChain(chain, tuple(found)))
    await answers.close()
    return asked


def figures(asked: Sequence[AskedChain]) -> dict[str, Any]:
    later = [(each, at) for each in asked for at in range(1, len(each.answers))]
    return {
        "chains": len(asked),
        "books": len({each.chain.book for each in asked}),
        "turns": len(later),
        "refused": sum(each.answers[at].response == OUT_OF_SCOPE for each, at in later),
        "repeated": sum(
            each.answers[at].response in {given.response for given in each.answers[:at]}
            for each, at in later
        ),
    }


def render_page(asked: Sequence[AskedChain]) -> str:
    lines = [HEAD.format(**figures(asked))]
    for number, each in enumerate(asked, 1):
        lines.append(f"## {number}. {Path(each.chain.book).name}: {each.chain.turns[0]}\n")
        for question, answer in zip(each.chain.turns, each.answers, strict=True):
            about = f" (about: {answer.metadata.about})" if answer.metadata.about else ""
            lines += [f"**{question}**{about}\n", *_quoted(answer)]
    return "\n".join(lines).rstrip() + "\n"


def _quoted(answer: QueryResponse) -> list[str]:
    text = answer.response
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(maxsplit=1)[0] + " …"
    lines = [f"> {line}".rstrip() for line in text.splitlines()]
    if answer.clarify:
        lines += [">", "> Offered: " + " · ".join(answer.clarify)]
    places = dict.fromkeys(citation.label for citation in answer.citations[:3])
    return [*lines, "", *([f"— {'; '.join(places)}", ""] if places else [])]
