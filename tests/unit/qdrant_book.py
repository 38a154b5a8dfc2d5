"""A small collection on the local Qdrant server, and asking it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from quoth.qdrant.app import create_app

BOOK = "/collections/book"
VECTORS = {
    "dense": {"size": 4, "distance": "Cosine", "multivector_config": {"comparator": "max_sim"}}
}
INDEXES: dict[str, Any] = {
    "kind": "keyword",
    "n": "integer",
    "odd": {"type": "bool"},
    "parts[].name": "keyword",
    "text": {
        "type": "text",
        "scoring": True,
        "stopwords": "english",
        "stemmer": {"type": "snowball", "language": "english"},
    },
}
Client = httpx2.AsyncClient


@asynccontextmanager
async def opened(data_dir: Path) -> AsyncIterator[Client]:
    app = create_app(data_dir)
    try:
        transport = httpx2.ASGITransport(app)
        async with Client(transport=transport, base_url="http://qdrant.test") as client:
            yield client
    finally:
        app.state.store.close()


async def create(client: Client, path: str = BOOK, points: int = 10, **settings: Any) -> None:
    (await client.put(path, json={"vectors": VECTORS, **settings})).raise_for_status()
    for field, schema in INDEXES.items():
        body = {"field_name": field, "field_schema": schema}
        (await client.put(f"{path}/index?wait=true", json=body)).raise_for_status()
    if points:
        await upsert(client, [point(n) for n in range(points)], path)


def point(n: int) -> dict[str, Any]:
    parts = [{"name": f"part{n}", "unseen": 1}]
    payload = {"n": n, "kind": f"k{n % 3}", "odd": n % 2 == 1, "parts": parts}
    rows = [[1.0, float(n), 0.0, 0.0], [1.0, 0.0, float(n), 1.0]]
    return {"id": n, "vector": {"dense": rows}, "payload": payload | {"text": f"walks {n}"}}


async def upsert(client: Client, points: list[dict[str, Any]], path: str = BOOK) -> None:
    answer = await client.put(f"{path}/points?wait=true", json={"points": points})
    assert answer.json()["result"]["status"] == "completed"


async def ask(client: Client, path: str, body: Any) -> Any:
    answer = await client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


async def count(client: Client, condition: dict[str, Any] | None = None, path: str = BOOK) -> int:
    found: int = (await ask(client, f"{path}/points/count", {"filter": condition}))["count"]
    return found


def assert_refused(answer: httpx2.Response, status: int, *words: str) -> None:
    body = answer.json()
    assert answer.status_code == status, answer.text
    assert set(body) == {"status", "time"}
    for word in words:
        assert word in body["status"]["error"]
