"""The embeddings that topics are made with: those of the book, when the settings name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.adapters.aws.secrets import SecretUnavailable, secret
from functions.runtime.logs import logger
from functions.runtime.settings import Settings

if TYPE_CHECKING:
    from functions.adapters.openai.embeddings import Embeddings

OPENAI = "https://api.openai.com/"


def embeddings_of(settings: Settings) -> Embeddings | None:
    """Those of the settings; None where OpenAI would be asked without a key."""
    from functions.adapters.openai.embeddings import (
        Embeddings,  # topics alone need it, and it is large
    )

    try:
        key = secret(settings, "openai_api_key")
    except SecretUnavailable as error:
        logger().error("no key for embeddings", reason=str(error))
        return None
    if not key and settings.embeddings_base_url.startswith(OPENAI):
        return None
    return Embeddings(
        settings.embeddings_base_url,
        key or "embedded",
        settings.embedding_model,
        settings.embedding_dimensions,
    )
