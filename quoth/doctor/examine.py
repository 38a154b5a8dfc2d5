"""All checks of one stage, in the order in which they make each other meaningful."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from quoth.doctor.aws_checks import (
    AwsUnreachable,
    check_concurrency,
    read_account,
    read_secrets,
)
from quoth.doctor.deployment import ROOMS, Deployment
from quoth.doctor.findings import Finding, failed
from quoth.doctor.openai_checks import ModelAccess, check_models
from quoth.doctor.postgres_checks import check_database
from quoth.doctor.qdrant_checks import IndexAccess, check_index
from quoth.doctor.stack_checks import check_api, check_lost, check_origins, read_outputs


def examine(deployment: Deployment) -> Iterator[Finding]:
    """Findings as they are made. NotConfigured when the stage lacks a parameter."""
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
    with _refusals() as refused:
        yield check_concurrency(deployment)
    yield from refused
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
        deployment["ModerationModel"],
    )


@contextmanager
def _refusals() -> Iterator[list[Finding]]:
    """What AWS refuses inside becomes a finding, so that the other checks go on."""
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
