"""Does the vector index fit: its version, its mode, its indexes, and what each key may do?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2

from functions.adapters.qdrant.schema import DENSE, payload_indexes
from quoth.doctor.findings import Finding, failed, passed, warned

NEEDED = (1, 20)
"""The first server with BM25 in its text index."""

SECONDS = 10.0
REFUSED = (401, 403)


@dataclass(frozen=True, slots=True)
class IndexAccess:
    """Where the index answers, what the functions' keys are, and how long its vectors must be."""

    url: str
    query_key: str
    ingest_key: str
    collection: str
    dimensions: int


def check_index(access: IndexAccess) -> Iterator[Finding]:
    """One finding per check, until one makes the rest pointless."""
    with httpx2.Client(base_url=access.url, timeout=SECONDS) as client:
        try:
            yield from _check(client, access)
        except httpx2.HTTPError as error:
            yield failed(
                "qdrant.reachable",
                f"{access.url} does not answer ({type(error).__name__})",
                "check QdrantUrl (with its port, :6333 at Qdrant Cloud); a free cluster sleeps"
                " after a week without use: wake it in Qdrant's console",
            )


def _check(client: httpx2.Client, access: IndexAccess) -> Iterator[Finding]:
    yield _version(client.get("/"))
    yield _anonymous(client, access)
    described = client.get(f"/collections/{access.collection}", headers=_key(access.query_key))
    if described.status_code in REFUSED:
        yield failed(
            "qdrant.query-key",
            f"the key of query is refused ({described.status_code})",
            "make a read-only key for the collection in Qdrant's console and store it with"
            " `quoth setup`",
        )
    else:
        yield passed("qdrant.query-key", "the key of query reads")
        yield _query_key_only_reads(client, access)
    yield _ingest_key_writes(client, access)
    if access.ingest_key == access.query_key and access.query_key:
        yield failed(
            "qdrant.keys-differ",
            "query and ingest have the same key",
            "give query a read-only key of its own",
        )
    found = client.get(f"/collections/{access.collection}", headers=_key(access.ingest_key))
    if found.status_code == 404:
        yield warned(
            "qdrant.collection",
            f"there is no collection {access.collection!r} yet",
            "the first file that ingest indexes makes it; run the doctor again after that",
        )
    elif found.is_success:
        yield from _collection(found.json()["result"], access)


def _version(answer: httpx2.Response) -> Finding:
    try:
        version = str(answer.json()["version"])
        numbers = tuple(int(part) for part in version.split(".")[:2])
    except (ValueError, KeyError, TypeError):
        return failed(
            "qdrant.version", "the address is not a Qdrant server's", "check QdrantUrl for a typo"
        )
    if numbers < NEEDED:
        return failed(
            "qdrant.version",
            f"the server is {version}, older than {NEEDED[0]}.{NEEDED[1]}: it has no BM25",
            "upgrade the cluster in Qdrant's console",
        )
    return passed("qdrant.version", f"the server is {version}")


def _anonymous(client: httpx2.Client, access: IndexAccess) -> Finding:
    if client.get(f"/collections/{access.collection}").status_code in REFUSED:
        return passed("qdrant.closed", "nobody gets in without a key")
    return failed(
        "qdrant.closed",
        "anybody may read the index without a key",
        "give the server an API key; at Qdrant Cloud every cluster has one",
    )


def _write(client: httpx2.Client, access: IndexAccess, key: str) -> httpx2.Response:
    """Deletes one point that cannot exist: a write, and nothing changes."""
    return client.post(
        f"/collections/{access.collection}/points/delete?wait=true",
        headers=_key(key),
        json={"points": [str(uuid4())]},
    )


def _query_key_only_reads(client: httpx2.Client, access: IndexAccess) -> Finding:
    if _write(client, access, access.query_key).status_code in REFUSED:
        return passed("qdrant.query-key-reads-only", "the key of query cannot write")
    return failed(
        "qdrant.query-key-reads-only",
        "the key of query may write: whoever has it can change what the book says",
        "replace it with a read-only key for the one collection, with `quoth setup`",
    )


def _ingest_key_writes(client: httpx2.Client, access: IndexAccess) -> Finding:
    answer = _write(client, access, access.ingest_key)
    if answer.status_code in REFUSED:
        return failed(
            "qdrant.ingest-key",
            f"the key of ingest may not write ({answer.status_code})",
            "make a key with write access and store it with `quoth setup`",
        )
    return passed("qdrant.ingest-key", "the key of ingest may write")


def _collection(about: dict[str, Any], access: IndexAccess) -> Iterator[Finding]:
    config = about["config"]
    if (config.get("strict_mode_config") or {}).get("enabled"):
        yield passed("qdrant.strict-mode", "strict mode is on")
    else:
        yield warned(
            "qdrant.strict-mode",
            "strict mode is off: a filter without an index would read everything",
            "switch it on for the collection; Quoth's filters all have indexes",
        )
    have = {field: index["data_type"] for field, index in about["payload_schema"].items()}
    wanted = {field: str(index["type"]) for field, index in payload_indexes().items()}
    wrong = sorted(field for field, kind in wanted.items() if have.get(field) != kind)
    if wrong:
        yield failed(
            "qdrant.indexes",
            f"missing or of another type: {', '.join(wrong)}",
            "index any file again (ingest makes what is missing), or run `quoth rebuild`",
        )
    else:
        yield passed("qdrant.indexes", f"all {len(wanted)} payload indexes are there")
    size = (config["params"]["vectors"].get(DENSE) or {}).get("size")
    if size == access.dimensions:
        yield passed("qdrant.vectors", f"vectors have {size} dimensions")
    else:
        yield failed(
            "qdrant.vectors",
            f"the index has vectors of {size} dimensions, the settings say {access.dimensions}",
            "set EmbeddingDimensions back, or index the book again with `quoth rebuild`",
        )


def _key(key: str) -> dict[str, str]:
    return {"api-key": key} if key else {}
