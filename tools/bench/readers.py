"""Readers who search at the same time: how long `GET /search` takes them.

The app, the index and the embeddings run as processes of their own, as `quoth up` runs the parts;
MiniLM embeds every question.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

from quoth.embeddings.minilm import DIMENSIONS, NAME
from quoth.parts import part_process
from quoth.statistics import percentile
from tools.bench.indexes import OURS, Shelf

Way = Callable[[str], Any]
"""Does it for a question; may be a coroutine function."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What one question takes, in ms: of the clock, of this process's processor time, and of the
    server's. Processor times are the median of rounds, None where the system does not tell."""

    median_ms: float
    p95_ms: float
    cpu_ms: float
    server_cpu_ms: float | None


async def take_turns(
    ways: Mapping[str, Way], rounds: Sequence[Sequence[str]], server: int
) -> dict[str, Taken]:
    """Each round asks new questions in every way, one after another, so that no way benefits from
    earlier answers; the first round is not counted.

    `server` is the id of the server's process.
    """
    clocks: dict[str, list[float]] = {name: [] for name in ways}
    own: dict[str, list[float]] = {name: [] for name in ways}
    others: dict[str, list[float]] = {name: [] for name in ways}
    for number, questions in enumerate(rounds):
        for name, way in ways.items():
            gc.collect()  # garbage of one way must not count against the next
            clock: list[float] = []
            before, begun = processor_ms(server), time.process_time()
            for question in questions:
                at = time.perf_counter()
                done = way(question)
                if inspect.isawaitable(done):
                    await done
                clock.append((time.perf_counter() - at) * 1000)
            taken = (time.process_time() - begun) * 1000 / len(questions)
            after = processor_ms(server)
            if number:
                clocks[name] += clock
                own[name].append(taken)
                if before is not None and after is not None:
                    others[name].append((after - before) / len(questions))
    return {
        name: Taken(
            median(clocks[name]),
            percentile(clocks[name], 0.95),
            median(own[name]),
            median(others[name]) if others[name] else None,
        )
        for name in ways
    }


def processor_ms(process: int) -> float | None:
    """The processor time that a process has used; Linux alone tells of another's."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


SECONDS = 30.0
READERS = 20
PAUSE_S = 1.0


class SearchFailed(RuntimeError):
    """A search was not answered with sections."""


@dataclass(frozen=True, slots=True)
class Waits:
    """How long readers waited for their sections, in ms, and what each search took the processors,
    by process (empty where the system does not tell)."""

    name: str
    searches: int
    per_second: float
    median_ms: float
    p95_ms: float
    cpu_ms: dict[str, float]


async def measure_readers(shelf: Shelf, readers: int = READERS, each: int = 20) -> list[Waits]:
    """`readers` ask `each` times: once a second each, then each again at once when answered.

    Raises SearchFailed.
    """
    with ExitStack() as exits:
        logs = Path(exits.enter_context(TemporaryDirectory(prefix="quoth-readers-")))
        model = exits.enter_context(part_process("quoth.embeddings", ["--port", "0"], logs))
        settings = {
            "QUOTH_DATABASE_URL": "postgresql://unused.invalid/quoth",
            "QUOTH_QDRANT_URL": shelf.url,
            "QUOTH_QDRANT_COLLECTION": OURS,
            "QUOTH_EMBEDDINGS_BASE_URL": f"{model.ready_url()}",
            "QUOTH_EMBEDDING_MODEL": NAME,
            "QUOTH_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        }
        app = exits.enter_context(
            part_process("tools.bench.search_server", [], logs, os.environ | settings)
        )
        processes = {
            "app": app.process.pid,
            "embeddings": model.process.pid,
            "index": shelf.pid,
        }
        questions = [question.text for question in shelf.questions]
        async with httpx2.AsyncClient(base_url=app.ready_url(), timeout=SECONDS) as client:

            async def search(question: str) -> None:
                reply = await client.get("/search", params={"q": question})
                if reply.status_code != httpx2.codes.OK or not reply.json()["sections"]:
                    raise SearchFailed(f"{reply.status_code}: {reply.text[:200]}")

            for question in questions[:10]:
                await search(question)
            return [
                await _asked(name, search, questions, readers, each, pause, processes)
                for name, pause in (("once a second", PAUSE_S), ("without a pause", 0.0))
            ]


async def _asked(
    name: str,
    search: Callable[[str], Awaitable[None]],
    questions: Sequence[str],
    readers: int,
    each: int,
    pause: float,
    processes: dict[str, int],
) -> Waits:
    waits: list[float] = []
    drawn = random.Random(name)  # noqa: S311  # when readers begin, and what they ask

    async def read(start: float) -> None:
        await asyncio.sleep(start)
        due = time.perf_counter()
        for _ in range(each):
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            # From when the reader wanted to ask: a late start is a wait as well.
            begun = due if pause else time.perf_counter()
            await search(drawn.choice(questions))
            waits.append((time.perf_counter() - begun) * 1000)
            due += pause

    before = {part: processor_ms(pid) for part, pid in processes.items()}
    started = time.perf_counter()
    await asyncio.gather(*(read(drawn.uniform(0, pause)) for _ in range(readers)))
    took = time.perf_counter() - started
    after = {part: processor_ms(pid) for part, pid in processes.items()}
    spent: dict[str, float] = {}
    for part, had in before.items():
        has = after[part]
        if had is not None and has is not None:
            spent[part] = (has - had) / len(waits)
    return Waits(name, len(waits), len(waits) / took, median(waits), percentile(waits, 0.95), spent)


def readers_markdown(chunks: int, found: Sequence[Waits]) -> str:
    """The run as Markdown."""
    lines = [
        f"**`GET /search`** at {chunks:,} chunks, {READERS} readers at the same time, over HTTP, in"
        " ms; the processor's time is of each process a search.",
        "",
        "| each reader asks | searches | a second | median | p95 | app | embeddings | index |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in found:
        cpu = " | ".join(
            f"{each.cpu_ms[part]:.1f}" if part in each.cpu_ms else "–"
            for part in ("app", "embeddings", "index")
        )
        lines.append(
            f"| {each.name} | {each.searches:,} | {each.per_second:.0f} | {each.median_ms:.0f} |"
            f" {each.p95_ms:.0f} | {cpu} |"
        )
    return "\n".join(lines) + "\n"
