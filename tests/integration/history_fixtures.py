"""`history_stage`: the parts that histories of a book are played on, one for a module."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator

import pytest

from functions.runtime.logs import logger
from tests.integration.histories import Player
from tests.integration.history_stage import HistoryStage
from tests.postgres_fixtures import BookDatabase


@pytest.fixture(scope="module")
def player(
    module_database: BookDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Player]:
    level = logger().log_level
    logger().setLevel(logging.CRITICAL)
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        patch.setattr("functions.ingest.ingest_document.LEASE_PATIENCE_SECONDS", 0.0)
        patch.setattr("functions.ingest.lease.WAIT_SECONDS", 0.001)
        stage = HistoryStage(module_database, tmp_path_factory.mktemp("index"))
        runner.run(stage.begin())
        yield Player(stage, runner.run)
        runner.run(stage.close())
    logger().setLevel(level)
