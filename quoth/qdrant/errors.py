"""Refusals of the local server, in Qdrant's words and status codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


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
