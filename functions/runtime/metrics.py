"""CloudWatch metrics, written as EMF (embedded metric format) lines to standard output.

The namespace names the stage. Model calls use OpenTelemetry's names (`gen_ai.*`). No name or
dimension holds reader input. The lines do not depend on the log level, and the template keeps
Lambda's own filter at INFO, as which it counts a line without a level.
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

NAMESPACE = "Quoth/{stage}"
LOCAL = "local"

REQUEST_MS = "request.duration"
QUERY_MS = "query.duration"
STEP_MS = "step.{step}.duration"
COST_USD = "query.cost"
TOKENS = "gen_ai.client.token.usage"
CALL_S = "gen_ai.client.operation.duration"
DRIFT = "confidence.drift"

FUNCTION, ROUTE, STATUS, MODE = "function", "route", "status", "mode"
OPERATION, MODEL, TOKEN_TYPE = "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.token.type"
PROVIDER, ERROR = "gen_ai.provider.name", "error.type"


def count_request(route: str, http_status: int, ms: float) -> None:
    """Count an HTTP request. `route` is the app's path template, never the requested path."""
    status = f"{http_status // 100}xx"
    _emit({REQUEST_MS: (MetricUnit.Milliseconds, ms)}, {ROUTE: route, STATUS: status})


def count_query(
    mode: str, status: str, ms: float | None, cost_usd: float, steps: Mapping[str, float]
) -> None:
    """Count a query that was answered or refused, and time each of its steps."""
    values = {COST_USD: (MetricUnit.NoUnit, cost_usd)}
    if ms is not None:
        values[QUERY_MS] = (MetricUnit.Milliseconds, ms)
    for step, step_ms in steps.items():
        values[STEP_MS.format(step=step)] = (MetricUnit.Milliseconds, step_ms)
    _emit(values, {MODE: mode, STATUS: status})


def count_call(operation: str, model: str, seconds: float, error: str = "") -> None:
    """Count a model call. `operation` is `chat` or `embeddings`."""
    dimensions = {PROVIDER: "openai", OPERATION: operation, MODEL: model}
    if error:
        dimensions[ERROR] = error
    _emit({CALL_S: (MetricUnit.Seconds, seconds)}, dimensions)


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
            dimensions = {PROVIDER: "openai", OPERATION: operation, MODEL: model, TOKEN_TYPE: kind}
            _emit({TOKENS: (MetricUnit.Count, tokens)}, dimensions)


def send_metrics_to(handler: logging.Handler) -> None:
    """Write the lines to this handler instead of standard output."""
    handler.setFormatter(logging.Formatter("%(message)s"))
    _writer().handlers = [handler]


def _emit(values: Mapping[str, tuple[MetricUnit, float]], dimensions: Mapping[str, str]) -> None:
    if not _writer().handlers:
        return
    trace = current_trace()
    metrics = EphemeralMetrics(namespace=NAMESPACE.format(stage=settings().stage))
    metrics.add_dimension(FUNCTION, trace.function if trace else "none")
    for name, text in dimensions.items():
        metrics.add_dimension(name, text)
    for name, (unit, value) in values.items():
        metrics.add_metric(name, unit, value)
    if trace:
        metrics.add_metadata("request_id", trace.request_id)
    _writer().info(json.dumps(metrics.serialize_metric_set(), separators=(",", ":")))


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
