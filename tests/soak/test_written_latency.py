"""Fifty readers of a book whose answers a slow model writes: how long they wait, and for what.

The target is the product's own (95 % of answers within 3 s). The model's delays are drawn, the rest
is real: functions, index, embeddings and database as `quoth up` runs them.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import shutil
import statistics
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.integration.up_process import running_up
from tests.openai_server.replies import Answer, Reply, Slow, Verdicts
from tests.openai_server.running import serving
from tests.openai_server.service import OpenAIServer, Recorded

BOOK = Path(__file__).parents[2] / "examples" / "book"
QUESTIONS = [
    row["question"]
    for row in json.loads(
        (Path(__file__).parents[1] / "integration" / "sample_questions.json").read_text("utf-8")
    )
]
READERS = 50
SECONDS = 60.0
PAUSE_S = 12.0
"""Between a reader's answer and the next question, on average."""
MEDIAN_S, P95_S = 1.2, 2.0
TARGET_MS = 3000


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Under /tmp itself: the database runs under an account of its own."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-latency-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.soak
def test_answers_written_by_a_slow_model_come_in_time(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = random.Random(7)
    spread = math.log(P95_S / MEDIAN_S) / 1.645

    def write(request: Recorded) -> Reply:
        if request.body["text"]["format"]["name"] == "entailment":
            return Slow(drawn.lognormvariate(math.log(MEDIAN_S / 3), spread), Verdicts([True] * 8))
        found = list(request.sentences.items())[:2]
        delay = drawn.lognormvariate(math.log(MEDIAN_S), spread)
        return Slow(delay, Answer([(text, [id]) for id, text in found]))

    server = OpenAIServer()
    server.answer_with(write)
    with serving(server) as base_url:
        monkeypatch.setenv("QUOTH_OPENAI_API_KEY", server.api_key)
        monkeypatch.setenv("QUOTH_OPENAI_BASE_URL", base_url)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        with running_up(BOOK, open_folder) as up:
            answers = asyncio.run(ask_all(up.url))
    written = [a for a in answers if a.get("metadata", {}).get("model")]
    figures = {
        "sent": len(answers),
        "answered": sum(a.get("status") in ("answered", "partial") for a in answers),
        "written": len(written),
        "errors": sum("status" not in a for a in answers),
        **summary("waited_ms", [a["waited_ms"] for a in answers]),
        **summary("written_ms", [a["waited_ms"] for a in written]),
    }
    for step in sorted({step for a in written for step in a["metadata"]["timings_ms"]}):
        times = [a["metadata"]["timings_ms"].get(step, 0.0) for a in written]
        figures |= summary(step, times)
    print(json.dumps(figures))  # noqa: T201
    assert [answer for answer in answers if "status" not in answer] == []
    assert figures["written"] > READERS
    assert figures["written_ms_p95"] < TARGET_MS


async def ask_all(url: str) -> list[dict[str, Any]]:
    chance = random.Random(11)
    async with httpx2.AsyncClient(
        timeout=40, limits=httpx2.Limits(max_connections=READERS)
    ) as client:
        until = asyncio.get_running_loop().time() + SECONDS

        async def read() -> list[dict[str, Any]]:
            clock = asyncio.get_running_loop().time
            session, heard = str(uuid.uuid4()), []
            await asyncio.sleep(chance.uniform(0, PAUSE_S))
            while clock() < until:
                body = {
                    "question": chance.choice(QUESTIONS), "session_id": session, "fresh": True
                }  # fmt: skip
                started = clock()
                reply = await client.post(f"{url}/query", json=body)
                heard.append({**reply.json(), "waited_ms": 1000 * (clock() - started)})
                await asyncio.sleep(chance.expovariate(1 / PAUSE_S))
            return heard

        return [answer for each in await asyncio.gather(*(read() for _ in range(READERS)))
                for answer in each]  # fmt: skip


def summary(name: str, times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        f"{name}_p50": round(statistics.median(ordered), 1),
        f"{name}_p95": round(ordered[math.ceil(0.95 * len(ordered)) - 1], 1),
    }
