"""What is known of the request in hand, so that log lines and recorded failures can name it.

A trace lives in the context: tasks that a request starts share its trace, other requests have their
own. The edge begins it; whoever learns the question or the query's id adds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class Failure:
    """Something went wrong. `stack` holds no values, only places, and the error's own message."""

    event: str
    error_type: str
    message: str = ""
    stack: str = ""
    about: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Trace:
    """One request, batch or scheduled run. `request_id` is the gateway's, or the runtime's."""

    function: str
    request_id: str
    correlation_id: str = ""
    question: str = ""
    session_id: str = ""
    query_id: str = ""
    failures: list[Failure] = field(default_factory=list)

    def as_fields(self) -> dict[str, str]:
        """What each log line says of the request: ids only."""
        ids = {
            "function": self.function,
            "request_id": self.request_id,
            "correlation_id": self.correlation_id,
            "query_id": self.query_id,
        }
        return {name: value for name, value in ids.items() if value}


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """The trace of the request in hand, or None outside of one."""
    return _current.get()


@contextmanager
def traced(trace: Trace) -> Iterator[Trace]:
    """The block belongs to this request."""
    token = _current.set(trace)
    try:
        yield trace
    finally:
        _current.reset(token)


def note_question(question: str, session_id: str, query_id: str = "") -> None:
    """What the request asks: kept with a failure, should there be one; never logged."""
    if (trace := _current.get()) is not None:
        trace.question, trace.session_id = question, session_id
        trace.query_id = query_id or trace.query_id


def note_query(query_id: str) -> None:
    """The id that the database gave the query of this request."""
    if (trace := _current.get()) is not None:
        trace.query_id = query_id
