"""Questions that are not fit to be answered, by the moderation service."""

from __future__ import annotations

from typing import Any

from functions.adapters.aws.secrets import secret
from functions.adapters.openai.moderation import Moderator
from functions.answer.deadline import Deadline
from functions.answer.moderation.misconduct import Misconduct
from functions.runtime.settings import Settings


def moderator_of(settings: Settings) -> Moderator | None:
    """The service beside the rules, where there is a key for it."""
    key = secret(settings, "openai_api_key")
    if not key or not settings.moderation_model:
        return None
    return Moderator(
        settings.openai_base_url, key, settings.moderation_model, settings.moderation_seconds
    )


async def moderate(
    moderator: Moderator | None, question: str, deadline: Deadline
) -> Misconduct | None:
    """What the moderation service objects to, if one is set up. The rules come before it."""
    if moderator is None:
        return None
    flagged = await moderator.flags(question, deadline.left())
    return Misconduct(", ".join(flagged), "moderation") if flagged else None


def record_of_misconduct(found: Misconduct) -> dict[str, Any]:
    """What in the question counted, kept for review (fields of QueryRecord)."""
    check = {"text": found.term, "sentence_ids": [], "failed": [f"conduct: {found.reason}"]}
    return {"checks": [check | {"coverage": 0.0}]}
