"""All checks of one stage; later ones depend on the results of earlier ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import httpx2

from functions.book.site.manifest import Manifest, ManifestPage
from functions.runtime.plural import plural
from quoth.doctor.aws_checks import (
    AwsUnreachable,
    check_api,
    check_lost,
    check_origins,
    client,
    read_account,
    read_outputs,
    read_secrets,
)
from quoth.doctor.concurrency import check_concurrency
from quoth.doctor.deployment import ROOMS, Deployment
from quoth.doctor.findings import Finding, failed, passed
from quoth.doctor.postgres_checks import check_database
from quoth.doctor.service_checks import IndexAccess, ModelAccess, check_index, check_models


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Yield findings as the checks run. NotConfigured when the stage lacks a parameter."""
    yield from check_origins(deployment)
    try:
        yield read_account(deployment)
    except AwsUnreachable as error:
        yield failed(
            "aws.account",
            f"AWS cannot be asked: {error}",
            "log in, or set AWS_PROFILE and a region",
        )
        return
    yield from concurrency(deployment)
    secrets: Mapping[str, str] = {}
    with _refusals() as refused:
        secrets, findings = read_secrets(deployment)
        yield from findings
    yield from refused
    yield from check_outside(deployment, secrets)
    with _refusals() as refused:
        outputs, state = read_outputs(deployment)
        yield state
        if outputs is not None:
            yield from check_api(deployment, outputs["ApiUrl"])
            yield from check_lost(deployment, outputs)
    yield from refused


def concurrency(deployment: Deployment) -> list[Finding]:
    """The account's limit and the share of lookups, asked of AWS."""
    made = (client(service, deployment.region) for service in ("lambda", "cloudformation"))
    found: list[Finding] = []
    with _refusals() as refused:
        found += check_concurrency(deployment, *made)
    return [*found, *refused]


def check_outside(deployment: Deployment, secrets: Mapping[str, str]) -> Iterator[Finding]:
    """The three outside systems, as far as their secrets are known."""
    if {"query/qdrant-api-key", "ingest/qdrant-api-key"} <= set(secrets):
        yield from check_index(index_access(deployment, secrets))
    addresses = {
        room: secrets[f"{room}/database-url"] for room in ROOMS if f"{room}/database-url" in secrets
    }
    yield from check_database(addresses)
    if "openai-api-key" in secrets:
        yield from check_models(model_access(deployment, secrets["openai-api-key"]))


def index_access(deployment: Deployment, secrets: Mapping[str, str]) -> IndexAccess:
    return IndexAccess(
        deployment["QdrantUrl"],
        secrets["query/qdrant-api-key"],
        secrets["ingest/qdrant-api-key"],
        deployment["QdrantCollection"],
        int(deployment["EmbeddingDimensions"]),
    )


def model_access(deployment: Deployment, api_key: str) -> ModelAccess:
    return ModelAccess(
        deployment["OpenAiBaseUrl"],
        api_key,
        deployment["EmbeddingModel"],
        int(deployment["EmbeddingDimensions"]),
        deployment["Model"],
        deployment["SmallerModel"],
        deployment["JudgeModel"],
        deployment["ModerationModel"],
    )


@contextmanager
def _refusals() -> Iterator[list[Finding]]:
    """Turn AWS errors inside the block into a finding, so that the other checks run."""
    from botocore.exceptions import BotoCoreError, ClientError

    refused: list[Finding] = []
    try:
        yield refused
    except (BotoCoreError, ClientError) as error:
        refused.append(
            failed(
                "aws.rights",
                f"AWS refused a question: {error}",
                "use the role of the pipeline, or one that may read this stack",
            )
        )


PAGES_AT_ONCE = 8
PAGE_SECONDS = 15.0
SHOWN = 5


def check_site(manifest: Manifest, site: str) -> list[Finding]:
    """Ask the site for every page of the manifest; `site` is scheme://host."""
    return asyncio.run(_check(manifest.pages.values(), site))


async def _check(pages: Iterable[ManifestPage], site: str) -> list[Finding]:
    lane = asyncio.Semaphore(PAGES_AT_ONCE)
    async with httpx2.AsyncClient(timeout=PAGE_SECONDS, follow_redirects=True) as http:

        async def ask(page: ManifestPage) -> tuple[str, str]:
            async with lane:
                try:
                    answer = await http.get(f"{site.rstrip('/')}{page.permalink}")
                except httpx2.HTTPError as error:
                    return page.permalink, type(error).__name__
            if answer.status_code != 200:
                return page.permalink, str(answer.status_code)
            lost = [h.id for h in page.headings if h.id and not _has_id(answer.text, h.id)]
            return page.permalink, f"no #{lost[0]}" if lost else ""

        answers = await asyncio.gather(*(ask(page) for page in pages))
    wrong = [f"{path} ({said})" for path, said in answers if said]
    if not wrong:
        return [
            passed(
                "site.pages",
                f"{plural(len(answers), 'page')} of the manifest looked at, each in its place",
            )
        ]
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    return [
        failed(
            "site.pages",
            f"{len(wrong)} of {len(answers)} are not: {', '.join(wrong[:SHOWN])}{more}",
            "build the site with quoth-docusaurus, publish it, and put its manifest in the bucket",
        )
    ]


def _has_id(html: str, name: str) -> bool:
    return any(f"id={quote}{name}{quote}" in html for quote in ('"', "'", ""))
