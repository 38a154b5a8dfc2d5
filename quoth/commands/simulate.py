"""`quoth simulate`: weeks of made-up readers, for the dashboard, for tests and for load."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click
import httpx2
import psycopg
from rich.progress import Progress

from functions.adapters.postgres.analytics_reviews import Verdict
from functions.adapters.postgres.database import Database
from functions.analytics.metrics.reviews import mark
from functions.answer.gate.thresholds import REVIEW
from functions.book.chunks.chunk import StoredChunk
from functions.runtime.plural import plural
from functions.web.sessions import sign_token
from quoth.commands.progress import console
from quoth.commands.start_stack import check_book, plain_errors, served_book
from quoth.golden.ask import FILE_NAME, load_golden, load_questions
from quoth.json_lines import BadRow
from quoth.parts import DATABASE
from quoth.postgres.embedded import start_server
from quoth.simulated_visits import Ask, Subjects, golden_subjects, made_subjects, plan_visits
from quoth.stack import Stack
from quoth.store import DEFAULT_BOOK, Store, data_folder, store_of

Plan = Callable[[Subjects], Sequence[Sequence[Ask]]]
OK, TOO_MANY = 200, 429
COMMENTS = ("This is not what I asked.", "Too short.", "I could not find it in the chapter.")


class NotAnswered(RuntimeError):
    """A route failed. The message says which, and what it answered."""


@dataclass
class Traffic:
    """What the readers did. `moments`: query id to its simulated time."""

    moments: dict[str, datetime] = field(default_factory=dict)
    refusals: list[tuple[str, bool]] = field(default_factory=list)
    """Response id, and whether it was right to refuse."""
    counts: Counter[str] = field(default_factory=Counter)


async def ask_all(
    client: httpx2.AsyncClient,
    visits: Sequence[Sequence[Ask]],
    seed: int,
    asked: Callable[[], None] = lambda: None,
    session_key: str = "",
) -> Traffic:
    """Send everything to the functions' routes, one after another. `asked` is called after
    each. With `session_key` the requests have the students' tokens. Raises NotAnswered."""
    lot = random.Random(seed)  # noqa: S311  # not for secrets
    traffic = Traffic()
    for visit in visits:
        for ask in visit:
            if session_key:
                session, until = ask.body["session_id"], int(time.time() + SECONDS)
                token = sign_token(session_key, session, "", until, ask.student)
                client.headers["Authorization"] = f"Bearer {token}"
            await _ask(client, ask, lot, traffic)
            asked()
    return traffic


async def mark_refusals(
    traffic: Traffic, mark: Callable[[str, Verdict], Awaitable[None]], seed: int, share: float = 0.4
) -> None:
    """Review a random share of the refusals."""
    lot = random.Random(seed)  # noqa: S311  # not for secrets
    for response_id, was_right in traffic.refusals:
        if lot.random() < share:
            await mark(response_id, "good_refusal" if was_right else "should_have_answered")
            traffic.counts["reviewed"] += 1


async def _ask(client: httpx2.AsyncClient, ask: Ask, lot: random.Random, traffic: Traffic) -> None:
    reply = await client.post(ask.path, json=ask.body)
    if reply.status_code == TOO_MANY:
        traffic.counts["limited"] += 1
        return
    if reply.status_code != OK:
        raise NotAnswered(f"{ask.path} answered {reply.status_code}: {reply.text[:300]}")
    answer: dict[str, Any] = reply.json()
    traffic.counts[answer["status"]] += 1
    traffic.moments[answer["query_id"]] = ask.at
    if answer["status"] == "refused" and answer["refusal"]["reason"] != "inappropriate":
        traffic.refusals.append((answer["response_id"], not ask.about_book))
    rating = _rate(answer, ask, lot)
    if rating is None:
        return
    body = {
        "response_id": answer["response_id"],
        "session_id": ask.body["session_id"],
        "rating": rating,
    }
    if rating == "not_helpful" and lot.random() < 0.4:
        body["comment"] = lot.choice(COMMENTS)
    said = await client.post("/feedback", json=body)
    if said.status_code != OK:
        raise NotAnswered(f"/feedback answered {said.status_code}: {said.text[:300]}")
    traffic.counts[rating] += 1


