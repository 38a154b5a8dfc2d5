"""Stores the failures of a request in the database (FR-030), after the response is sent.

All of them are in the log already. If one of them is that the database, or the secret with its
address, is unavailable, none is stored.
"""

from __future__ import annotations

from collections.abc import Callable

from functions.adapters.aws.secrets import SecretUnavailable
from functions.adapters.postgres.database import (
    DatabaseBusy,
    DatabaseHangs,
    DatabaseRejected,
    DatabaseUnavailable,
)
from functions.adapters.postgres.query_records import ErrorRecord, QueryRecords
from functions.runtime.logs import logger
from functions.runtime.privacy.personal_data import has_personal_data
from functions.runtime.trace import Failure, Trace

SECONDS = 1.0
MAX_STACK = 16_000
UNREACHABLE = frozenset(
    each.__name__ for each in (DatabaseUnavailable, DatabaseHangs, DatabaseBusy, SecretUnavailable)
)


async def record_failures(trace: Trace, records: Callable[[], QueryRecords]) -> None:
    """Store the trace's failures, masked. Never raises."""
    failures = list(trace.failures)
    if not failures or any(each.error_type in UNREACHABLE for each in failures):
        return
    try:
        given = [_as_record(trace, failure) for failure in failures]
        await records().errors(given, seconds=SECONDS)
    except (DatabaseUnavailable, DatabaseRejected) as error:
        logger().warning("failures not stored", error=type(error).__name__, detail=str(error))
    except Exception as error:  # `records()` may fail as it did for the request, on its settings
        logger().warning("failures not stored", error=type(error).__name__)


def _as_record(trace: Trace, failure: Failure) -> ErrorRecord:
    return ErrorRecord(
        error_type=failure.error_type,
        message=f"{failure.event}: {failure.message}" if failure.message else failure.event,
        stack_trace=failure.stack[-MAX_STACK:],
        function=trace.function,
        affected_query_id=trace.query_id or None,
        detail=failure.about or None,
        request_id=trace.request_id,
        question=trace.question,
        session_id=trace.session_id,
        personal_session=has_personal_data(trace.session_id),
    )
