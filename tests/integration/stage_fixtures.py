"""A stage whose outside parts are all here and real: AWS (emulated), Qdrant, Postgres, OpenAI."""

from __future__ import annotations

import asyncio
import json
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from functions.adapters.qdrant.chunk_index import ChunkIndex
from quoth.commands.doctor import doctor
from quoth.doctor.aws_checks import client
from quoth.doctor.deployment import named_secrets
from quoth.events.emulator import running_emulator
from quoth.events.resources import ACCESS_KEY, REGION, SECRET_KEY
from quoth.qdrant.app import Keys, create_app
from tests.openai_server import replies as r
from tests.openai_server.running import serving
from tests.openai_server.service import API_KEY, OpenAIServer
from tests.postgres_fixtures import BookDatabase

PROJECT = Path(__file__).resolve().parents[2]
FULL, READS = "index-full-key", "index-read-key"
SIZE = 1536


@pytest.fixture(scope="session")
def aws() -> Iterator[str]:
    with running_emulator(services="s3,sqs,events,ssm,sts,lambda,cloudformation") as emulator:
        yield emulator.url


@pytest.fixture(scope="session")
def index_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_index(tmp_path_factory.mktemp("index")) as url:
        asyncio.run(make_collection(url))
        yield url


@contextmanager
def serving_index(folder: Path, keys: Keys = Keys(FULL, READS)) -> Iterator[str]:  # noqa: B008
    app = create_app(folder, keys)
    try:
        with serving(app) as url:
            yield url.removesuffix("/v1")
    finally:
        app.state.store.close()


async def make_collection(url: str, size: int = SIZE) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
        index = ChunkIndex(url, FULL, "book")
    await index.ensure(size)
    await index.aclose()


@dataclass
class SetUp:
    """A stage that the doctor finds nothing wrong with. Tests change it before `examine`."""

    folder: Path
    parameters: dict[str, str]
    secrets: dict[str, str]
    openai: OpenAIServer

    def examine(self, *options: str) -> tuple[int, dict[str, str], str]:
        """Exit code, verdict by check, and the whole text."""
        prefix = self.parameters["ParameterPrefix"]
        ssm = client("ssm", REGION)
        for name, value in self.secrets.items():
            ssm.put_parameter(Name=f"{prefix}/{name}", Value=value, Type="SecureString")
        pairs = ",\n".join(f'"{name}={value}"' for name, value in self.parameters.items())
        (self.folder / "samconfig.toml").write_text(
            f'version = 0.1\n[dev.deploy.parameters]\nregion = "{REGION}"\n'
            f"parameter_overrides = [\n{pairs}\n]\n"
        )
        done = CliRunner().invoke(doctor, ["--project", str(self.folder), "--json", *options])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.output
        # The worst verdict counts where a check is made for several.
        verdicts: dict[str, str] = {}
        for each in json.loads(done.output):
            worse = verdicts.get(each["check"]) in ("failed", "warning") and (
                each["verdict"] == "ok"
            )
            if not worse:
                verdicts[each["check"]] = each["verdict"]
            assert each["verdict"] == "ok" or each["remedy"], each
        return done.exit_code, verdicts, done.output


@pytest.fixture
def set_up(
    pooler_port: int,
    tmp_path: Path,
    aws: str,
    index_url: str,
    fresh_database: BookDatabase,
    openai_server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
) -> SetUp:
    for name, value in {
        "AWS_ENDPOINT_URL": aws,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    }.items():
        monkeypatch.setenv(name, value)
    shutil.copy(PROJECT / "template.yaml", tmp_path)
    openai_server.answer_with(lambda request: r.Text("Yes."))
    fresh_database.run("UPDATE limit_settings SET daily_ceiling_usd = 2")
    pooled = fresh_database.pooled(pooler_port)
    named = named_secrets((PROJECT / "template.yaml").read_text("utf-8"))
    return SetUp(
        tmp_path,
        {
            "Stage": "dev",
            "ParameterPrefix": f"/quoth/{tmp_path.name}",
            "AllowedOrigins": "https://book.example.org",
            "QdrantUrl": index_url,
            "OpenAiBaseUrl": openai_server.base_url,
        },
        {
            **dict.fromkeys(named, "32 random characters, or more of them"),
            **{
                f"{room}/database-url": pooled.dsn(f"quoth_{room}")
                for room in ("query", "selected", "analytics", "ingest")
            },
            "query/qdrant-api-key": READS,
            "ingest/qdrant-api-key": FULL,
            "openai-api-key": API_KEY,
        },
        openai_server,
    )