def _rate(answer: dict[str, Any], ask: Ask, lot: random.Random) -> str | None:
    """A rating, from few: refusals of what the book treats annoy, sure answers help."""
    if answer["status"] == "refused":
        annoyed = 0.5 if ask.about_book else 0.05
        return "not_helpful" if lot.random() < annoyed else None
    if lot.random() > 0.3:
        return None
    helped = 0.93 if (answer["metadata"]["confidence"] or 0) >= REVIEW else 0.7
    return "helpful" if lot.random() < helped else "not_helpful"


_MOVED = "CREATE TEMPORARY TABLE moved (query_id uuid PRIMARY KEY, at timestamptz) ON COMMIT DROP"
_STEPS = (
    # What they cost goes with them.
    """INSERT INTO spend_days AS spent (day, queries, input_tokens, output_tokens, cost_usd)
    SELECT day, sum(sign), sum(sign * input_tokens), sum(sign * output_tokens), sum(sign * cost_usd)
    FROM moved JOIN queries USING (query_id) JOIN responses USING (query_id),
        LATERAL (VALUES ((at AT TIME ZONE 'UTC')::date, 1),
            ((created_at AT TIME ZONE 'UTC')::date, -1)) AS side (day, sign)
    GROUP BY day
    ON CONFLICT (day) DO UPDATE SET queries = spent.queries + excluded.queries,
        input_tokens = spent.input_tokens + excluded.input_tokens,
        output_tokens = spent.output_tokens + excluded.output_tokens,
        cost_usd = spent.cost_usd + excluded.cost_usd""",
    """UPDATE feedback SET created_at = at + interval '1 minute'
    FROM moved JOIN responses USING (query_id)
    WHERE feedback.response_id = responses.response_id""",
    """UPDATE admissions SET accepted_at = at, started_at = at + (started_at - accepted_at),
        finished_at = at + (finished_at - accepted_at)
    FROM moved WHERE admissions.query_id = moved.query_id""",
    """UPDATE responses SET created_at = at + (created_at - asked_at)
    FROM moved JOIN queries USING (query_id) WHERE responses.query_id = moved.query_id""",
    "UPDATE queries SET asked_at = at FROM moved WHERE queries.query_id = moved.query_id",
    """UPDATE answer_facts SET asked_at = at, changed_at = clock_timestamp()
    FROM moved WHERE answer_facts.query_id = moved.query_id""",
    "DELETE FROM topic_sums",
    "DELETE FROM figure_days",
    "DELETE FROM figure_weeks",
    "DELETE FROM figures_seen",
)


def move_to(dsn: str, moments: Mapping[str, datetime]) -> int:
    """Set each query's time, as the owner of the database. Returns the number of queries."""
    with psycopg.connect(dsn) as connection, connection.cursor() as cursor:
        cursor.execute(_MOVED)
        with cursor.copy("COPY moved FROM STDIN") as copy:
            for query_id, at in moments.items():
                copy.write_row((str(uuid.UUID(query_id)), at))
        for step in _STEPS:
            cursor.execute(step)
        cursor.execute("SELECT count(*) FROM moved JOIN queries USING (query_id)")
        row = cursor.fetchone()
    return int(row[0]) if row else 0


SECONDS = 60.0
MARK = "simulated"
"""A file of this name marks a store that no real reader has used."""


