"""The commands in the guides, by how they can be tried."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

Kind = Literal["run", "soak", "aws"]
KINDS = ("run", "soak", "aws")
"""run: tried by the guides' test; soak: by a long test of its own; aws: needs an account."""

_FENCE = re.compile(r"^```(\S*)(?:[ \t]+(\S+))?[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_SHELLS = frozenset({"sh", "bash", "shell", "console"})


class UnmarkedCommand(ValueError):
    """A block of commands that does not say how it can be tried. The message says where."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of shell commands. `line` counts from 1, in the guide."""

    guide: str
    line: int
    kind: Kind
    commands: str


def read_blocks(guide: Path) -> list[Block]:
    """The shell commands of a guide, in order. Raises UnmarkedCommand."""
    text = guide.read_text(encoding="utf-8")
    blocks: list[Block] = []
    for fence in _FENCE.finditer(text):
        language, mark, commands = fence.groups()
        if language not in _SHELLS:
            continue
        line = text.count("\n", 0, fence.start()) + 1
        if language != "sh" or mark not in KINDS:
            raise UnmarkedCommand(f"{guide.name}:{line}: write ```sh run, ```sh soak or ```sh aws")
        blocks.append(Block(guide.name, line, cast("Kind", mark), commands))
    return blocks


def script_of(guide: Path) -> str:
    """All that can be tried of a guide, as one script that stops at the first failure."""
    lines = ["set -euo pipefail"]
    for block in read_blocks(guide):
        if block.kind == "run":
            lines += [f"echo '== {block.guide}:{block.line}'", block.commands]
    return "\n".join(lines)
