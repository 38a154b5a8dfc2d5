"""What a guide tells its reader to type, by section."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\S+)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Typed:
    """A block of a section, in order. `language` is `sh`, `yaml`, `js`, …"""

    language: str
    text: str


def typed_in(guide: Path, section: str) -> list[Typed]:
    """The blocks under a heading of the second level."""
    _, _, rest = guide.read_text("utf-8").partition(f"\n## {section}\n")
    assert rest, f"{guide.name} has no section {section!r}"
    body = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    return [Typed(language, text) for language, text in _FENCE.findall(body)]
