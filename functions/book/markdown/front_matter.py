"""Front matter: the YAML fields at the top of a file."""

from __future__ import annotations

import re
from typing import Any, cast

import yaml

from functions.book.document import FrontMatter, Policy

POLICIES: frozenset[str] = frozenset({"exclude", "quote-only", "no-solutions"})
_FENCED = re.compile(r"---[ \t]*(\r\n|\n|\r)(.*?)(?<![^\r\n])---[ \t]*(?=[\r\n]|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|description|slug|id|ai|draft|unlisted)[ \t]*:[ \t]*(.*)$", re.M)
# Slow in pure Python: the C loader is used where PyYAML was built with it.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 50
"""Levels of nesting. The loader recurses, in C beyond the end of the stack."""
_MOST_ALIASES = 10
"""Merged (`<<: [*a, *a]`), each may double what is loaded."""
_LONGEST = 500
"""Characters of a field: each of a page's chunks has them."""


def read_front_matter(source: str, start: int = 0) -> tuple[FrontMatter, int, tuple[str, ...]]:
    """The front matter at `start`, the offset where the text begins, and warnings.

    Invalid YAML is not fatal: fields on a line of their own are still read, so that a policy is
    honoured whatever else is wrong.
    """
    found = _FENCED.match(source, start)
    if not found:
        return FrontMatter(), start, ()
    text = found.group(2)
    warnings: list[str] = []
    fields: dict[str, Any] = {}
    try:
        _check_size(text)
        loaded = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader, in C or in Python
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 2}: " if mark else ""
        warnings.append(f"{line}front matter is not valid YAML")
        fields = {key: value.rstrip(" \t\r").strip("'\"") for key, value in _FIELD.findall(text)}
    else:
        if isinstance(loaded, dict):
            fields = loaded
        elif loaded is not None:
            warnings.append("front matter is not a list of fields")
    front = FrontMatter(
        title=_text(fields.get("title")),
        description=_text(fields.get("description")),
        slug=_text(fields.get("slug")),
        id=_text(fields.get("id")),
        policy=_policy(fields.get("ai"), warnings),
        hide=_is_true(fields.get("draft")) or _is_true(fields.get("unlisted")),
        position=_number(fields.get("sidebar_position")),
    )
    return front, found.end(), tuple(warnings)


def _check_size(text: str) -> None:
    """Raise YAMLError for what would take the loader too much time or stack."""
    depth = aliases = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        if depth > _DEEPEST or aliases > _MOST_ALIASES:
            raise yaml.YAMLError("too much is nested")


def _text(value: object) -> str:
    if value is None or isinstance(value, dict | list):
        return ""
    try:
        return str(value).strip()[:_LONGEST]
    except ValueError:  # a number of thousands of digits
        return ""


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in {"true", "yes"})


def _policy(value: object, warnings: list[str]) -> Policy:
    name = _text(value).lower()
    if not name:
        return ""
    if name in POLICIES:
        return cast(Policy, name)
    warnings.append(f"unknown policy 'ai: {name[:40]}'; read as 'exclude'")
    return "exclude"
