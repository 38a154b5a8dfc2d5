"""The local Qdrant server's two keys: one does everything, one only reads."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from quoth.qdrant.app import API_KEY, READ_ONLY_API_KEY, Keys, create_app, read_keys

READS = [("GET", "/collections"), ("POST", "/collections/none/points/scroll")]
WRITES = [("PUT", "/collections/new"), ("POST", "/collections/none/points/delete")]


@pytest.mark.parametrize(
    ("headers", "read", "write"),
    [
        ({}, 401, 401),
        ({"api-key": ""}, 401, 401),
        ({"api-key": "other"}, 401, 401),
        ({"api-key": "reads"}, None, 403),
        ({"authorization": "Bearer reads"}, None, 403),
        ({"api-key": "full"}, None, None),
    ],
)
async def test_lets_a_key_do_what_it_may(
    tmp_path: Path, headers: dict[str, str], read: int | None, write: int | None
) -> None:
    app = create_app(tmp_path, Keys("full", "reads"))
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
        for calls, refused in ((READS, read), (WRITES, write)):
            for method, path in calls:
                answer = await client.request(method, path, headers=headers, content=b"{}")
                got = answer.status_code if answer.status_code in (401, 403) else None
                assert got == refused, (method, path)
        assert (await client.get("/readyz")).status_code == 200
    app.state.store.close()


def test_has_the_variables_of_qdrants_own_server() -> None:
    assert (API_KEY, READ_ONLY_API_KEY) == (
        "QDRANT__SERVICE__API_KEY",
        "QDRANT__SERVICE__READ_ONLY_API_KEY",
    )
    assert read_keys({API_KEY: "a", READ_ONLY_API_KEY: "b"}) == Keys("a", "b")
    assert read_keys({}) == Keys()