@click.command()
@click.argument("book", type=click.Path(path_type=Path), default=DEFAULT_BOOK)
@click.option("--weeks", type=click.IntRange(1, 12), default=4, show_default=True)
@click.option("--queries", type=click.IntRange(1, 100_000), default=1000, show_default=True)
@click.option("--students", type=click.IntRange(1, 10_000), default=60, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the random visits.")
@click.option("--data", type=click.Path(path_type=Path), help="Where the book's data is kept.")
@click.option(
    "--questions",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="What they ask: golden YAML, or JSON Lines (question, gold_path); the book's golden.yaml.",
)
@click.option("--yes", is_flag=True, help="Write even to a store that real readers may have used.")
def simulate(
    book: Path,
    weeks: int,
    queries: int,
    students: int,
    seed: int,
    data: Path | None,
    questions: Path | None,
    yes: bool,
) -> None:
    """Simulate readers who ask BOOK questions over the last weeks.

    Each question is answered, refused, limited and recorded by the functions like a real one;
    afterwards the recorded times are moved into the past. They ask what --questions or the book's
    golden.yaml asks, else questions made from its sentences; small talk, follow-ups and repeats
    besides. A JSON line without gold_path (the file that answers it) is a question that the book
    does not treat. The results go to a separate store, which `quoth up --data` shows.
    """
    book = check_book(book)
    data = data or data_folder() / "simulated"
    store = store_of(book, data)
    if not claim_store(store, yes):
        raise click.ClickException(
            f"{store.folder} was not made by a simulation; made-up queries would stand among real"
            " ones. Give another --data, or --yes."
        )
    planned = partial(
        plan_visits, weeks=weeks, queries=queries, students=students, until=datetime.now(UTC),
        seed=seed,
    )  # fmt: skip
    with plain_errors(NotAnswered, BadRow, psycopg.Error):
        traffic = asyncio.run(_simulate(book, store, questions, planned, seed))
    said = ", ".join(f"{count} {name}" for name, count in sorted(traffic.counts.items()))
    click.echo(
        f"{plural(len(traffic.moments), 'query', 'queries')} over {plural(weeks, 'week')}: {said}"
    )
    click.echo(f"Look at them with: quoth up {book} --data {data}")


def claim_store(store: Store, yes: bool) -> bool:
    """Whether the simulation may write there: a store it makes or has made, else with leave."""
    sign = store.folder / MARK
    if sign.exists() or yes:
        return True
    if store.folder.exists():
        return False
    store.folder.mkdir(parents=True)
    sign.touch()
    return True


async def _simulate(
    book: Path, store: Store, questions: Path | None, planned: Plan, seed: int
) -> Traffic:
    async with served_book(book, store, 0) as served:
        owner = start_server(store.folder / "postgres").dsn(database=DATABASE)
        visits = planned(_subjects(book, questions, _chunks(owner)))
        key = served.stack.settings["query"].session_key
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task("Asking", total=sum(map(len, visits)))
            async with httpx2.AsyncClient(base_url=served.url, timeout=SECONDS) as client:
                traffic = await ask_all(client, visits, seed, lambda: progress.advance(task), key)
        await _review(served.stack, traffic, seed)
        await asyncio.to_thread(move_to, owner, traffic.moments)
    return traffic


def _subjects(book: Path, questions: Path | None, chunks: list[StoredChunk]) -> Subjects:
    """What a file asks, or the book's golden questions, or made ones."""
    if questions:
        subjects = golden_subjects(chunks, load_questions(book, questions))
        if not subjects.treated:
            raise BadRow(questions, 0, "asks nothing that a page of the book answers")
        return subjects
    file = book / FILE_NAME
    if not file.is_file():
        return made_subjects(chunks)
    return golden_subjects(chunks, load_golden(book, file, strict=False))


async def _review(stack: Stack, traffic: Traffic, seed: int) -> None:
    database = Database(stack.settings["analytics"].database_url)
    try:
        await mark_refusals(traffic, lambda id, verdict: mark(database, id, verdict), seed)
    finally:
        await database.close()


def _chunks(dsn: str) -> list[StoredChunk]:
    with psycopg.connect(dsn, connect_timeout=10) as connection:
        rows = connection.execute("SELECT body FROM chunks ORDER BY document_id, ordinal")
        return [StoredChunk.from_payload(row[0]) for row in rows]
