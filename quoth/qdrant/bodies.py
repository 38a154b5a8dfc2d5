"""Reading request bodies: strict JSON first, then the request models of `qdrant-client`."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quoth.qdrant.errors import Refused

MAX_BODY_BYTES = 32 * 1024 * 1024  # Qdrant's default


def read_body(shape: Any, raw: bytes) -> Any:
    """The body as the given model or union of models.

    Raises `Refused` 400 for what is not JSON, or not of that shape.
    """
    try:
        value = json.loads(raw, parse_float=_finite, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"Format error in JSON body: {error}") from error
    try:
        return _reader(shape).validate_python(value)
    except ValidationError as error:
        raise Refused(400, f"Format error in JSON body: {_describe(error)}") from error
    except RecursionError as error:
        raise Refused(400, "Format error in JSON body: recursion limit exceeded") from error


def check_limit(limit: int | None) -> None:
    """Qdrant answers 422 to a limit under one."""
    if limit is not None and limit < 1:
        raise Refused(
            422,
            f"Validation error in JSON body: [limit: value {limit} invalid, must be 1 or larger]",
        )


@cache
def _reader(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def _describe(error: ValidationError) -> str:
    # A union reports each of its arms; the error that got deepest is the one that was meant.
    deepest = max(error.errors(include_url=False, include_input=False), key=lambda e: len(e["loc"]))
    place = ".".join(str(part) for part in deepest["loc"])
    return f"{place}: {deepest['msg']}" if place else deepest["msg"]


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"number out of range: {text[:20]}")
    return number


def _no_constant(text: str) -> float:
    raise ValueError(f"expected value, found {text}")
