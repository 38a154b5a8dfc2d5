"""Makes text storable: PostgreSQL accepts neither NUL characters nor lone surrogates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.types.json import Jsonb

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable_text(text: str) -> str:
    """`text` with each character that PostgreSQL cannot store replaced by U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def storable(value: Any) -> Any:
    """`value` (plain JSON data) with every string in it made storable."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, Mapping):
        return {storable_text(str(key)): storable(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [storable(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None  # not a JSON number
    return value


def as_jsonb(value: Any) -> Jsonb:
    """`value` as a parameter of type jsonb."""
    return Jsonb(storable(value))
