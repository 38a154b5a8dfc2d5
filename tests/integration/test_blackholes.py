"""What is heard while parts take what they are sent and never answer."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator

import pytest

import functions.adapters.aws.outbox
from functions.adapters.postgres.database import GRACE_SECONDS
from functions.lifecycle.begin_finish import BEGIN_SECONDS, LEAST_FINISH_SECONDS
from functions.runtime.settings import Settings
from tests.integration.standing import Standing
from tests.load.blackholes import (
    DATABASE_S,
    READER_S,
    Silences,
    longest_pause,
    silences,
    unreadable,
)

pytest_plugins = ("tests.integration.standing_fixtures",)

NO_DATABASE = {
    "question": "answered|deferred", "selection": "answered", "suggestions": "unavailable",
    "highlight": "deferred|unavailable", "ticket": "queue_unavailable", "session": "ok",
    "feedback": "feedback_unavailable", "figures": "figures_unavailable", "dashboard": "page",
}  # fmt: skip
SAID: dict[tuple[str, ...], dict[str, str]] = {
    ("database",): NO_DATABASE,
    ("login",): NO_DATABASE,
    ("record",): {"selection": "answered"},
    ("index",): {"question": "answered|deferred"},
    ("models",): {"question": "answered|deferred", "selection": "answered"},
    ("provider",): {"figures": "sign_in_unavailable", "dashboard": "page"},
    ("secrets",): dict.fromkeys(("question", "selection", "session", "feedback"), "unavailable"),
    ("database", "index"): NO_DATABASE | {"question": "deferred|unavailable"},
    ("database", "queue"): NO_DATABASE | {"highlight": "unavailable"},
}
"""Of each, the status of the answer or the code of the error. Where there are two, a machine that
is too busy may be taken for a silent part."""


@pytest.fixture(scope="module")
def stage(standing: Standing) -> Iterator[Silences]:
    with silences(standing) as stage:
        yield stage


@pytest.mark.parametrize("silent", SAID, ids="+".join)
def test_everybody_hears_what_they_can_read(stage: Silences, silent: tuple[str, ...]) -> None:
    heard = stage.hear(silent, times=1)
    assert unreadable(heard) == []
    for name, said in SAID[silent].items():
        assert re.fullmatch(said, heard[name][0].said.split()[0]), (name, heard[name])


def test_the_shares_of_a_request_end_before_a_reader_has_waited_too_long() -> None:
    settings = Settings()
    database = BEGIN_SECONDS + GRACE_SECONDS
    record = LEAST_FINISH_SECONDS + GRACE_SECONDS
    sent = functions.adapters.aws.outbox.SEND_SECONDS
    own_work = 1.5  # of a cold function: its queue's client is loaded during the begin
    assert database + own_work <= DATABASE_S
    assert settings.request_seconds + record <= READER_S
    assert database + settings.search_seconds + sent <= READER_S
    assert settings.embedding_seconds + settings.search_seconds < settings.request_seconds


def test_a_machine_that_stands_still_is_told_from_a_part_that_is_silent() -> None:
    with longest_pause() as pause:
        ctypes.PyDLL(None).usleep(400_000)  # no thread of this process runs meanwhile
    assert pause.seconds > 0.2
