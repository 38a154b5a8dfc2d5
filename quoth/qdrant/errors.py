"""Request bodies as models of `qdrant-client`; refusals in Qdrant's words and status codes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError


class StoreInUse(RuntimeError):
    """Another process serves the same data directory: stop it, or choose another directory."""


class Refused(Exception):
    """A request the server does not carry out; `status` is the HTTP code of the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def wrong_input(message: str) -> Refused:
    return Refused(400, f"Wrong input: {message}")


def not_offered(feature: str) -> Refused:
    """Qdrant has it, this server does not."""
    return wrong_input(f"{feature} is not offered by Quoth's local server")


def collection_missing(name: str) -> Refused:
    return Refused(404, f"Not found: Collection `{name}` doesn't exist!")


@contextmanager
def engine_errors(collection: str) -> Iterator[None]:
    """Turn what the engine raises into a `Refused`.

    The engine has no exception types: it raises bare `Exception` with a text, `ValueError` or
    `TypeError` for a value it cannot convert, and a `PanicException` (a `BaseException`) for its
    own defects.
    """
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong_input(str(error)) from error
    except Exception as error:
        if type(error) is not Exception:
            raise
        text = str(error)
        if "Shard is not initialized" in text:  # deleted while this request was running
            raise collection_missing(collection) from error
        if text.startswith("No point with id"):
            raise Refused(404, f"Not found: {text}") from error
        if text.startswith("Service"):
            raise Refused(500, text) from error
        raise wrong_input(text) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise Refused(500, f"Service internal error: {error}") from error


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
