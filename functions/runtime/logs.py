"""The JSON logger: drops fields that are not allowed and masks the rest.

An error logged during a request is also added to the request's trace, and `record_failures` stores
it in the database; nothing else needs to record it.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from functions.runtime.privacy.personal_data import mask_all
from functions.runtime.settings import settings
from functions.runtime.trace import Failure, current_trace

SERVICE = "quoth"
MAX_FAILURES = 20
"""Failures kept per request."""
STACK_FRAMES = 12

FROM_LOGGER = frozenset(
    "level location message timestamp service exception exception_name stack_trace".split()
)
IDS = frozenset("function request_id correlation_id query_id response_id message_id".split())
OF_REQUESTS = frozenset(
    "route status http_status operation error detail kind part code retry_after_s"
    " blocks_outside chapter_id chapter_title confidence source filtered_count problems stored"
    " answered given_up waiting".split()
)
OF_BOOK = frozenset(
    "source_path key action embedded reused chunks reason warnings counts deleted task done".split()
)
ALLOWED = FROM_LOGGER | IDS | OF_REQUESTS | OF_BOOK
"""Fields of a log line; the logger drops any other.

None holds a reader's words: `detail`, `reason`, `error` and the stacks are masked messages of
libraries and services, `chapter_*` is sent by the page.
"""
DETAIL_FIELDS = ("source_path", "message_id", "part", "code", "reason")
"""Fields of an error's log line that are stored with the failure."""


@cache
def logger() -> Logger:
    """Writes one JSON line per event to standard output, from the configured level up."""
    made = Logger(service=SERVICE, utc=True, json_serializer=_write_line)
    made.addFilter(_note_failures)
    # Powertools would take the level of Lambda's filter, which stays at INFO for the metrics.
    logging.getLogger(SERVICE).setLevel(settings().log_level)
    return made


def _write_line(fields: dict[str, Any]) -> str:
    """The allowed fields as JSON, with personal data masked, in error messages and stacks too."""
    trace = current_trace()
    given = (trace.as_fields() if trace else {}) | fields
    allowed = {name: value for name, value in given.items() if name in ALLOWED}
    plain = json.loads(json.dumps(allowed, default=str))
    return json.dumps(mask_all(plain), separators=(",", ":"))


def _note_failures(record: logging.LogRecord) -> bool:
    """Add errors to the trace. A logging filter that passes every record."""
    trace = current_trace()
    if trace is not None and record.levelno >= logging.ERROR and len(trace.failures) < MAX_FAILURES:
        trace.failures.append(_failure_of(record))
    return True


def _failure_of(record: logging.LogRecord) -> Failure:
    given = record.__dict__
    about = {name: str(given[name]) for name in DETAIL_FIELDS if given.get(name)}
    error = (record.exc_info or sys.exc_info())[1]
    if error is not None:
        stack = "".join(traceback.format_exception(error))
        return Failure(record.getMessage(), type(error).__name__, str(error), stack, about)
    frames = [each for each in traceback.extract_stack() if not _is_logging(each.filename)]
    stack = "".join(traceback.format_list(frames[-STACK_FRAMES:]))
    kind = str(given.get("error") or record.getMessage())
    return Failure(record.getMessage(), kind, str(given.get("detail") or ""), stack, about)


def _is_logging(file: str) -> bool:
    return file in (__file__, logging.__file__) or "aws_lambda_powertools" in file
