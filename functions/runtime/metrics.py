"""CloudWatch metrics, written as EMF (embedded metric format) lines to standard output.

AWS bills each metric in each combination of dimensions, so the stage is the only dimension. What
else a line knows (route, mode, model, steps) are properties, which the saved queries of
`infra/monitoring.yaml` read. Model calls use OpenTelemetry's names (`gen_ai.*`). Nothing holds
reader input. The lines do not depend on the log level, and the template keeps Lambda's own filter
at INFO, as which it counts a line without a level.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from functions.runtime.settings import settings
from functions.runtime.trace import current_trace

NAMESPACE = "Quoth"
STAGE = "stage"
LOCAL = "local"

REQUEST_MS = "request.duration"
QUERY_MS = "query.duration"
REFUSED = "query.refused"
COST_USD = "query.cost"
TOKENS = "gen_ai.client.token.usage"
CALL_S = "gen_ai.client.operation.duration"
CALL_FAILED = "gen_ai.client.operation.failed"
DRIFT = "confidence.drift"

STEP_MS = "step.{step}.duration"
FUNCTION, ROUTE, STATUS, MODE = "function", "route", "status", "mode"
OPERATION, MODEL, TOKEN_TYPE = "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.token.type"
PROVIDER, ERROR = "gen_ai.provider.name", "error.type"

Values = Mapping[str, tuple[MetricUnit, float]]


def count_request(route: str, http_status: int, ms: float) -> None:
    """Count an HTTP request. `route` is the app's path template, never the requested path."""
    status = f"{http_status // 100}xx"
    _emit({REQUEST_MS: (MetricUnit.Milliseconds, ms)}, {ROUTE: route, STATUS: status})


def count_query(
    mode: str, status: str, ms: float | None, cost_usd: float, steps: Mapping[str, float]
) -> None:
    """Count a query that was answered or refused, with the time of each of its steps."""
    values = {
        COST_USD: (MetricUnit.NoUnit, cost_usd),
        REFUSED: (MetricUnit.Count, float(status == "refused")),
    }
    if ms is not None:
        values[QUERY_MS] = (MetricUnit.Milliseconds, ms)
    timed = {STEP_MS.format(step=step): step_ms for step, step_ms in steps.items()}
    _emit(values, {MODE: mode, STATUS: status, **timed})


def count_call(operation: str, model: str, seconds: float, error: str = "") -> None:
    """Count a model call. `operation` is `chat` or `embeddings`."""
    values = {
        CALL_S: (MetricUnit.Seconds, seconds),
        CALL_FAILED: (MetricUnit.Count, float(bool(error))),
    }
    about = {PROVIDER: "openai", OPERATION: operation, MODEL: model}
    _emit(values, about | ({ERROR: error} if error else {}))


def count_drift(moved: float) -> None:
    """Count how far confidence has moved from readers' ratings, 0 to 1."""
    _emit({DRIFT: (MetricUnit.NoUnit, moved)}, {})


@contextmanager
def counted_call(operation: str, model: str) -> Iterator[None]:
    """Count the model call in the block, failed or not."""
    started = time.perf_counter()
    try:
        yield
    except Exception as error:
        kind = str(getattr(error, "kind", type(error).__name__))
        count_call(operation, model, time.perf_counter() - started, kind)
        raise
    count_call(operation, model, time.perf_counter() - started)


def count_tokens(operation: str, model: str, input_tokens: int, output_tokens: int) -> None:
    """Count the tokens of a model call."""
    for kind, tokens in (("input", input_tokens), ("output", output_tokens)):
        if tokens:
            about = {PROVIDER: "openai", OPERATION: operation, MODEL: model, TOKEN_TYPE: kind}
            _emit({TOKENS: (MetricUnit.Count, tokens)}, about)


def send_metrics_to(handler: logging.Handler) -> None:
    """Write the lines to this handler instead of standard output."""
    handler.setFormatter(logging.Formatter("%(message)s"))
    _writer().handlers = [handler]


def _emit(values: Values, about: Mapping[str, str | float]) -> None:
    if not _writer().handlers:
        return
    trace = current_trace()
    metrics = EphemeralMetrics(namespace=NAMESPACE)
    metrics.add_dimension(STAGE, settings().stage)
    metrics.add_metadata(FUNCTION, trace.function if trace else "none")
    if trace:
        metrics.add_metadata("request_id", trace.request_id)
    for name, value in about.items():
        metrics.add_metadata(name, value)
    for name, (unit, number) in values.items():
        metrics.add_metric(name, unit, number)
    # Powertools writes lists of values, which Logs Insights would name `query.cost.0`.
    line = metrics.serialize_metric_set() | {name: number for name, (_, number) in values.items()}
    _writer().info(json.dumps(line, separators=(",", ":")))


@cache
def _writer() -> logging.Logger:
    """The logger for metric lines. In the local stage it writes nothing until `send_metrics_to`."""
    writer = logging.getLogger("quoth_metrics")
    writer.propagate = False
    writer.setLevel(logging.INFO)
    if settings().stage != LOCAL:
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(logging.Formatter("%(message)s"))
        writer.addHandler(handler)
    return writer
