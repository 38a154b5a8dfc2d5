"""The writer an evaluation is asked to use."""

from __future__ import annotations

import os
from typing import Literal

from functions.adapters.openai.model import ModelWriter
from functions.answer.write.writer import Writer
from functions.runtime.settings import Settings

WriterName = Literal["quotes", "openai"]


class NoKey(ValueError):
    """The model was asked for without a key to call it."""


def chosen_writer(name: WriterName) -> Writer | None:
    """The model's writer, or None for the quote writer. Raises NoKey."""
    if name == "quotes":
        return None
    key = os.environ.get("OPENAI_API_KEY")
    if not key:
        raise NoKey("--writer openai needs OPENAI_API_KEY")
    defaults = Settings()
    return ModelWriter(
        os.environ.get("OPENAI_BASE_URL") or defaults.openai_base_url,
        key,
        os.environ.get("QUOTH_MODEL") or defaults.model,
        effort=defaults.model_effort or None,
    )
