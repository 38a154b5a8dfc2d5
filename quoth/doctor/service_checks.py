"""Checks of OpenAI (key, models, credit) and of Qdrant (version, mode, indexes, rights of keys)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2

from functions.adapters.openai.client import OpenAIClient, OpenAIFailure
from functions.adapters.qdrant.schema import DENSE, payload_indexes
from functions.runtime.prices import shipped_prices
from functions.runtime.settings import NO_JUDGE
from quoth.doctor.findings import Finding, failed, passed, warned

SECONDS = 20.0
REMEDIES = {
    "unreachable": "check OpenAiBaseUrl",
    "timed_out": "try again; then look at the service's status page",
    "broken": "try again; then look at the service's status page",
    "busy": "try again in a minute; if it stays, the account's rate limits are too low",
    "missing": "check OpenAiBaseUrl; it ends in /v1",
    "garbled": "check OpenAiBaseUrl: what answers there is no OpenAI",
}


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The address, the key, and the models by name; an empty one is not used."""

    base_url: str
    api_key: str
    embedding_model: str
    dimensions: int
    model: str
    smaller_model: str
    judge_model: str
    moderation_model: str

    @property
    def chat_models(self) -> tuple[str, ...]:
        """The models that write and judge, each once."""
        names = (self.model, self.smaller_model, self.judge_model)
        return tuple(dict.fromkeys(name for name in names if name and name != NO_JUDGE))


def check_models(access: ModelAccess) -> Iterator[Finding]:
    """One finding per model; only the first when the key is refused."""
    findings = asyncio.run(_check(access))
    yield from findings
    for name in access.chat_models:
        if not shipped_prices().knows(name):
            yield warned(
                "openai.price",
                f"the price of {name} is unknown: it counts as the dearest model known",
                "set ModelPrices",
            )


async def _check(access: ModelAccess) -> list[Finding]:
    client = OpenAIClient(access.base_url, access.api_key)
    found: list[Finding] = []
    try:
        for check, path, body in _calls(access):
            try:
                answer = await client.post(path, body, SECONDS)
            except OpenAIFailure as failure:
                found.append(_sorted(check, str(body["model"]), failure))
                if found[-1].check in ("openai.key", "openai.reachable", "openai.budget"):
                    break
            else:
                found.append(_read(check, body, answer, access))
    finally:
        await client.close()
    return found


def _calls(access: ModelAccess) -> Iterator[tuple[str, str, dict[str, Any]]]:
    body: dict[str, Any] = {"model": access.embedding_model, "input": ["book"]}
    if access.embedding_model.startswith("text-embedding-3"):
        body["dimensions"] = access.dimensions
    yield "openai.embeddings", "/embeddings", body
    if access.moderation_model:
        yield (
            "openai.moderation",
            "/moderations",
            {"model": access.moderation_model, "input": "book"},
        )
    for name in access.chat_models:
        asked = {"model": name, "input": "Say yes.", "max_output_tokens": 16, "store": False}
        yield "openai.model", "/responses", asked


def _sorted(check: str, model: str, failure: OpenAIFailure) -> Finding:
    said = str(failure)
    if failure.kind in ("unreachable", "missing", "garbled"):
        return failed("openai.reachable", said, REMEDIES[failure.kind])
    if "(401" in said or "(403" in said:
        return failed("openai.key", said, "store a valid key with `quoth setup`")
    if "insufficient_quota" in said:
        return failed(
            "openai.budget", said, "readers get quotes only until the project has credit again"
        )
    if failure.kind == "rejected":
        return failed(
            check, f"{model}: {said}", "correct the model's name, or ask for access to it"
        )
    return warned(check, f"{model}: {said}", REMEDIES[failure.kind])


def _read(check: str, body: dict[str, Any], answer: dict[str, Any], access: ModelAccess) -> Finding:
    model = str(body["model"])
    if check == "openai.embeddings":
        try:
            size = len(answer["data"][0]["embedding"])
        except (KeyError, IndexError, TypeError):
            size = 0
        if size != access.dimensions:
            return failed(
                check,
                f"{model} gives vectors of {size} dimensions, the settings say {access.dimensions}",
                "correct EmbeddingDimensions before anything is indexed",
            )
    return passed(check, f"{model} answers")


NEEDED = (1, 20)
"""The first server with BM25 in its text index."""

INDEX_SECONDS = 10.0
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
    """One finding per check; stops where the remaining checks would be meaningless."""
    with httpx2.Client(base_url=access.url, timeout=INDEX_SECONDS) as client:
        try:
            yield from _check_qdrant(client, access)
        except httpx2.HTTPError as error:
            yield failed(
                "qdrant.reachable",
                f"{access.url} does not answer ({type(error).__name__})",
                "check QdrantUrl (with its port, :6333 at Qdrant Cloud); a free cluster sleeps"
                " after a week without use: wake it in Qdrant's console",
            )


def _check_qdrant(client: httpx2.Client, access: IndexAccess) -> Iterator[Finding]:
    yield _version(client.get("/"))
    yield _anonymous(client, access)
    described = client.get(
        f"/collections/{access.collection}", headers=_key_header(access.query_key)
    )
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
    found = client.get(f"/collections/{access.collection}", headers=_key_header(access.ingest_key))
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
        headers=_key_header(key),
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


def _key_header(key: str) -> dict[str, str]:
    return {"api-key": key} if key else {}
