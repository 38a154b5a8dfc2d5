"""Secrets come from SSM in one call, tried again while SSM refuses, and failures are not kept."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

import functions.selected.app
from functions.adapters.aws import secrets
from functions.adapters.aws.kill_switch import KillSwitch
from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.runtime.settings import Settings
from quoth.events.emulator import running_emulator
from quoth.events.resources import ACCESS_KEY, REGION, SECRET_KEY, client_of
from tests.parameter_store import ParameterStore, running_store

NAMES = ("database_url", "qdrant_api_key", "openai_api_key", "ticket_key", "session_key", "switch")
SETTINGS = Settings.model_validate({f"{name}_parameter": f"/quoth/{name}" for name in NAMES})
THROTTLED = (400, "ThrottlingException")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ParameterStore]:
    with running_store(monkeypatch) as store:
        store.values = {f"/quoth/{name}": f"value of {name}" for name in NAMES}
        yield store


def test_a_cold_start_asks_once_for_the_switch_and_all_secrets(store: ParameterStore) -> None:
    store.values["/quoth/switch"] = "on"
    assert KillSwitch(lambda: SETTINGS).is_off() is False
    for name in NAMES[:-1]:
        assert secret(SETTINGS, name) == f"value of {name}"
    assert store.asked == [sorted(store.values)]


def test_a_throttled_call_is_tried_again(store: ParameterStore) -> None:
    store.failures = [THROTTLED, (500, "InternalServerError"), (429, "TooManyRequestsException")]
    assert secret(SETTINGS, "ticket_key") == "value of ticket_key"
    assert len(store.asked) == 4


def test_what_the_role_may_not_read_is_not_asked_for_again(store: ParameterStore) -> None:
    store.failures = [(400, "AccessDeniedException")]
    with pytest.raises(SecretUnavailable, match="AccessDenied"):
        secret(SETTINGS, "ticket_key")
    assert len(store.asked) == 1


def test_a_failure_is_not_kept(store: ParameterStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "SECONDS", 0.0)
    store.failures = [THROTTLED]
    with pytest.raises(SecretUnavailable, match="database_url"):
        secret(SETTINGS, "database_url")
    assert secret(SETTINGS, "database_url") == "value of database_url"


def test_a_parameter_that_is_missing_keeps_no_other_away(store: ParameterStore) -> None:
    del store.values["/quoth/openai_api_key"]
    with pytest.raises(SecretUnavailable, match="no parameter '/quoth/openai_api_key'"):
        secret(SETTINGS, "openai_api_key")
    assert secret(SETTINGS, "session_key") == "value of session_key"


def test_more_parameters_than_a_call_takes(
    store: ParameterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "BATCH", 4)
    assert secret(SETTINGS, "ticket_key") == "value of ticket_key"
    assert sorted(len(names) for names in store.asked) == [2, 4]


async def test_a_reader_hears_503_and_the_next_one_is_served(
    store: ParameterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "SECONDS", 0.0)
    store.values |= {"/quoth/switch": "on", "/quoth/session_key": "k" * 32}
    store.failures = [THROTTLED, THROTTLED]  # the switch, then the key of sessions
    settings = SETTINGS.model_copy(update={"sessions": "required"})
    app = functions.selected.app.create(lambda: settings)
    transport = httpx2.ASGITransport(app=app)
    body = {"question": "What?", "session_id": "s" * 8, "selected_text": "word " * 40}
    async with httpx2.AsyncClient(transport=transport, base_url="http://api.test") as client:
        headers = {"authorization": "Bearer x"}
        first = await client.post("/query-selected-text", json=body, headers=headers)
        second = await client.post("/query-selected-text", json=body, headers=headers)
    assert (first.status_code, first.json()["code"]) == (503, "unavailable")
    assert first.headers["retry-after"] == "5"
    assert second.status_code == 401  # the token is none: its key could be read


def test_the_call_is_one_that_ssm_understands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(secrets, "_known", {})
    with running_emulator(services="s3,sqs,events,ssm") as emulator:
        for name, value in {
            "AWS_ENDPOINT_URL": emulator.url,
            "AWS_REGION": REGION,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        }.items():
            monkeypatch.setenv(name, value)
        client_of("ssm", emulator.url).put_parameter(
            Name="/quoth/ticket_key", Value="of SSM", Type="SecureString"
        )
        assert secret(SETTINGS, "ticket_key") == "of SSM"
