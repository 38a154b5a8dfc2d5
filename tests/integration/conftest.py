"""The functions over the sample book, one stage for the whole session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from types import ModuleType
from typing import Any

import pytest

import functions.query.app
import functions.selected.app
from quoth.postgres.embedded import Server
from tests.integration.events import Function, opened
from tests.integration.sample_stage import Stage, running_parts, take_in_sample_book
from tests.integration.stage_fixtures import aws, index_url, set_up  # noqa: F401
from tests.integration.writers import MODEL
from tests.openai_server.service import OpenAIServer

SHARES = "shares"
Open = Callable[..., Function]


@pytest.fixture(scope="session")
async def stage(
    postgres_server: Server, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    """The sample book in real parts. Tests use sessions of their own and mend what they cut."""
    with running_parts(postgres_server, tmp_path_factory.mktemp("index")) as stage:
        await take_in_sample_book(stage)
        yield stage


@pytest.fixture(scope="session")
def running_query(stage: Stage) -> Iterator[Function]:
    with opened(functions.query.app, stage.settings("query")) as function:
        yield function


@pytest.fixture(scope="session")
def running_selected(stage: Stage) -> Iterator[Function]:
    with opened(functions.selected.app, stage.settings("selected")) as function:
        yield function


@pytest.fixture
def query(running_query: Function, stage: Stage) -> Function:
    """The function `query` without a model. What tests before it cut is forgotten."""
    _forget_failures(stage, running_query)
    return running_query


@pytest.fixture
def selected(running_selected: Function, stage: Stage) -> Function:
    """The function `selected` without a model, under its own role and without an index."""
    _forget_failures(stage, running_selected)
    return running_selected


def _forget_failures(stage: Stage, function: Function) -> None:
    function.forget_failures()
    stage.database.run("DELETE FROM part_states")


@pytest.fixture
def writing(stage: Stage, openai_server: OpenAIServer) -> Iterator[Open]:
    """`writing(module, name)`: a function whose answers the test server writes."""
    stage.database.run("DELETE FROM part_states")
    with ExitStack() as exits:

        def open_function(module: ModuleType, name: str, **changes: Any) -> Function:
            given = {
                "openai_api_key": openai_server.api_key,
                "openai_base_url": openai_server.base_url,
                "model": MODEL,
            }
            settings = stage.settings(name, **(given | changes))
            return exits.enter_context(opened(module, settings))

        yield open_function


@pytest.fixture
def writing_query(writing: Open) -> Function:
    """The function `query` with a model."""
    return writing(functions.query.app, "query")


@pytest.fixture
def writing_selected(writing: Open) -> Function:
    """The function `selected` with a model."""
    return writing(functions.selected.app, "selected")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the shares that tests measured, also when all is well."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if name == SHARES:
                terminalreporter.write_line(f"{report.nodeid.rsplit('::', 1)[-1]}: {value}")
