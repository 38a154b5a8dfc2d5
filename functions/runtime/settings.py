"""The settings of a function, read from environment variables on first use.

No other file reads the environment. A secret is set as a value (locally) or as the name of the SSM
parameter that holds it (`…_PARAMETER`, on AWS); `adapters/aws/secrets.py` resolves it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from functions.runtime.networks import read_networks
from functions.runtime.prices import read_prices

PREFIX = "QUOTH_"
NO_JUDGE = "off"
"""The value of `judge_model` for no judge."""


class MissingSettings(Exception):
    """Variables are missing or invalid. The message names all of them."""


class Settings(BaseModel):
    """Every field is the variable `QUOTH_<NAME>`. Times are in seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str = "local"
    log_level: Literal["DEBUG", "INFO", "WARN", "WARNING", "ERROR"] = "INFO"

    database_url: str = ""
    database_url_parameter: str = ""
    database_pool_size: int = Field(default=1, ge=1)

    qdrant_url: str = ""
    qdrant_api_key: str = ""
    qdrant_api_key_parameter: str = ""
    qdrant_collection: str = "book"

    openai_api_key: str = ""
    openai_api_key_parameter: str = ""
    openai_base_url: str = "https://api.openai.com/v1"
    model: str = "gpt-6-luna"
    model_effort: str = "none"
    smaller_model: str = ""
    judge_model: str = ""
    judge_seconds: float = Field(default=4.0, gt=0)
    rewrite_seconds: float = Field(default=2.5, gt=0)
    writer: Literal["model", "agents"] = "model"
    model_prices: str = ""
    moderation_model: str = "omni-moderation-latest"
    moderation_seconds: float = Field(default=1.5, gt=0)
    embeddings_base_url: str = "https://api.openai.com/v1"
    embedding_model: str = "text-embedding-3-small"
    embedding_dimensions: int = Field(default=1536, ge=1)

    reader_url: str = ""

    ticket_key: str = ""
    ticket_key_parameter: str = ""
    outbox_url: str = ""
    outbox_endpoint: str = ""

    request_seconds: float = Field(default=6.0, gt=0)
    search_seconds: float = Field(default=2.5, gt=0)
    embedding_seconds: float = Field(default=2.5, gt=0)
    top_chunks: int = Field(default=5, ge=1, le=50)
    max_quotes: int = Field(default=3, ge=1, le=10)
    update_notice_days: float = Field(default=7.0, ge=0)
    retry_minutes: float = Field(default=1.0, gt=0)
    minimum_selection_words: int = Field(default=20, ge=1)
    require_verified_source: bool = False

    bucket: str = ""
    changes_url: str = ""
    docs_root: str = "docs"
    base_url: str = "/"
    route_base: str = "/"
    chunk_words: int = Field(default=300, ge=30)
    overlap_words: int = Field(default=0, ge=0)
    manifest_key: str = "quoth-manifest.json"
    generator: Literal["docusaurus", "mdbook", "mkdocs", "plain"] = "docusaurus"
    directory_urls: bool = True
    heading_ids: Literal[
        "", "github", "python-markdown", "python-markdown-unicode", "pymdownx", "pymdownx-lower"
    ] = ""
    passage_words: int = Field(default=90, ge=10)
    ingest_seconds: float = Field(default=120.0, gt=0)
    file_seconds: float = Field(default=30.0, gt=0)

    allowed_origins: str = ""
    sessions: Literal["optional", "required"] = "optional"
    session_seconds: int = Field(default=900, ge=1, le=86_400)
    session_key: str = ""
    session_key_parameter: str = ""
    user_key: str = ""
    user_key_parameter: str = ""
    networks: str = ""
    cdn_secret: str = ""
    cdn_secret_parameter: str = ""
    switch: Literal["on", "off"] = "on"
    switch_parameter: str = ""

    analytics_issuer: str = ""
    analytics_audience: str = ""
    analytics_group: str = "quoth-administrators"
    analytics_groups_claim: str = "cognito:groups"
    analytics_client_secret: str = ""
    analytics_client_secret_parameter: str = ""
    analytics_session_key: str = ""
    analytics_session_key_parameter: str = ""
    analytics_session_seconds: int = Field(default=3600, ge=60, le=86_400)

    @field_validator("model_prices")
    @classmethod
    def _check_prices(cls, text: str) -> str:
        if text:
            read_prices(text)
        return text

    @field_validator("networks")
    @classmethod
    def _check_networks(cls, text: str) -> str:
        read_networks(text)
        return text

    def require(self, *names: str) -> None:
        """Raise `MissingSettings` unless each named setting, or its parameter's name, is set."""
        missing = [
            PREFIX + name.upper()
            for name in names
            if not (getattr(self, name) or getattr(self, f"{name}_parameter", ""))
        ]
        if missing:
            raise MissingSettings(f"these variables must be set: {', '.join(missing)}")


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Settings from the variables that begin with QUOTH_. Unknown names are ignored: some belong to
    the command line. Raises MissingSettings for an invalid value."""
    names = {name.upper(): name for name in Settings.model_fields}
    given = {
        names[key.removeprefix(PREFIX)]: value
        for key, value in environment.items()
        if key.startswith(PREFIX) and key.removeprefix(PREFIX) in names
    }
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        wrong = ", ".join(PREFIX + str(e["loc"][0]).upper() for e in error.errors())
        raise MissingSettings(f"these variables have a wrong value: {wrong}") from error


@cache
def settings() -> Settings:
    """The settings of this process."""
    return read_settings(os.environ)


def is_agents_writer() -> bool:
    """Whether QUOTH_WRITER names the Agents SDK. Read while a function starts, to load it then."""
    return os.environ.get(f"{PREFIX}WRITER") == "agents"


@dataclass(frozen=True, slots=True)
class AwsAccess:
    """Where AWS is and who asks. `endpoint` and `ca_bundle` are set for an emulator only."""

    region: str
    key: str
    secret: str
    token: str
    endpoint: str
    ca_bundle: str


def aws_access() -> AwsAccess:
    """From AWS's own variables, which the runtime sets. Read on each call: the credentials change
    on a snapshot restore."""
    names = ("REGION", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "ENDPOINT_URL")
    return AwsAccess(*(os.environ.get(f"AWS_{name}", "") for name in (*names, "CA_BUNDLE")))
