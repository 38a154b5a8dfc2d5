"""The operators that decide what a sentence commits to: negation, quantity, modality, condition,
attitude, cause, order in time, comparison. English; `operators.txt` lists them. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

LOST = frozenset({"negation", "limit", "hedge", "condition", "attitude"})
"""Classes that a claim must not lose: without them it says more than its evidence."""
LOST_GROUPS = frozenset({("universal", "only")})
"""Groups of other classes that it must not lose either."""
GAINED = frozenset({"negation", "universal", "duty", "cause", "comparison", "time"})
"""Classes that a claim must not add."""
_LONGEST_PHRASE = 4
_SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator found in words, from the index of its first one to before `end`."""

    kind: str
    group: str
    at: int
    end: int


@lru_cache(maxsize=16_384)
def operators_of(words: tuple[str, ...]) -> tuple[Operator, ...]:
    """The operators among folded words, in order; the longest phrase counts."""
    found = []
    at = 0
    while at < len(words):
        size, kind, group = _operator_at(words, at)
        if size:
            found.append(Operator(kind, group, at, at + size))
        at += size or 1
    return tuple(found)


def kinds_of(words: tuple[str, ...]) -> frozenset[str]:
    """The classes of the operators among folded words."""
    return frozenset(operator.kind for operator in operators_of(words))


def _operator_at(words: tuple[str, ...], at: int) -> tuple[int, str, str]:
    """The size, class and group of the operator that begins at an index; size 0 for none."""
    phrases, prefixes = _lexicon()
    for size in range(phrases.get(words[at], (1, ()))[0], 0, -1):
        entry = phrases.get(" ".join(words[at : at + size]))
        if entry and entry[1]:
            return size, *entry[1]  # type: ignore[return-value]
    for end in range(_SHORTEST_PREFIX, len(words[at]) + 1):
        if entry_of_prefix := prefixes.get(words[at][:end]):
            return 1, *entry_of_prefix
    return 0, "", ""


@cache
def _lexicon() -> tuple[dict[str, tuple[int, tuple[str, ...]]], dict[str, tuple[str, str]]]:
    """By phrase: the size of the longest phrase that begins with it, its class and group; and the
    prefixes."""
    phrases: dict[str, tuple[int, tuple[str, ...]]] = {}
    prefixes: dict[str, tuple[str, str]] = {}
    for line in Path(__file__).with_name("operators.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, _, entries = line.partition(":")
        kind, group = name.split()[0], " ".join(name.split()[1:])
        for entry in entries.split():
            if entry.endswith("*"):
                prefixes[entry[:-1]] = (kind, group)
                continue
            words = entry.split("_")
            longest, known = phrases.get(words[0], (1, ()))
            phrases[words[0]] = (max(longest, len(words)), known)
            longest = phrases.get(" ".join(words), (1, ()))[0]
            phrases[" ".join(words)] = (max(longest, 1), (kind, group))
    return phrases, prefixes
