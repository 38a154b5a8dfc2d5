"""The trace of the current request: the ids for its log lines, and its failures.

The trace is a context variable: tasks of a request share it, other requests have their own. The
edge starts it; the question and the query's id are added once they are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class Failure:
    """A logged error. `stack` holds code locations and the error's message, no variables."""

    event: str
    error_type: str
    message: str = ""
    stack: str = ""
    about: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Trace:
    """One request, batch or scheduled run. `request_id` comes from the gateway or the runtime."""

    function: str
    request_id: str
    correlation_id: str = ""
    question: str = ""
    session_id: str = ""
    query_id: str = ""
    failures: list[Failure] = field(default_factory=list)

    def as_fields(self) -> dict[str, str]:
        """The ids that each log line holds."""
        ids = {
            "function": self.function,
            "request_id": self.request_id,
            "correlation_id": self.correlation_id,
            "query_id": self.query_id,
        }
        return {name: value for name, value in ids.items() if value}


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """The trace of the current request; None outside of a request."""
    return _current.get()


@contextmanager
def traced(trace: Trace) -> Iterator[Trace]:
    """Make this the current trace within the block."""
    token = _current.set(trace)
    try:
        yield trace
    finally:
        _current.reset(token)


def note_question(question: str, session_id: str, query_id: str = "") -> None:
    """Add the question to the trace. It is stored with a failure and never logged."""
    if (trace := _current.get()) is not None:
        trace.question, trace.session_id = question, session_id
        trace.query_id = query_id or trace.query_id


def note_query(query_id: str) -> None:
    """Add the query's id to the trace."""
    if (trace := _current.get()) is not None:
        trace.query_id = query_id
