"""The one logger. Fields are nouns; a line says only what `log_fields` allows, masked.

An error that is logged while a request is in hand is also noted with its trace, and the edge stores
it: who logs an error has recorded it.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from functions.runtime.log_fields import ALLOWED
from functions.runtime.privacy.personal_data import mask_all
from functions.runtime.settings import settings
from functions.runtime.trace import Failure, current_trace

SERVICE = "quoth"
MAX_FAILURES = 20
"""Failures kept of one request."""
FRAMES = 12


@cache
def logger() -> Logger:
    """JSON lines to standard output, one per event, from the level of the settings on."""
    made = Logger(
        service=SERVICE, level=settings().log_level, utc=True, json_serializer=_write_line
    )
    made.addFilter(_note_failures)
    return made


def _write_line(fields: dict[str, Any]) -> str:
    """A line of allowed fields, without personal data, also where an error's message or stack
    quotes a reader."""
    trace = current_trace()
    given = (trace.as_fields() if trace else {}) | fields
    allowed = {name: value for name, value in given.items() if name in ALLOWED}
    plain = json.loads(json.dumps(allowed, default=str))
    return json.dumps(mask_all(plain), separators=(",", ":"))


def _note_failures(record: logging.LogRecord) -> bool:
    """A filter that lets all pass."""
    trace = current_trace()
    if trace is not None and record.levelno >= logging.ERROR and len(trace.failures) < MAX_FAILURES:
        trace.failures.append(_failure_of(record))
    return True


ABOUT = ("source_path", "message_id", "part", "code", "reason")


def _failure_of(record: logging.LogRecord) -> Failure:
    given = record.__dict__
    about = {name: str(given[name]) for name in ABOUT if given.get(name)}
    error = (record.exc_info or sys.exc_info())[1]
    if error is not None:
        stack = "".join(traceback.format_exception(error))
        return Failure(record.getMessage(), type(error).__name__, str(error), stack, about)
    frames = [each for each in traceback.extract_stack() if not _is_logging(each.filename)]
    stack = "".join(traceback.format_list(frames[-FRAMES:]))
    kind = str(given.get("error") or record.getMessage())
    return Failure(record.getMessage(), kind, str(given.get("detail") or ""), stack, about)


def _is_logging(file: str) -> bool:
    return file in (__file__, logging.__file__) or "aws_lambda_powertools" in file
