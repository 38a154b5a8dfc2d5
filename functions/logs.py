"""The one logger. Fields are nouns; a reader's words and keys are never logged."""

from __future__ import annotations

from functools import cache

from aws_lambda_powertools import Logger


@cache
def logger() -> Logger:
    """JSON lines to standard output, one per event."""
    return Logger(service="quoth", utc=True)
