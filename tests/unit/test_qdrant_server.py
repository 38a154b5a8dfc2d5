"""The local Qdrant server, through its front door: what it takes and what it refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from quoth.qdrant.errors import MAX_BODY_BYTES
from tests.unit.qdrant_book import (
    BOOK,
    Client,
    ask,
    assert_refused,
    count,
    create,
    opened,
    point,
)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with opened(tmp_path) as client:
        await create(client)
        yield client


async def test_says_which_qdrant_it_speaks_for(client: Client) -> None:
    about = (await client.get("/")).json()
    assert (about["title"], about["version"]) == ("qdrant - vector search engine", "1.20.0")
    assert [(await client.get(f"/{path}")).status_code for path in ("healthz", "readyz")] == [
        200
    ] * 2


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\xff", b"[" * 100_000, b"[]", b'{"limit": NaN}', b'{"score_threshold": 1e999}',
     b'{"limit": "many"}', b'{"unknown": 1}', b'{"query": {"fusion": "none"}}',
     b'{"limit": 18446744073709551616, "query": [1, 0, 0, 0], "using": "dense"}',
     b'{"query": {"text": "\\ud800"}, "using": "text"}', b'{"query": {"fusion": "rrf"}}',
     b'{"query": {"text": "a"}, "using": "kind"}', b'{"query": {"text": "a"}}'],
)  # fmt: skip
async def test_a_body_that_is_no_query_is_a_400_in_the_servers_form(
    client: Client, raw: bytes
) -> None:
    assert_refused(await client.post(f"{BOOK}/points/query", content=raw), 400)


async def test_a_body_over_the_size_limit_is_refused(client: Client) -> None:
    answer = await client.put(f"{BOOK}/points", content=b" " * (MAX_BODY_BYTES + 1))
    assert_refused(answer, 400, "larger than allowed")


async def test_a_limit_of_zero_is_a_422(client: Client) -> None:
    for path in ("query", "scroll"):
        assert_refused(await client.post(f"{BOOK}/points/{path}", json={"limit": 0}), 422, "limit")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PUT", "/index", {"field_name": "n", "field_schema": "integer"}),
        ("PUT", "/points", {"points": []}),
        ("POST", "/points", {"ids": [1]}),
        ("POST", "/points/delete", {"points": [1]}),
        ("POST", "/points/payload", {"payload": {}, "points": [1]}),
        ("POST", "/points/batch", {"operations": []}),
        ("POST", "/points/scroll", {}),
        ("POST", "/points/count", {}),
        ("POST", "/points/query", {}),
        ("POST", "/points/query/batch", {"searches": []}),
    ],
)
async def test_a_missing_collection_is_a_404(
    client: Client, method: str, path: str, body: Any
) -> None:
    answer = await client.request(method, f"/collections/missing{path}", json=body)
    assert_refused(answer, 404, "Collection `missing` doesn't exist!")


async def test_an_unknown_path_or_method_is_refused_in_the_servers_form(client: Client) -> None:
    assert_refused(await client.get("/nowhere"), 404)
    assert_refused(await client.patch(BOOK), 405)


@pytest.mark.parametrize(
    "vector",
    [{"dense": [1.0]}, {"dense": [[1.0, 0.0, 0.0, 0.0], [1.0]]}, {"dense": []}, {"other": [1.0]},
     [1.0, 0.0, 0.0, 0.0], {"dense": {"indices": [1], "values": [1.0]}}],
)  # fmt: skip
async def test_a_wrong_vector_is_a_400_and_nothing_of_its_request_is_kept(
    tmp_path: Path, vector: Any
) -> None:
    async with opened(tmp_path) as client:
        await create(client, points=0)
        body = {"points": [point(1), {"id": 2, "vector": vector}]}
        assert_refused(await client.put(f"{BOOK}/points?wait=true", json=body), 400, "Wrong input")
        assert await count(client) == 0
    async with opened(tmp_path) as client:
        assert await count(client) == 0


async def test_a_query_vector_of_the_wrong_size_is_a_400(client: Client) -> None:
    for query in ([1.0, 2.0], [[1.0, 0.0, 0.0, 0.0], [1.0]]):
        inner = {"query": query, "using": "dense"}
        assert_refused(await client.post(f"{BOOK}/points/query", json=inner), 400, "dimension")
        fused = {"prefetch": inner, "query": {"fusion": "rrf"}}
        assert_refused(await client.post(f"{BOOK}/points/query", json=fused), 400, "dimension")


@pytest.mark.parametrize(
    "condition",
    [
        {"key": "unseen", "match": {"value": 1}},
        {"key": "kind", "range": {"gte": 1}},
        {"key": "kind", "match": {"value": 1}},
        {"key": "n", "match": {"any": ["a"]}},
        {"is_empty": {"key": "unseen"}},
        {"should": [{"must_not": {"key": "unseen", "match": {"value": 1}}}]},
        {"nested": {"key": "parts", "filter": {"must": {"is_empty": {"key": "unseen"}}}}},
    ],
)
async def test_a_filter_without_a_fitting_index_is_refused_everywhere(
    client: Client, condition: dict[str, Any]
) -> None:
    chosen = {"filter": {"must": [condition]}}
    fused = {"prefetch": [{"query": {"text": "walk"}, "using": "text", **chosen}]}
    operation = {"delete": chosen}
    for path, body in {
        "query": chosen,
        "scroll": chosen,
        "count": chosen,
        "delete": chosen,
        "payload": {"payload": {"n": 0}, **chosen},
        "batch": {"operations": [operation]},
        "query/batch": {"searches": [fused | {"query": {"fusion": "dbsf"}}]},
    }.items():
        answer = await client.post(f"{BOOK}/points/{path}", json=body)
        assert_refused(answer, 400, "Index required but not found")
    formula = fused | {"query": {"formula": {"sum": ["$score", condition]}}}
    del formula["prefetch"][0]["filter"]
    assert_refused(await client.post(f"{BOOK}/points/query", json=formula), 400, "Index required")
    assert await count(client) == 10


async def test_a_collection_may_turn_strict_mode_off(client: Client) -> None:
    await create(client, "/collections/lax", strict_mode_config={"enabled": False})
    unindexed = {"must": {"key": "parts[].unseen", "match": {"value": 1}}}
    assert await count(client, unindexed, "/collections/lax") == 10


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"must": {"key": "odd", "match": {"value": True}}}, 5),
        ({"must": {"key": "odd", "match": {"value": False}}}, 5),
        ({"must_not": [{"key": "odd", "match": {"value": True}}, {"has_id": [0, 2]}]}, 3),
        ({"should": [{"key": "kind", "match": {"any": ["k0", "k1"]}}]}, 7),
        ({"must": {"key": "kind", "match": {"except": ["k0"]}}}, 6),
        ({"must": {"key": "n", "range": {"gte": 3, "lt": 5}}}, 2),
        ({"must": {"key": "text", "match": {"text": "walking"}}}, 10),
        ({"must": {"is_empty": {"key": "kind"}}}, 0),
        ({"must": {"nested": {"key": "parts", "filter": {"must": {
            "key": "name", "match": {"value": "part4"}}}}}}, 1),
        ({"min_should": {"min_count": 2, "conditions": [
            {"key": "kind", "match": {"value": "k1"}}, {"key": "odd", "match": {"value": True}}]}},
         2),
    ],
)  # fmt: skip
async def test_a_filter_chooses_what_it_says(
    client: Client, condition: dict[str, Any], expected: int
) -> None:
    assert await count(client, condition) == expected
    await ask(client, f"{BOOK}/points/delete?wait=true", {"filter": condition})
    assert await count(client) == 10 - expected


async def test_a_query_honours_payload_choice_threshold_offset_and_fusion(client: Client) -> None:
    dense = {"query": [[1.0, 0.0, 0.0, 0.0]], "using": "dense", "limit": 3}
    first = (await ask(client, f"{BOOK}/points/query", dense))["points"]
    assert [found["id"] for found in first] == [0, 1, 2]
    assert set(first[0]) == {"id", "score", "version"}
    later = dense | {"offset": 1, "with_payload": {"exclude": ["text", "parts"]}}
    second = (await ask(client, f"{BOOK}/points/query", later))["points"][0]
    assert second["payload"] == {"n": 1, "kind": "k1", "odd": True}
    near = dense | {"score_threshold": 0.9, "with_payload": ["n"]}
    assert [
        found["payload"] for found in (await ask(client, f"{BOOK}/points/query", near))["points"]
    ] == [{"n": 0}]
    both = [dense, {"query": {"text": "9"}, "using": "text"}]
    fused = {"prefetch": both, "query": {"rrf": {"k": 2, "weights": [1.0, 5.0]}}}
    assert (await ask(client, f"{BOOK}/points/query", fused))["points"][0]["id"] == 9
