"""A connection to PostgreSQL that is left open fails the test that opened it.

Otherwise psycopg warns when the collector finds it, in whatever test that happens to be.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from typing import Any
from weakref import ref

import psycopg
import pytest

from tests.postgres_fixtures import dropped

_fresh: list[ref[Any]] = []
_held: list[ref[Any]] = []
"""Connections not looked at yet, and those that something held at the last look."""


@pytest.fixture(scope="session", autouse=True)
def _connections_noted() -> Iterator[None]:
    connect = psycopg.AsyncConnection.connect.__func__  # type: ignore[attr-defined]

    async def connect_and_note(kind: Any, *given: Any, **named: Any) -> Any:
        connection = await connect(kind, *given, **named)
        _fresh.append(ref(connection))
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.AsyncConnection, "connect", classmethod(connect_and_note))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None):  # type: ignore[no-untyped-def]
    """Those that longer-lived fixtures hold stay open, as long as their database is there."""
    yield
    if nextitem is None or nextitem.path != item.path:  # the fixtures of the module have ended
        getattr(item, "funcargs", {}).clear()
        _fresh.extend(_held)
        _held.clear()
    left: list[str] = []
    for connection in _open(_fresh) + _open(_held):
        if connection.info.dbname in dropped:
            left.append(repr(connection))
            connection.pgconn.finish()  # told once is enough
    if _open(_fresh):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", ResourceWarning)
            gc.collect()
        left += [str(each.message) for each in warned if "psycopg" in str(each.message)]
    _held.extend(ref(each) for each in _open(_fresh))
    _fresh.clear()
    assert not left, f"left open: {left}"


def _open(connections: list[ref[Any]]) -> list[Any]:
    found = [connection() for connection in connections]
    return [each for each in found if each is not None and not each.closed]
