"""Does OpenAI take the key, know the models, and still give credit? Asked with real, tiny calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from functions.adapters.openai.client import OpenAIClient, OpenAIFailure
from functions.runtime.prices import shipped_prices
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
    moderation_model: str


def check_models(access: ModelAccess) -> Iterator[Finding]:
    """One finding per model; only the first when the key is refused."""
    findings = asyncio.run(_check(access))
    yield from findings
    for name in filter(None, (access.model, access.smaller_model)):
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
    for name in dict.fromkeys(filter(None, (access.model, access.smaller_model))):
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
