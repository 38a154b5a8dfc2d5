"""`quoth doctor` against set-ups with real parts, whole and broken in one place each."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

from quoth.commands.doctor import doctor
from quoth.doctor.aws_checks import client
from quoth.events.resources import REGION
from quoth.qdrant.app import Keys
from tests.integration.stage_fixtures import (
    FULL,
    READS,
    SetUp,
    make_collection,
    serving_index,
)
from tests.openai_server import replies as r
from tests.openai_server.service import API_KEY
from tests.postgres_fixtures import BookDatabase


def wrong(verdicts: dict[str, str]) -> dict[str, str]:
    return {check: verdict for check, verdict in verdicts.items() if verdict != "ok"}


def test_finds_nothing_wrong_with_a_whole_set_up_and_shows_no_secret(set_up: SetUp) -> None:
    code, verdicts, text = set_up.examine("--strict")
    assert (code, wrong(verdicts)) == (0, {})
    assert len(verdicts) > 25
    assert not [secret for secret in set_up.secrets.values() if secret in text]


def test_names_wrong_keys(set_up: SetUp) -> None:
    set_up.secrets |= {
        "query/qdrant-api-key": "not-the-key",
        "ingest/qdrant-api-key": READS,
        "openai-api-key": "sk-wrong",
    }
    code, verdicts, text = set_up.examine()
    assert code == 1
    assert wrong(verdicts) == dict.fromkeys(
        ["qdrant.query-key", "qdrant.ingest-key", "openai.key"], "failed"
    )
    assert "sk-wrong" not in text
    assert "not-the-key" not in text


def test_names_a_query_key_that_may_write(set_up: SetUp) -> None:
    set_up.secrets["query/qdrant-api-key"] = FULL
    _, verdicts, _ = set_up.examine()
    assert wrong(verdicts) == {
        "qdrant.query-key-reads-only": "failed",
        "qdrant.keys-differ": "failed",
    }


def test_names_an_old_server(
    set_up: SetUp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quoth.qdrant.app.QDRANT_VERSION", "1.17.1")
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == {"qdrant.version": "failed"}
    assert "1.17.1" in text


def test_names_an_index_that_is_missing_is_open_or_has_other_vectors(
    set_up: SetUp, tmp_path: Path
) -> None:
    with ExitStack() as exits:
        set_up.parameters["QdrantUrl"] = exits.enter_context(
            serving_index(tmp_path / "open", Keys())
        )
        monkey = exits.enter_context(pytest.MonkeyPatch.context())
        monkey.setattr(
            "functions.adapters.qdrant.chunk_index.payload_indexes",
            lambda: {"active": {"type": "keyword"}, "locale": {"type": "keyword"}},
        )
        asyncio.run(make_collection(set_up.parameters["QdrantUrl"], 384))
        _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == dict.fromkeys(
        ["qdrant.closed", "qdrant.query-key-reads-only", "qdrant.indexes", "qdrant.vectors"],
        "failed",
    )
    assert "active, chapter_id" in text  # of another type, and not there
    assert "locale" not in text


def test_names_a_server_that_is_none_and_one_that_is_away(set_up: SetUp, aws: str) -> None:
    set_up.parameters["QdrantUrl"] = "http://127.0.0.1:9"
    set_up.parameters["OpenAiBaseUrl"] = "http://127.0.0.1:9/v1"
    _, verdicts, _ = set_up.examine()
    assert wrong(verdicts) == {"qdrant.reachable": "failed", "openai.reachable": "failed"}


def test_names_direct_hosts_wrong_roles_and_addresses_that_are_none(
    set_up: SetUp, fresh_database: BookDatabase
) -> None:
    set_up.secrets |= {
        "query/database-url": fresh_database.dsn("quoth_query"),  # past the pooler
        "selected/database-url": set_up.secrets["query/database-url"],
        "ingest/database-url": "the password is hunter2",
    }
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == dict.fromkeys(
        ["postgres.query-pooled", "postgres.selected-role", "postgres.ingest"], "failed"
    )
    assert "hunter2" not in text


def test_names_an_administrator_in_the_place_of_a_function(
    set_up: SetUp, fresh_database: BookDatabase, pooler_port: int
) -> None:
    set_up.secrets["query/database-url"] = fresh_database.pooled(pooler_port).dsn()
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == {"postgres.query-role": "failed"}
    assert "which may do everything" in text


def test_knows_neons_hosts_by_name_and_asks_for_tls(set_up: SetUp) -> None:
    # Nothing of this name answers: only what the address itself tells is looked at.
    host = "ep-quiet-sea-1.eu-central-1.aws.neon.tech"
    set_up.secrets["query/database-url"] = f"postgresql://quoth_query:x@{host}/quoth"
    _, verdicts, _ = set_up.examine()
    assert wrong(verdicts) == dict.fromkeys(
        ["postgres.query-tls", "postgres.query-pooled", "postgres.query-login"], "failed"
    )


def test_names_missing_and_changed_migrations(set_up: SetUp, fresh_database: BookDatabase) -> None:
    fresh_database.run("DELETE FROM migrations WHERE name = '016_privacy.sql'")
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == {"postgres.migrations": "failed"}
    assert "not applied: 016_privacy.sql" in text
    fresh_database.run("INSERT INTO migrations (name, hash) VALUES ('099_later.sql', 'x')")
    fresh_database.run(
        "INSERT INTO migrations (name, hash) SELECT '016_privacy.sql', hash FROM migrations LIMIT 1"
    )
    set_up.parameters["ParameterPrefix"] += "-again"
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == {"postgres.migrations": "failed"}
    assert "of another version of Quoth: 016_privacy.sql, 099_later.sql" in text


@pytest.mark.parametrize("pooled", [True, False])
def test_names_a_role_that_is_missing(
    set_up: SetUp, fresh_database: BookDatabase, pooled: bool
) -> None:
    direct = fresh_database.dsn("quoth_ingest")
    whole = set_up.secrets["ingest/database-url"] if pooled else direct
    set_up.secrets["ingest/database-url"] = whole.replace("quoth_ingest", "quoth_gone")
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == {"postgres.ingest-login": "failed"}
    assert "quoth_gone cannot log in" in text


def test_warns_of_a_budget_without_a_ceiling(set_up: SetUp, fresh_database: BookDatabase) -> None:
    fresh_database.run("UPDATE limit_settings SET daily_ceiling_usd = NULL")
    code, verdicts, _ = set_up.examine()
    assert (code, wrong(verdicts)) == (0, {"postgres.budget": "warning"})


def test_names_an_empty_account_and_a_model_that_is_not_there(set_up: SetUp) -> None:
    set_up.openai.answer_with(
        lambda request: r.Failure(429, "insufficient_quota", "You exceeded your current quota.")
    )
    _, verdicts, _ = set_up.examine()
    assert wrong(verdicts) == {"openai.budget": "failed"}
    set_up.openai.answer_with(lambda request: r.Failure(404, "model_not_found", "No such model."))
    set_up.parameters |= {"ParameterPrefix": set_up.parameters["ParameterPrefix"] + "-2"}
    set_up.parameters |= {"Model": "gpt-99-sun"}
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == {"openai.model": "failed", "openai.price": "warning"}
    assert "gpt-99-sun" in text


def test_tries_the_model_of_the_judge_unless_it_is_switched_off(set_up: SetUp) -> None:
    def asked() -> list[str]:
        set_up.openai.requests.clear()
        set_up.examine()
        return [each.body["model"] for each in set_up.openai.requests if "model" in each.body]

    set_up.parameters |= {"JudgeModel": "gpt-5.4-nano"}
    assert "gpt-5.4-nano" in asked()
    set_up.parameters |= {"ParameterPrefix": set_up.parameters["ParameterPrefix"] + "-2"}
    set_up.parameters |= {"JudgeModel": "off"}
    assert not {"off", "gpt-5.4-nano"} & set(asked())


def test_names_missing_plain_and_ragged_secrets(set_up: SetUp) -> None:
    prefix = set_up.parameters["ParameterPrefix"]
    client("ssm", REGION).put_parameter(
        Name=f"{prefix}/openai-api-key", Value=f"{API_KEY}\n", Type="String"
    )
    del set_up.secrets["openai-api-key"], set_up.secrets["query/qdrant-api-key"]
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == dict.fromkeys(
        ["ssm.parameters", "ssm.encrypted", "ssm.value"], "failed"
    )
    assert f"not there: {prefix}/query/qdrant-api-key" in text


def test_names_an_account_that_is_too_small_and_sites_that_are_none(set_up: SetUp) -> None:
    set_up.parameters |= {
        "QueryConcurrency": "950",
        "AllowedOrigins": "https://book.example.org/,book.example.org",
    }
    _, verdicts, text = set_up.examine()
    assert wrong(verdicts) == {
        "aws.concurrency": "failed",
        "aws.lookups": "warning",
        "cors.origins": "failed",
    }
    assert "L-B99A9384" in text


def test_stops_where_no_account_can_be_asked(
    set_up: SetUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = set_up.folder / "samconfig.toml"
    set_up.examine()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    done = CliRunner().invoke(doctor, ["--project", str(path.parent)])
    assert done.exit_code == 1
    assert "✗ aws.account" in done.output


def test_says_what_is_not_configured(set_up: SetUp) -> None:
    set_up.examine()
    asked = ["--project", str(set_up.folder), "--stage"]
    done = CliRunner().invoke(doctor, [*asked, "moon"])
    assert done.exit_code == 1
    assert "has no stage 'moon'" in done.output
    del set_up.parameters["QdrantUrl"]
    set_up.parameters["ParameterPrefix"] += "-2"
    with pytest.raises(json.JSONDecodeError) as refused:
        set_up.examine()
    assert refused.value.doc == "Error: QdrantUrl is not set: run `quoth setup --stage dev`\n"
