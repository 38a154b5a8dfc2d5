"""What the local Qdrant server keeps, and for whom: restarts, aliases, other processes, crowds."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from quoth.qdrant.app import create_app
from quoth.qdrant.errors import StoreInUse
from tests.qdrant_process import running_server
from tests.unit.qdrant_book import (
    BOOK,
    INDEXES,
    Client,
    ask,
    assert_refused,
    count,
    create,
    opened,
    point,
    upsert,
)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with opened(tmp_path) as client:
        await create(client)
        yield client


def creating(alias: str, collection: str) -> dict[str, Any]:
    return {"create_alias": {"alias_name": alias, "collection_name": collection}}


def deleting(alias: str) -> dict[str, Any]:
    return {"delete_alias": {"alias_name": alias}}


async def switch(client: Client, *actions: dict[str, Any]) -> None:
    assert await ask(client, "/collections/aliases", {"actions": actions}) is True


async def aliases(client: Client) -> dict[str, str]:
    found = (await client.get("/aliases")).json()["result"]["aliases"]
    return {each["alias_name"]: each["collection_name"] for each in found}


async def test_a_collection_is_there_until_it_is_deleted(client: Client) -> None:
    assert_refused(await client.put(BOOK, json={"vectors": {}}), 409, "already exists")
    assert_refused(await client.put("/collections/a:b", json={"vectors": {}}), 400)
    names = (await client.get("/collections")).json()["result"]["collections"]
    assert names == [{"name": "book"}]
    found = (await client.get(BOOK)).json()["result"]
    assert found["points_count"] == 10
    assert found["payload_schema"].keys() == INDEXES.keys()
    assert (await client.delete(BOOK)).json()["result"] is True
    assert (await client.delete(BOOK)).json()["result"] is False
    assert (await client.get(f"{BOOK}/exists")).json()["result"] == {"exists": False}


async def test_points_are_given_back_by_id_and_page_by_page(client: Client) -> None:
    wanted = {"ids": [3, 99], "with_payload": ["n"]}
    assert await ask(client, f"{BOOK}/points", wanted) == [{"id": 3, "payload": {"n": 3}}]
    seen, offset = [], 0
    while offset is not None:
        page = await ask(client, f"{BOOK}/points/scroll", {"limit": 4, "offset": offset})
        seen += [each["id"] for each in page["points"]]
        offset = page["next_page_offset"]
    assert seen == list(range(10))
    newest = {"limit": 2, "order_by": {"key": "n", "direction": "desc"}}
    page = await ask(client, f"{BOOK}/points/scroll", newest)
    assert [each["id"] for each in page["points"]] == [9, 8]


async def test_a_batch_is_carried_out_in_order(client: Client) -> None:
    operations = [
        {"upsert": {"points": [point(20)]}},
        {"set_payload": {"payload": {"kind": "new"}, "filter": {"must": {"has_id": [20, 1]}}}},
        {"delete": {"points": [1]}},
        {"delete": {"filter": {"must": {"key": "n", "range": {"lt": 5}}}}},
    ]
    results = await ask(client, f"{BOOK}/points/batch?wait=true", {"operations": operations})
    assert [each["status"] for each in results] == ["completed"] * 4
    assert await count(client) == 6
    assert await count(client, {"must": {"key": "kind", "match": {"value": "new"}}}) == 1


async def test_a_batch_with_one_wrong_operation_changes_nothing(client: Client) -> None:
    wrong = {"upsert": {"points": [{"id": 1, "vector": {"dense": [1.0]}}]}}
    body = {"operations": [{"delete": {"points": [1]}}, wrong]}
    assert_refused(await client.post(f"{BOOK}/points/batch", json=body), 400, "dimension")
    assert await count(client) == 10


async def test_an_alias_stands_for_its_collection(client: Client) -> None:
    await switch(client, creating("live", "book"))
    assert await count(client, path="/collections/live") == 10
    assert (await client.get("/collections/live/exists")).json()["result"] == {"exists": True}
    await upsert(client, [point(30)], "/collections/live")
    assert await count(client) == 11
    rename = {"rename_alias": {"old_alias_name": "live", "new_alias_name": "now"}}
    await switch(client, rename)
    assert await aliases(client) == {"now": "book"}
    assert_refused(await client.get("/collections/live"), 404)
    await client.delete(BOOK)
    assert await aliases(client) == {}


async def test_of_several_alias_actions_all_or_none_are_carried_out(client: Client) -> None:
    await switch(client, creating("live", "book"))
    for wrong, status in [
        (creating("other", "missing"), 404),
        (creating("book", "book"), 409),
        ({"rename_alias": {"old_alias_name": "missing", "new_alias_name": "x"}}, 404),
    ]:
        body = {"actions": [deleting("live"), wrong]}
        assert_refused(await client.post("/collections/aliases", json=body), status)
        assert await aliases(client) == {"live": "book"}


async def test_a_reader_of_a_switched_alias_always_finds_one_of_the_two(client: Client) -> None:
    await create(client, "/collections/next", points=3)
    await switch(client, creating("live", "book"))
    seen = set()

    async def read() -> None:
        for _ in range(30):
            seen.add(await count(client, path="/collections/live"))

    async def swap() -> None:
        for n in range(21):
            target = "next" if n % 2 == 0 else "book"
            await switch(client, deleting("live"), creating("live", target))

    await asyncio.gather(read(), read(), swap())
    assert seen
    assert seen <= {10, 3}
    assert await aliases(client) == {"live": "next"}


async def test_a_restart_finds_everything(tmp_path: Path) -> None:
    async with opened(tmp_path) as client:
        await create(client)
        await create(client, "/collections/gone")
        await client.delete("/collections/gone")
        await switch(client, creating("live", "book"))
        before = (await client.get(BOOK)).json()["result"]
    async with opened(tmp_path) as client:
        assert (await client.get(BOOK)).json()["result"] == before
        assert await aliases(client) == {"live": "book"}
        text = {"query": {"text": "walking 7"}, "using": "text"}
        hits = (await ask(client, "/collections/live/points/query", text))["points"]
        assert (hits[0]["id"], len(hits)) == (7, 10)
        names = (await client.get("/collections")).json()["result"]["collections"]
        assert names == [{"name": "book"}]


async def test_a_killed_server_has_lost_nothing_it_acknowledged(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        async with Client(base_url=server.url, timeout=30) as client:
            await create(client)
            await upsert(client, [point(n) for n in range(10, 40)])
            await ask(client, f"{BOOK}/points/delete?wait=true", {"points": [0, 1]})
            server.process.kill()
            server.process.wait()
    async with opened(tmp_path) as client:
        assert await count(client) == 38
        assert await count(client, {"must": {"key": "odd", "match": {"value": True}}}) == 19


async def test_what_an_unfinished_creation_left_behind_is_cleared_away(tmp_path: Path) -> None:
    half_made = tmp_path / "collections" / "0" / "shard"
    half_made.mkdir(parents=True)
    async with opened(tmp_path) as client:
        assert (await client.get("/collections")).json()["result"] == {"collections": []}
    assert not half_made.exists()


def test_a_second_process_is_told_that_the_store_is_in_use(tmp_path: Path) -> None:
    app = create_app(tmp_path)
    with pytest.raises(StoreInUse, match="the store is in use"):
        create_app(tmp_path)
    command = [sys.executable, "-m", "quoth.qdrant", "--data", str(tmp_path), "--port", "0"]
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert "the store is in use" in second.stderr
    app.state.store.close()
    create_app(tmp_path).state.store.close()


async def test_twenty_readers_beside_a_writer_all_get_whole_answers(client: Client) -> None:
    dense = {"query": [[1.0, 1.0, 0.0, 0.0]], "using": "dense", "limit": 50}
    body = {"prefetch": [dense, {"query": {"text": "walks"}, "using": "text", "limit": 50}]}
    body |= {"query": {"fusion": "dbsf"}, "limit": 50, "with_payload": ["n"]}

    async def read() -> None:
        for _ in range(10):
            hits = (await ask(client, f"{BOOK}/points/query", body))["points"]
            assert len(hits) >= 10
            assert all(hit["payload"] == {"n": hit["id"]} for hit in hits)

    async def write() -> None:
        for n in range(10, 40):
            await upsert(client, [point(n)])

    await asyncio.gather(write(), *(read() for _ in range(20)))
    assert await count(client) == 40


async def test_a_collection_deleted_under_its_readers_is_missing_for_them(client: Client) -> None:
    query = {"query": [[1.0, 1.0, 0.0, 0.0]], "using": "dense"}
    reads = [client.post(f"{BOOK}/points/query", json=query) for _ in range(30)]
    answers = await asyncio.gather(*reads[:15], client.delete(BOOK), *reads[15:])
    assert {answer.status_code for answer in answers} <= {200, 404}
    assert_refused(await client.post(f"{BOOK}/points/query", json=query), 404)
