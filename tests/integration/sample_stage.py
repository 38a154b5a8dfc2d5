"""The sample book, taken in by the real ingest, over parts that can be cut off."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from moto import mock_aws

from functions.adapters.aws.object_store import ObjectStore
from functions.ingest.compose import compose_ingest
from functions.runtime.settings import Settings
from quoth.embeddings.app import create_app as create_embeddings
from quoth.embeddings.minilm import DIMENSIONS, NAME
from quoth.events.resources import s3_client
from quoth.events.sync import FolderSync
from quoth.local_server import served
from quoth.postgres.embedded import Server
from quoth.postgres.migrate import create_database
from quoth.qdrant.app import create_app as create_qdrant
from tests.integration.wires import Wire
from tests.load.remembering import remembering_model
from tests.postgres_fixtures import TEMPLATE, BookDatabase

BOOK = Path(__file__).parents[2] / "examples" / "book"
BUCKET = "sample-book"


@dataclass(frozen=True)
class Stage:
    """The parts behind their wires. The database has every role of the functions."""

    database: BookDatabase
    postgres: Wire
    qdrant: Wire
    embeddings: Wire

    def settings(self, function: str, **changes: Any) -> Settings:
        """What `function` is deployed with: its own role, and the index only if it may have it."""
        given: dict[str, Any] = {
            "database_url": self.database.pooled(self.postgres.port).dsn(f"quoth_{function}"),
            "embeddings_base_url": f"{self.embeddings.url}/v1",
            "embedding_model": NAME,
            "embedding_dimensions": DIMENSIONS,
        }
        if function != "selected":
            given |= {"qdrant_url": self.qdrant.url, "qdrant_collection": "book"}
        return Settings.model_validate(given | changes)


@contextmanager
def running_parts(server: Server, folder: Path) -> Iterator[Stage]:
    """A migrated database, an empty index and MiniLM, while the block runs."""
    name = f"quoth_{uuid.uuid4().hex[:12]}"
    main = server.dsn(database="postgres")
    create_database(main, name, TEMPLATE)
    with ExitStack() as exits:
        exits.callback(_drop, main, name)
        apps = create_qdrant(folder), create_embeddings(remembering_model())
        urls = [exits.enter_context(served(app)) for app in apps]
        wires = [Wire(server.port), *(Wire.to(url) for url in urls)]
        for wire in wires:
            exits.callback(wire.close)
        yield Stage(BookDatabase(server, name, server.port), *wires)


async def take_in_sample_book(stage: Stage) -> None:
    """Put the sample book into a bucket and look at each of its keys."""
    with mock_aws():
        client = s3_client("https://s3.us-east-1.amazonaws.com")
        client.create_bucket(Bucket=BUCKET)
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        synced = FolderSync(BOOK, BUCKET, client).run()
        ingest = compose_ingest(stage.settings("ingest"), ObjectStore(BUCKET, client))
        for key in synced.put:
            outcome = await ingest.ingest_key(key)
            assert outcome.action in ("created", "skipped"), outcome
        await ingest.aclose()


async def take_in(stage: Stage, key: str, text: str | None) -> None:
    """Put one file into an empty bucket, or none (the file is gone), and look at its key."""
    with mock_aws():
        client = s3_client("https://s3.us-east-1.amazonaws.com")
        bucket = f"edited-{uuid.uuid4().hex}"
        client.create_bucket(Bucket=bucket)
        if text is not None:
            client.put_object(Bucket=bucket, Key=key, Body=text.encode())
        ingest = compose_ingest(stage.settings("ingest"), ObjectStore(bucket, client))
        await ingest.ingest_key(key)
        await ingest.aclose()


def _drop(main: str, name: str) -> None:
    with psycopg.connect(main, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())
