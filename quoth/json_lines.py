"""Reading evaluation files: JSON Lines whose bad rows are named."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class BadRow(Exception):
    """An evaluation file is missing or a row of it is not as it should be. `line` 0: the file."""

    def __init__(self, file: Path, line: int, reason: str) -> None:
        super().__init__(f"{file}:{line}: {reason}" if line else f"{file}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason


def read_rows(path: Path, required: Mapping[str, type]) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file. Raises BadRow where a required field or its type is wrong."""
    rows: list[dict[str, Any]] = []
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    rows.append(_row(path, number, line, required))
    except OSError as error:
        raise BadRow(path, 0, error.strerror or "cannot be read") from error
    except UnicodeDecodeError as error:
        raise BadRow(path, len(rows) + 1, "is not UTF-8") from error
    if not rows:
        raise BadRow(path, 0, "has no rows")
    return rows


def _row(path: Path, number: int, line: str, required: Mapping[str, type]) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise BadRow(path, number, f"is not JSON ({error})") from error
    if not isinstance(row, dict):
        raise BadRow(path, number, "is not an object")
    for name, kind in required.items():
        if name not in row:
            raise BadRow(path, number, f"has no {name!r}")
        value = row[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise BadRow(path, number, f"{name!r} is not of type {kind.__name__}")
    return row
