"""Small JSON files that are either the old or the new version, never half of one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path: Path, value: object) -> None:
    draft = path.with_suffix(".draft")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
