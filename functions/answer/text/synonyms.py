"""Words that may replace each other in a paraphrase (irregular forms, common senses), and words of
which one contradicts the other. English."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from functions.answer.text.words import SAME_ROOT, same_root, stem

SENSE = 0.8
"""What a word of the same sense is worth beside the word itself."""

_NEGATING_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "de")


@cache
def opposites(group: str = "[anywhere]") -> dict[str, frozenset[str]]:
    """The stem of each word of a group of `opposites.txt`, with the stems of its opposites."""
    lines = Path(__file__).with_name("opposites.txt").read_text("utf-8").splitlines()
    found: dict[str, set[str]] = {}
    name = ""
    for line in lines:
        if line.startswith("["):
            name = line
        elif name == group:
            one, other = map(stem, line.split())
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def are_opposite(one: str, other: str) -> bool:
    """Whether one stem in the other's place contradicts it: by the list, or by a prefix."""
    short, long = sorted((one, other), key=len)
    prefix = long[: len(long) - len(short)]
    return any(
        other in opposites(group).get(one, frozenset()) for group in ("[anywhere]", "[in place]")
    ) or (prefix in _NEGATING_PREFIXES and long.endswith(short) and len(short) > 3)


def synonym_match(term: str, terms: frozenset[str]) -> float:
    """1 when the stem, or a form of its word, is among `terms`; 0.8 for a word of the same root or
    sense; else 0."""
    if term in terms:
        return 1.0
    return max(counterparts(term, terms).values(), default=0.0)


def counterparts(term: str, terms: frozenset[str]) -> dict[str, float]:
    """Those of `terms` that may replace a stem, with what each is worth (above 0 to 1)."""
    forms, senses = _tables()
    found = dict.fromkeys(senses.get(term, frozenset()) & terms, SENSE)
    found |= dict.fromkeys(same_root(term, terms), SAME_ROOT)
    found |= dict.fromkeys(forms.get(term, frozenset()) & terms, 1.0)
    if term in terms:
        found[term] = 1.0
    return found


def forms_of(term: str) -> frozenset[str]:
    """The stems of a word's other forms."""
    return _tables()[0].get(term, frozenset())


@cache
def irregular_pasts() -> frozenset[str]:
    """The second words of the lines of forms: "wrote" of "write wrote written"."""
    text = Path(__file__).with_name("synonyms.txt").read_text("utf-8")
    forms = text.partition("[forms]")[2].partition("[senses]")[0]
    return frozenset(words[1] for line in forms.splitlines() if len(words := line.split()) > 1)


def related(one: str, other: str) -> bool:
    """Whether two stems are of one word or one sense."""
    return synonym_match(one, frozenset((other,))) > 0


@cache
def _tables() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """For each stem the stems of its other forms, and those of the same sense."""
    tables: dict[str, dict[str, set[str]]] = {"[forms]": {}, "[senses]": {}}
    table: dict[str, set[str]] = {}
    path = Path(__file__).with_name("synonyms.txt")
    for line in path.read_text("utf-8").splitlines():
        if line in tables:
            table = tables[line]
        elif line and not line.startswith("#"):
            synonyms = {stem(word) for word in line.split()}
            if table is tables["[senses]"]:  # a form of a word has the senses of the word
                forms = tables["[forms]"]
                synonyms |= {form for word in synonyms for form in forms.get(word, ())}
            for member in synonyms:
                table.setdefault(member, set()).update(synonyms - {member})
    forms, senses = tables.values()
    return (
        {word: frozenset(others) for word, others in forms.items()},
        {word: frozenset(others) for word, others in senses.items()},
    )
