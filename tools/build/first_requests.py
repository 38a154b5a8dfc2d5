"""Time from the start of a function's process to its first response, on the built artifact.

No outside service is reachable, so this is the function's own share of a cold start: the
interpreter, the imports, the clients and one response. `selected` answers in full (it needs no
service), `query` reports that it is unavailable, `ingest` returns its message to the queue.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.build.artifacts import FUNCTIONS, Artifacts
from tools.build.environments import BuildFailed
from tools.build.gateway_events import http_event, object_changed, sqs_event
from tools.build.lambda_process import Invocation, LambdaProcess

ROUNDS = 5
TIMEOUT_S = 29.0

NOWHERE = "127.0.0.1:9"
"""The discard port, on which nothing listens: connections fail immediately."""

OUT_OF_REACH = {
    "QUOTH_STAGE": "build",
    "QUOTH_DATABASE_URL": f"postgresql://nobody@{NOWHERE}/quoth",
    "QUOTH_EMBEDDINGS_BASE_URL": f"http://{NOWHERE}/v1",
    "QUOTH_OPENAI_BASE_URL": f"http://{NOWHERE}/v1",
    "QUOTH_BUCKET": "book",
    "AWS_ENDPOINT_URL": f"http://{NOWHERE}",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
}
"""Environment of a function that cannot reach any service."""

QDRANT_OUT_OF_REACH = {"QUOTH_QDRANT_URL": f"http://{NOWHERE}"}
"""Added for the functions that use the index."""

SELECTION = (
    "The zero moment point is the point on the ground where the reaction of the ground acts so"
    " that no horizontal moment is left. A robot that keeps this point inside its foot stands."
)


@dataclass(frozen=True, slots=True)
class FirstRequest:
    """An event, its description, and the statuses that count as an answer."""

    title: str
    event: Mapping[str, Any]
    statuses: tuple[int, ...]

    def is_answered_by(self, got: Invocation) -> bool:
        """Whether the function returned, with one of the statuses if any are given."""
        return got.outcome == "result" and (
            not self.statuses or got.result["statusCode"] in self.statuses
        )


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """Medians over new processes in milliseconds: the first event (cold) and its repeat (warm)."""

    title: str
    cold_ms: float
    warm_ms: float


def first_requests() -> dict[str, FirstRequest]:
    """The timed request of each function."""
    asked = {"question": "What is the zero moment point?", "session_id": "build"}
    selected = asked | {"selected_text": SELECTION}
    change = object_changed("book", "docs/standing.md")
    return {
        "query": FirstRequest("POST /query", http_event("POST", "/query", asked), (200, 503)),
        "selected": FirstRequest(
            "POST /query-selected-text",
            http_event("POST", "/query-selected-text", selected),
            (200,),
        ),
        "analytics": FirstRequest("GET /health", http_event("GET", "/health"), (200,)),
        "ingest": FirstRequest("a changed file", sqs_event([change]), ()),
    }


def environment_of(function: str) -> dict[str, str]:
    """The environment in which a function cannot reach any service."""
    return OUT_OF_REACH | (QDRANT_OUT_OF_REACH if function in ("query", "ingest") else {})


def measure_first_requests(
    artifacts: Artifacts, python: Path, log: Path, rounds: int = ROUNDS
) -> dict[str, FirstAnswer]:
    """Times by function. BuildFailed when one does not answer; its output is in `log`."""
    requests = first_requests()
    cold: dict[str, list[float]] = {name: [] for name in FUNCTIONS}
    warm: dict[str, list[float]] = {name: [] for name in FUNCTIONS}
    for _ in range(rounds):
        for name in FUNCTIONS:
            with LambdaProcess(
                artifacts.of(name),
                f"functions.{name}.handler.handler",
                environment_of(name),
                TIMEOUT_S,
                python=python,
                log=log,
            ) as process:
                for taken in (cold[name], warm[name]):
                    invocation = process.invoke(requests[name].event)
                    _require_answer(name, requests[name], invocation, log)
                    taken.append(invocation.duration_ms)
    return {
        name: FirstAnswer(
            requests[name].title, statistics.median(cold[name]), statistics.median(warm[name])
        )
        for name in FUNCTIONS
    }


def _require_answer(name: str, request: FirstRequest, got: Invocation, log: Path) -> None:
    if not request.is_answered_by(got):
        raise BuildFailed(
            f"{name} did not answer {request.title}: {got.outcome} {got.error or got.result or ''};"
            f" its output is in {log}"
        )
