"""Counts in sentences for people."""

from __future__ import annotations


def plural(count: int, noun: str, many: str = "") -> str:
    """A count with its noun: "1 chunk", "2 chunks". `many` where it does not end in s."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"
