"""`quoth setup`: asks, tests, and stores what a stage needs; never shows a secret."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from quoth.commands.setup import setup
from quoth.doctor.aws_checks import client
from quoth.doctor.deployment import NotConfigured, split_overrides
from quoth.events.resources import REGION
from quoth.postgres.migrate import ROLES
from quoth.setup.write import pooled_of, write_parameters
from tests.integration.stage_fixtures import (
    FULL,
    READS,
    SetUp,
)
from tests.openai_server.service import API_KEY
from tests.postgres_fixtures import BookDatabase


@pytest.fixture
def values(set_up: SetUp, fresh_database: BookDatabase, pooler_port: int) -> dict[str, str]:
    """Right answers to every question, and a samconfig.toml that knows only the stage."""
    prefix, address = (set_up.parameters[n] for n in ("ParameterPrefix", "OpenAiBaseUrl"))
    (set_up.folder / "samconfig.toml").write_text(
        "# mine\nversion = 0.1\n\n[dev.deploy.parameters]\nconfirm_changeset = true # asks\n"
        f'parameter_overrides = "Stage=dev ParameterPrefix={prefix} OpenAiBaseUrl={address}"\n\n'
        "[prod.deploy.parameters]\nresolve_s3 = true\n"
    )
    return {
        "allowed_origins": "https://book.example.org",
        "alert_email": "",
        "networks": "203.0.113.0/24=300,2001:db8:7::/48=600",
        "qdrant_url": set_up.parameters["QdrantUrl"],
        "qdrant_query_key": READS,
        "qdrant_ingest_key": FULL,
        "database_owner_url": fresh_database.dsn(),
        "database_pooled_host": f"127.0.0.1:{pooler_port}",
        "openai_api_key": API_KEY,
    }


def run(folder: Path, given: dict[str, str] | None, typed: str = "", stage: str = "dev") -> Result:
    asked = ["--project", str(folder), "--region", REGION, "--stage", stage]
    if given is not None:
        file = folder / "answers.yaml"
        file.write_text(yaml.safe_dump(given))
        file.chmod(0o600)
        asked += ["--from", str(file)]
    done = CliRunner().invoke(setup, asked, input=typed)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    for secret in (READS, FULL, API_KEY, "postgresql://"):
        assert secret not in done.output
    return done


def stored(set_up: SetUp) -> dict[str, dict[str, Any]]:
    pages = (
        client("ssm", REGION)
        .get_paginator("get_parameters_by_path")
        .paginate(Path=set_up.parameters["ParameterPrefix"], Recursive=True, WithDecryption=True)
    )
    prefix = len(set_up.parameters["ParameterPrefix"]) + 1
    return {each["Name"][prefix:]: each for page in pages for each in page["Parameters"]}


def keep_passwords(monkeypatch: pytest.MonkeyPatch, database: BookDatabase) -> None:
    """The pooler of the tests knows the roles' passwords from its start on."""
    passwords = iter(database.server.passwords[f"quoth_{room}"] for room in ROOMS_IN_ORDER)
    monkeypatch.setattr(
        "quoth.setup.write.secrets.token_urlsafe",
        lambda length: next(passwords, "made up, as long as a key has to be"),
    )


ROOMS_IN_ORDER = ("query", "selected", "analytics", "ingest")


