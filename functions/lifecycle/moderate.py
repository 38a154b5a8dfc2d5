"""Checks questions with the moderation service."""

from __future__ import annotations

from typing import Any

from functions.adapters.aws.secrets import secret
from functions.adapters.openai.moderation import Moderator
from functions.answer.deadline import Deadline
from functions.answer.moderation.misconduct import Misconduct
from functions.runtime.settings import Settings


def moderator_of(settings: Settings) -> Moderator | None:
    """The moderation service, or None where it is not configured."""
    key = secret(settings, "openai_api_key")
    if not key or not settings.moderation_model:
        return None
    return Moderator(
        settings.openai_base_url, key, settings.moderation_model, settings.moderation_seconds
    )


async def moderate(
    moderator: Moderator | None, question: str, deadline: Deadline
) -> Misconduct | None:
    """The misconduct that the service finds. `find_misconduct` has applied the rules before."""
    if moderator is None:
        return None
    flagged = await moderator.flags(question, deadline.left())
    return Misconduct(", ".join(flagged), "moderation") if flagged else None


def record_of_misconduct(found: Misconduct) -> dict[str, Any]:
    """The QueryRecord fields with what was found in the question, for review."""
    check = {"text": found.term, "sentence_ids": [], "failed": [f"conduct: {found.reason}"]}
    return {"checks": [check | {"coverage": 0.0}]}
