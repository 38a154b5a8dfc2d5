"""What is heard while parts take what they are sent and never answer, on a faster clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import functions.adapters.aws.outbox
import functions.adapters.aws.secrets
import functions.adapters.oidc.provider
import functions.adapters.postgres.analytics_query
import functions.analytics.feedback
import functions.lifecycle.begin_finish
import functions.lifecycle.failures
import functions.lifecycle.offline
import functions.query.lookup
import functions.query.suggest
import functions.query.ticket_status
import functions.selected.source
from functions.adapters.postgres.database import GRACE_SECONDS
from functions.lifecycle.begin_finish import BEGIN_SECONDS, LEAST_FINISH_SECONDS
from functions.runtime.settings import Settings
from tests.integration.standing import Standing
from tests.load.blackholes import DATABASE_S, READER_S, Silences, silences, unreadable

pytest_plugins = ("tests.integration.standing_fixtures",)

CLOCK = {
    functions.adapters.aws.outbox: "SEND_SECONDS",
    functions.adapters.aws.secrets: "TIMEOUT_S",
    functions.adapters.oidc.provider: "TIMEOUT_S",
    functions.adapters.postgres.analytics_query: "SECONDS",
    functions.analytics.feedback: "FEEDBACK_SECONDS",
    functions.lifecycle.begin_finish: "BEGIN_SECONDS",
    functions.lifecycle.failures: "SECONDS",
    functions.lifecycle.offline: "DEFER_SECONDS",
    functions.query.lookup: "LOCATE_SECONDS",
    functions.query.suggest: "OUTLINE_SECONDS",
    functions.query.ticket_status: "TICKET_SECONDS",
    functions.selected.source: "VERIFY_SECONDS",
}
FAST = {"request_seconds": 5.0, "search_seconds": 2.0, "embedding_seconds": 2.0}
AWAY = {
    "question": "answered", "selection": "answered", "highlight": "deferred", "search": "ok",
    "session": "ok", "suggestions": "unavailable", "ticket": "queue_unavailable",
    "feedback": "feedback_unavailable", "figures": "figures_unavailable", "dashboard": "page",
}  # fmt: skip
SAID: dict[tuple[str, ...], dict[str, str]] = {
    ("database",): AWAY,
    ("login",): AWAY,
    ("record",): {"question": "answered", "selection": "answered"},
    ("index",): {"question": "answered", "search": "ok"},
    ("models",): {"question": "answered", "selection": "answered", "search": "ok"},
    ("provider",): {"figures": "sign_in_unavailable", "feedback": "unknown_response"},
    ("secrets",): dict.fromkeys(("question", "selection", "session", "feedback"), "unavailable"),
    ("database", "index"): AWAY | {"question": "deferred", "search": "unavailable"},
    ("database", "models"): AWAY,
    ("database", "queue"): AWAY | {"highlight": "unavailable"},
    ("index", "models"): {"question": "answered", "search": "ok"},
}
"""Of each, the status of the answer or the code of the error."""


@pytest.fixture(scope="module")
def stage(standing: Standing) -> Iterator[Silences]:
    with pytest.MonkeyPatch.context() as clock:
        for module, name in CLOCK.items():
            clock.setattr(module, name, min(2.0, getattr(module, name)))
        with silences(standing, **FAST) as stage:
            yield stage
    standing.retry("query")
    standing.retry("selected")


@pytest.mark.parametrize("silent", SAID, ids="+".join)
def test_everybody_hears_what_they_can_read(stage: Silences, silent: tuple[str, ...]) -> None:
    heard = stage.hear(silent, times=1)
    assert unreadable(heard) == []
    assert {name: heard[name][0].said.split()[0] for name in SAID[silent]} == SAID[silent]


def test_the_shares_of_a_request_end_before_a_reader_has_waited_too_long() -> None:
    settings = Settings()
    database = BEGIN_SECONDS + GRACE_SECONDS
    record = LEAST_FINISH_SECONDS + GRACE_SECONDS
    sent = functions.adapters.aws.outbox.SEND_SECONDS
    assert database < DATABASE_S
    assert settings.request_seconds + record <= READER_S
    assert database + settings.search_seconds + sent <= READER_S
    assert database + sent < READER_S
    assert settings.embedding_seconds + settings.search_seconds < settings.request_seconds
