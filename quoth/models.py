"""Which models write and embed on this machine, as the environment says."""

from __future__ import annotations

from collections.abc import Mapping

from functions.adapters.openai.client import NO_KEY, is_openai
from functions.runtime.settings import NO_JUDGE
from quoth.embeddings.minilm import DIMENSIONS, NAME

OWN_SERVER_SECONDS = "25"
"""A model on a laptop may take long; its reader knows."""


class NoModelNamed(ValueError):
    """A server is set without the name of its model. The message says which variable to set."""


def model_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The QUOTH_ variables of the environment, with OPENAI_API_KEY and OPENAI_BASE_URL as defaults.

    A server of one's own needs no key, has no moderation and is given more time. Its model judges
    nothing unless QUOTH_JUDGE_MODEL says so: what the rules do not prove is quoted. Raises
    NoModelNamed.
    """
    given = {name: value for name, value in environment.items() if name.startswith("QUOTH_")}
    key, url = environment.get("OPENAI_API_KEY", ""), environment.get("OPENAI_BASE_URL", "")
    if _is_own(environment):
        if not given.get("QUOTH_MODEL"):
            raise NoModelNamed(
                f"OPENAI_BASE_URL is {url}: set QUOTH_MODEL to the name of a model of that server."
            )
        given.setdefault("QUOTH_MODERATION_MODEL", "")
        given.setdefault("QUOTH_JUDGE_MODEL", NO_JUDGE)
        given.setdefault("QUOTH_REQUEST_SECONDS", OWN_SERVER_SECONDS)
        key = key or NO_KEY
    if key:
        given.setdefault("QUOTH_OPENAI_API_KEY", key)
    if url:
        given.setdefault("QUOTH_OPENAI_BASE_URL", url)
        given.setdefault("QUOTH_EMBEDDINGS_BASE_URL", url)
    return given


def embeds_here(environment: Mapping[str, str]) -> bool:
    """Whether the bundled model embeds: without a key, and beside a server of one's own unless
    QUOTH_EMBEDDING_MODEL names a model of that server."""
    if _is_own(environment):
        return not environment.get("QUOTH_EMBEDDING_MODEL")
    return not environment.get("OPENAI_API_KEY")


def embedded_settings(models_url: str) -> dict[str, str]:
    """The settings of the bundled model at an address."""
    return {
        "QUOTH_EMBEDDINGS_BASE_URL": models_url,
        "QUOTH_EMBEDDING_MODEL": NAME,
        "QUOTH_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
    }


def _is_own(environment: Mapping[str, str]) -> bool:
    url = environment.get("OPENAI_BASE_URL", "")
    return bool(url) and not is_openai(url)
