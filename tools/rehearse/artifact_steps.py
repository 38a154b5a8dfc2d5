"""The artifacts as Lambda runs them: under its own runtime client, with and without a snapshot."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.build.artifacts import Artifacts
from tools.build.first_requests import FirstRequest, first_requests
from tools.build.gateway_events import sqs_event
from tools.build.lambda_process import Invocation, LambdaProcess
from tools.rehearse.book_steps import QUESTION, Stage
from tools.rehearse.log import Log, StepFailed

ROUNDS = 3
INIT_SECONDS = 60.0
"""The service gives ten, on a machine that does nothing else."""


def run_artifacts(log: Log, stage: Stage, artifacts: Artifacts, python: Path, folder: Path) -> None:
    """Each function under `awslambdaric`, with the variables it was deployed with.

    `python` is the interpreter of the runtime, with nothing on its path but what the runtime has.
    """
    requests = dict(first_requests())
    body = {"question": QUESTION, "session_id": "rehearsal-artifacts-1"}
    requests["query"] = _with(requests["query"], body, stage, (200,))
    asked = {**_body_of(requests["selected"]), "session_id": "rehearsal-artifacts-2"}
    requests["selected"] = _with(requests["selected"], asked, stage, (200,))
    requests["ingest"] = FirstRequest("an empty batch", sqs_event([]), ())
    with log.step("The artifacts under awslambdaric") as seen:
        for room, request in requests.items():
            took: dict[bool, float] = {}
            for snapshot in (False, True):
                answered = [
                    _first_answer(stage, room, request, artifacts, python, folder, snapshot)
                    for _ in range(ROUNDS)
                ]
                took[snapshot] = statistics.median(answered)
            seen.append(
                f"{room}: {request.title} answered; from process start {took[False]:.0f} ms,"
                f" from the restored snapshot {took[True]:.0f} ms"
            )
    log.could_not("a snapshot itself: its hooks ran in one process, and no copy was made of it")


def _first_answer(
    stage: Stage,
    room: str,
    request: FirstRequest,
    artifacts: Artifacts,
    python: Path,
    folder: Path,
    snapshot: bool,
) -> float:
    """Milliseconds to the first answer of a new process, of a snapshot without its start."""
    variables = {**deployed_variables(stage, room), **stage.cloud.environment}
    with LambdaProcess(
        artifacts.of(room),
        f"functions.{room}.handler.handler",
        variables,
        60.0,
        python=python,
        log=folder / "artifacts.log",
        init_s=INIT_SECONDS,
        snapshot=snapshot,
    ) as process:
        if snapshot:
            try:
                process.start()
            except TimeoutError as error:
                raise StepFailed(f"{room}: {error}; see artifacts.log") from error
        invocation = process.invoke(request.event)
    _require_answer(room, request, invocation)
    return invocation.duration_ms


def deployed_variables(stage: Stage, room: str) -> Mapping[str, str]:
    """The variables of a function as the stack has it."""
    (logical,) = [
        each
        for each, kind in stage.deployed.types.items()
        if kind == "AWS::Lambda::Function" and each.lower() == f"{room}function"
    ]
    made = stage.cloud.client("lambda").get_function_configuration(
        FunctionName=stage.deployed.resources[logical]
    )
    variables: dict[str, str] = made["Environment"]["Variables"]
    return variables


def _with(
    request: FirstRequest, body: dict[str, str], stage: Stage, statuses: tuple[int, ...]
) -> FirstRequest:
    """The request with this body, from a reader of the site, with the token of its session."""
    token = stage.reader.open_session(body["session_id"])
    own = {"origin": stage.reader.origin, "authorization": f"Bearer {token}"}
    event = {**request.event, "body": json.dumps(body)}
    event["headers"] = {**request.event["headers"], **own}
    return FirstRequest(request.title, event, statuses)


def _body_of(request: FirstRequest) -> dict[str, Any]:

    body: dict[str, Any] = json.loads(request.event["body"])
    return body


def _require_answer(room: str, request: FirstRequest, got: Invocation) -> None:
    if not request.is_answered_by(got):
        raise StepFailed(f"{room}: {request.title}: {got.outcome} {got.error or got.result}")
