"""Writes a stage's parameters into samconfig.toml and leaves every other line as it is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from quoth.doctor.deployment import NotConfigured, split_overrides

PLAIN = re.compile(r"[A-Za-z0-9_.,:/@+*?=&%~-]*")


def write_parameters(
    path: Path, stage: str, parameters: Mapping[str, str], region: str | None
) -> None:
    """Set these parameters of the stage, keeping its others. NotConfigured without the stage."""
    for name, value in parameters.items():
        if not PLAIN.fullmatch(value):
            raise NotConfigured(f"{name} has a character that `sam deploy` would split at: {value}")
    lines = path.read_text("utf-8").splitlines()
    header = f"[{stage}.deploy.parameters]"
    if header not in lines:
        raise NotConfigured(f"{path.name} has no {header}")
    start = lines.index(header) + 1
    end = next((at for at in range(start, len(lines)) if lines[at].startswith("[")), len(lines))
    section = lines[start:end]
    while section and not section[-1].strip():
        section.pop()
    known = _overrides(section)
    kept = _without(section, "parameter_overrides")
    if region is not None:
        kept = [*_without(kept, "region"), f'region = "{region}"']
    pairs = [f'  "{name}={value}",' for name, value in (known | dict(parameters)).items()]
    gap = [""] if end < len(lines) else []
    written = [*lines[:start], *kept, "parameter_overrides = [", *pairs, "]", *gap, *lines[end:]]
    path.write_text("\n".join(written) + "\n", "utf-8")


def _overrides(section: list[str]) -> dict[str, str]:
    given = tomllib.loads("\n".join(section)).get("parameter_overrides", [])
    return split_overrides(given)


def _without(section: list[str], key: str) -> list[str]:
    """The lines without the key's, which may be a list over several lines."""
    kept: list[str] = []
    inside = False
    for line in section:
        if re.match(rf"{key}\s*=", line):
            inside = line.rstrip().endswith("[")
            continue
        if inside:
            inside = line.strip() != "]"
            continue
        kept.append(line)
    return kept
