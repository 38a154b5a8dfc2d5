"""`openai_server`: OpenAI on this machine, fresh for each test.

Register with `pytest_plugins = ["tests.openai_server.fixtures"]`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from functions.adapters.openai.client import load_resources
from tests.openai_server import spec
from tests.openai_server.running import serving
from tests.openai_server.service import OpenAIServer


@pytest.fixture(scope="session")
def running_openai_server() -> Iterator[OpenAIServer]:
    # Loaded here: it takes seconds on a busy machine, and tests have time-outs.
    load_resources()
    spec.find_request_error("/v1/embeddings", {})
    server = OpenAIServer()
    with serving(server) as server.base_url:
        yield server


@pytest.fixture
def openai_server(running_openai_server: OpenAIServer) -> Iterator[OpenAIServer]:
    """An empty script. Replies left in it at the end fail the test: it did not ask for them."""
    running_openai_server.reset()
    running_openai_server.embed = None
    yield running_openai_server
    assert running_openai_server.unused == []
