"""The stand-in for AWS's secrets extension, read by the functions' own code."""

from __future__ import annotations

from pathlib import Path

import pytest

from functions.adapters.aws import secrets
from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.runtime.settings import read_settings
from tools.rehearse import secrets_extension

NAMED = read_settings({"QUOTH_DATABASE_URL_PARAMETER": "/quoth/test/query/database-url"})


class Parameters:
    """SSM with one parameter that this role may read."""

    def get_parameter(self, Name: str, WithDecryption: bool) -> object:
        assert WithDecryption
        if Name != "/quoth/test/query/database-url":
            raise PermissionError("AccessDenied")
        return {"Parameter": {"Name": Name, "Value": "postgresql://secret"}}


@pytest.fixture(autouse=True)
def extension(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets._read_once.cache_clear()
    monkeypatch.setenv("AWS_SESSION_TOKEN", "the function's own")
    monkeypatch.setenv(secrets_extension.PORT, "")  # set back at the end
    monkeypatch.setattr(secrets_extension, "_ssm", Parameters)
    secrets_extension.start()


def test_a_function_reads_its_secret_through_the_port_that_the_extension_names() -> None:
    assert secret(NAMED, "database_url") == "postgresql://secret"


def test_a_parameter_the_role_may_not_read_is_unavailable_and_named_in_the_log(
    capfd: pytest.CaptureFixture[str],
) -> None:
    other = read_settings({"QUOTH_QDRANT_API_KEY_PARAMETER": "/quoth/test/ingest/qdrant-api-key"})
    with pytest.raises(SecretUnavailable, match="ingest/qdrant-api-key"):
        secret(other, "qdrant_api_key")
    assert "/quoth/test/ingest/qdrant-api-key: AccessDenied" in capfd.readouterr().err


def test_a_request_without_the_functions_token_gets_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(secrets, "aws_session_token", lambda: "somebody else's")
    with pytest.raises(SecretUnavailable):
        secret(NAMED, "database_url")


def test_the_stand_in_imports_nothing_of_ours() -> None:
    source = Path(secrets_extension.__file__).read_text(encoding="utf-8")
    imported = [
        line for line in source.splitlines() if line.lstrip().startswith(("import ", "from "))
    ]
    assert not [line for line in imported if "quoth" in line or "functions" in line]
    assert imported