def test_stores_what_works_and_the_doctor_agrees(
    set_up: SetUp,
    values: dict[str, str],
    fresh_database: BookDatabase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as kept:
        keep_passwords(kept, fresh_database)
        done = run(set_up.folder, values)
    assert done.exit_code == 0, done.output
    found = stored(set_up)
    assert {each["Type"] for each in found.values()} == {"SecureString"}
    assert set(found) == set(set_up.secrets)
    assert found["query/qdrant-api-key"]["Value"] == READS
    assert (
        f"quoth_selected:{fresh_database.server.passwords['quoth_selected']}@"
        in (found["selected/database-url"]["Value"])
    )
    text = (set_up.folder / "samconfig.toml").read_text()
    config = tomllib.loads(text)
    written = split_overrides(config["dev"]["deploy"]["parameters"]["parameter_overrides"])
    assert written["AllowedOrigins"] == "https://book.example.org"
    assert written["Networks"] == "203.0.113.0/24=300,2001:db8:7::/48=600"
    assert written["Stage"] == "dev"
    assert "AlertEmail" not in written
    assert text.startswith("# mine\n")
    assert "confirm_changeset = true # asks" in text
    assert config["prod"] == {"deploy": {"parameters": {"resolve_s3": True}}}
    set_up.secrets, set_up.parameters = {}, written
    code, _, told = set_up.examine("--strict")
    assert code == 0, told
    ceiling = "SELECT monthly_ceiling_usd::float8 FROM limit_settings"
    assert fresh_database.run(ceiling) == [(30.0,)]  # without an answer there is one
    # A second time nothing has to be given, and nothing changes.
    again = run(set_up.folder, {})
    assert again.exit_code == 0, again.output
    assert "Written: samconfig.toml" in again.output
    assert {n: e["Version"] for n, e in stored(set_up).items()} == {
        n: e["Version"] for n, e in found.items()
    }


@pytest.mark.parametrize(
    ("name", "value", "check"),
    [
        ("qdrant_query_key", FULL, "qdrant.query-key-reads-only"),
        ("openai_api_key", "sk-other", "openai.key"),
        ("database_owner_url", "postgresql://nobody:hidden@127.0.0.1:9/x", "postgres.owner"),
        ("database_owner_url", "", "postgres.owner"),
        ("allowed_origins", "https://book.example.org/docs", "cors.origins"),
        ("jwt_issuer", "https://login.example.org", "administrators"),
        ("networks", "school=300", "networks"),
        ("monthly_ceiling", "plenty", "postgres.budget"),
    ],
)
def test_stores_nothing_when_a_value_does_not_do(
    set_up: SetUp,
    values: dict[str, str],
    fresh_database: BookDatabase,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    check: str,
) -> None:
    keep_passwords(monkeypatch, fresh_database)
    before = (set_up.folder / "samconfig.toml").read_text()
    done = run(set_up.folder, values | {name: value})
    assert done.exit_code == 1
    assert f"✗ {check}" in done.output
    assert "hidden" not in done.output
    assert stored(set_up) == {}
    assert (set_up.folder / "samconfig.toml").read_text() == before


def test_asks_again_at_the_terminal_and_hides_what_is_typed(
    set_up: SetUp,
    values: dict[str, str],
    fresh_database: BookDatabase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep_passwords(monkeypatch, fresh_database)
    site = [values["allowed_origins"], "", "", "", "", ""]
    index = [values["qdrant_url"], FULL, FULL, values["qdrant_url"], READS, FULL]
    rest = [values["database_owner_url"], values["database_pooled_host"], "", API_KEY]
    done = run(set_up.folder, None, "\n".join([*site, *index, *rest]) + "\n")
    assert done.exit_code == 0, done.output
    assert "Once more, please." in done.output
    assert stored(set_up)["query/qdrant-api-key"]["Value"] == READS


def test_a_client_of_the_issuer_may_have_a_secret_and_the_doctor_looks_for_it(
    set_up: SetUp,
    values: dict[str, str],
    fresh_database: BookDatabase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signing_in = {
        "jwt_issuer": "https://login.example.org",
        "jwt_audience": "dashboard",
        "jwt_client_secret": "of-the-client",
    }
    with monkeypatch.context() as kept:
        keep_passwords(kept, fresh_database)
        done = run(set_up.folder, values | signing_in)
    assert done.exit_code == 0, done.output
    assert "of-the-client" not in done.output
    assert stored(set_up)["analytics/client-secret"]["Value"] == "of-the-client"
    assert '"JwtClient=confidential"' in (set_up.folder / "samconfig.toml").read_text()
    name = f"{set_up.parameters['ParameterPrefix']}/analytics/client-secret"
    client("ssm", REGION).delete_parameter(Name=name)
    # It is the issuer's: nobody here can make one up.
    again = run(set_up.folder, {})
    assert "✗ administrators" in again.output
    assert "give jwt_client_secret" in again.output
    assert "analytics/client-secret" not in stored(set_up)


def test_with_a_cdn_its_secret_is_made_up_as_cloudformation_can_read_it(
    set_up: SetUp,
    values: dict[str, str],
    fresh_database: BookDatabase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = set_up.folder / "samconfig.toml"
    text = config.read_text()
    config.write_text(text.replace("Stage=dev", "Stage=dev Cdn=true", 1))
    assert config.read_text() != text
    with monkeypatch.context() as kept:
        keep_passwords(kept, fresh_database)
        done = run(set_up.folder, values)
    assert done.exit_code == 0, done.output
    made = stored(set_up)["cdn-secret"]
    assert made["Type"] == "String"
    assert made["Value"]
    assert made["Value"] not in done.output
    others = {each["Type"] for name, each in stored(set_up).items() if name != "cdn-secret"}
    assert others == {"SecureString"}
    assert run(set_up.folder, {}).exit_code == 0
    assert stored(set_up)["cdn-secret"]["Value"] == made["Value"]


def test_a_ceiling_that_is_set_is_kept_and_another_is_taken(
    set_up: SetUp,
    values: dict[str, str],
    fresh_database: BookDatabase,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ceiling = "SELECT monthly_ceiling_usd::float8 FROM limit_settings"
    with monkeypatch.context() as kept:
        keep_passwords(kept, fresh_database)
        done = run(set_up.folder, values | {"monthly_ceiling": "12.50"})
    assert done.exit_code == 0, done.output
    assert fresh_database.run(ceiling) == [(12.5,)]
    assert run(set_up.folder, values).exit_code == 0
    assert fresh_database.run(ceiling) == [(12.5,)]


def test_says_what_is_wrong_with_the_file(set_up: SetUp, values: dict[str, str]) -> None:
    del values["openai_api_key"], values["qdrant_url"]
    assert "missing: qdrant_url, openai_api_key" in run(set_up.folder, values).output
    assert "unknown qdrant_key" in run(set_up.folder, values | {"qdrant_key": READS}).output
    assert "has no stage 'moon'" in run(set_up.folder, values, stage="moon").output
    open_file = set_up.folder / "open.yaml"
    open_file.write_text("openai_api_key: x")
    open_file.chmod(stat.S_IRUSR | stat.S_IROTH)
    asked = ["--project", str(set_up.folder), "--region", REGION, "--from", str(open_file)]
    assert "others may read it" in CliRunner().invoke(setup, asked).output
    open_file.chmod(0o600)
    open_file.write_text("key: 'sk-secret\n")
    output = CliRunner().invoke(setup, asked).output
    assert "is no YAML" in output
    assert "sk-secret" not in output


@pytest.mark.parametrize("value", ["a b", 'a"b', "a\nb", "a'b"])
def test_writes_no_parameter_that_sam_would_read_otherwise(tmp_path: Path, value: str) -> None:
    path = tmp_path / "samconfig.toml"
    path.write_text("[dev.deploy.parameters]\n")
    with pytest.raises(NotConfigured, match="AllowedOrigins has a character"):
        write_parameters(path, "dev", {"AllowedOrigins": value}, None)
    assert path.read_text() == "[dev.deploy.parameters]\n"


def test_knows_the_pooled_host_of_neon() -> None:
    host = "ep-quiet-sea-1.eu-central-1.aws.neon.tech"
    assert pooled_of(host, None) == "ep-quiet-sea-1-pooler.eu-central-1.aws.neon.tech"
    assert pooled_of("db.example.org", 5432) == ""
    assert len(ROLES) == len(ROOMS_IN_ORDER)
