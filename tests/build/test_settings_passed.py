"""What the functions read of their settings, and what template.yaml passes them, are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from functions.runtime.settings import PREFIX, Settings
from quoth.doctor.deployment import CLIENT_SECRET, CONFIDENTIAL
from tests.build import setting_reads
from tests.build.deployment import PROJECT, functions, template
from tests.build.setting_reads import settings_read

NOT_PASSED = {
    "switch": "An SSM parameter says it, so that nothing has to be deployed.",
    "database_pool_size": "A process of Lambda has one request at a time.",
    "outbox_endpoint": "AWS's own address follows from the region.",
    "request_seconds": "Held below the functions' Timeout, which stands in the template.",
    "search_seconds": "A share of request_seconds.",
    "embedding_seconds": "A share of request_seconds.",
    "ingest_seconds": "A share of the Timeout of ingest.",
    "file_seconds": "A share of ingest_seconds.",
    "directory_urls": "The manifest of the built site has the addresses.",
    "heading_ids": "The manifest of the built site has the ids.",
    "manifest_key": "The rule of the bucket's events names the file.",
    "reader_url": "The model's library is not among what is built.",
}
"""Settings that only a laptop and the tests change, and why."""

ANOTHER_ROOMS = {
    ("selected", "session_seconds"): "Only query begins sessions; others look at their end.",
    ("selected", "user_key_parameter"): "Only lookup begins sessions.",
    ("analytics", "user_key_parameter"): "Only lookup begins sessions.",
    ("selected", "rewrite_seconds"): "Only query rewrites follow-up questions.",
    ("analytics", "session_seconds"): "Only query begins sessions; others look at their end.",
}
"""Settings of a shared module that this function never comes to, and why."""

ROOMS = ["query", "lookup", "selected", "analytics", "ingest"]


def passed(room: str) -> set[str]:
    return {
        name.removeprefix(PREFIX).lower()
        for name in functions()[room].variables
        if name.startswith(PREFIX)
    }


def read(room: str) -> set[str]:
    return settings_read(f"{functions()[room].package}.handler")


@pytest.mark.parametrize("room", ROOMS)
def test_a_function_is_passed_what_it_reads_and_nothing_else(room: str) -> None:
    elsewhere = {name for other, name in ANOTHER_ROOMS if other == room}
    assert read(room) - NOT_PASSED.keys() - elsewhere == passed(room)


def test_what_is_not_passed_is_a_setting_that_is_read_and_nobody_passes() -> None:
    everywhere = set.union(*(read(room) for room in ROOMS))
    assert NOT_PASSED.keys() <= everywhere & Settings.model_fields.keys()
    assert not NOT_PASSED.keys() & set.union(*(passed(room) for room in ROOMS))
    for room, name in ANOTHER_ROOMS:
        assert name in read(room) - passed(room)


def test_every_setting_is_read_by_a_function() -> None:
    # A secret's value is given on a laptop; functions read the parameter that holds it.
    values = {name.removesuffix("_parameter") for name in Settings.model_fields}
    everywhere = {name.removesuffix("_parameter") for room in ROOMS for name in read(room)}
    assert values == everywhere


def test_a_setting_is_found_wherever_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = tmp_path / "functions" / "room"
    room.mkdir(parents=True)
    (room / "handler.py").write_text(
        "def handler(event):\n"
        "    from functions.room import far\n"
        "    return settings().bucket, self._read().model, book.docs_root\n"
    )
    (room / "far.py").write_text('KEY = secret(self.settings, "ticket_key")\n')
    monkeypatch.setattr(setting_reads, "PROJECT", tmp_path)
    assert settings_read("functions.room.handler") == {"bucket", "model", "ticket_key_parameter"}


def test_the_template_says_of_every_value_what_the_code_says() -> None:
    """A parameter's default is the setting's own, but where the cloud is another place."""
    differing = {"retry_minutes", "sessions", "allowed_origins", "stage"}
    for room in ROOMS:
        for variable, value in functions()[room].variables.items():
            name = variable.removeprefix(PREFIX).lower()
            if name not in Settings.model_fields or set(value) != {"Ref"} or name in differing:
                continue
            parameter = template()["Parameters"].get(value["Ref"], {})
            if "Default" in parameter:
                given = Settings.model_validate({name: parameter["Default"]})
                assert getattr(given, name) == getattr(Settings(), name), name


def test_the_clients_secret_is_passed_where_the_client_has_one() -> None:
    assert template()["Parameters"]["JwtClient"]["AllowedValues"] == ["public", CONFIDENTIAL]
    assert template()["Conditions"]["WithClientSecret"] == {
        "Fn::Equals": [{"Ref": "JwtClient"}, CONFIDENTIAL]
    }
    variables = functions()["analytics"].variables
    assert variables["QUOTH_ANALYTICS_CLIENT_SECRET_PARAMETER"] == {
        "Fn::Sub": f"${{ParameterPrefix}}/{CLIENT_SECRET}"
    }
    text = yaml.dump(template()["Resources"]["AnalyticsFunction"])
    assert text.count("WithClientSecret") == 1


def test_the_operators_guide_names_every_setting_of_signing_in() -> None:
    page = (PROJECT / "docs" / "guides" / "operator.md").read_text("utf-8")
    named = {
        name
        for name in passed("analytics")
        if name.startswith("analytics_") and f"`{PREFIX}{name.upper()}`" in page
    }
    assert named == {name for name in passed("analytics") if name.startswith("analytics_")}
