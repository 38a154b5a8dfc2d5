"""Words that stand for each other in a paraphrase: irregular forms, and a few common senses."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from functions.answer.text.words import SAME_ROOT, same_root, stem

SENSE = 0.8
"""What a word of the same sense is worth beside the word itself."""


def stands(term: str, terms: frozenset[str]) -> float:
    """1 when the stem, or a form of its word, is among `terms`; 0.8 for a word of the same root or
    sense; else 0."""
    if term in terms:
        return 1.0
    return max(counterparts(term, terms).values(), default=0.0)


def counterparts(term: str, terms: frozenset[str]) -> dict[str, float]:
    """Those of `terms` that may stand for a stem, with what each is worth (above 0 to 1)."""
    forms, senses = _families()
    found = dict.fromkeys(senses.get(term, frozenset()) & terms, SENSE)
    found |= dict.fromkeys(same_root(term, terms), SAME_ROOT)
    found |= dict.fromkeys(forms.get(term, frozenset()) & terms, 1.0)
    if term in terms:
        found[term] = 1.0
    return found


def forms_of(term: str) -> frozenset[str]:
    """The stems of a word's other forms."""
    return _families()[0].get(term, frozenset())


def related(one: str, other: str) -> bool:
    """Whether two stems are of one word or one sense."""
    return stands(one, frozenset((other,))) > 0


@cache
def _families() -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """For each stem the stems of its other forms, and those of the same sense."""
    tables: dict[str, dict[str, set[str]]] = {"[forms]": {}, "[senses]": {}}
    table: dict[str, set[str]] = {}
    path = Path(__file__).with_name("word_families.txt")
    for line in path.read_text("utf-8").splitlines():
        if line in tables:
            table = tables[line]
        elif line and not line.startswith("#"):
            family = {stem(word) for word in line.split()}
            if table is tables["[senses]"]:  # a form of a word has the senses of the word
                forms = tables["[forms]"]
                family |= {form for word in family for form in forms.get(word, ())}
            for member in family:
                table.setdefault(member, set()).update(family - {member})
    forms, senses = tables.values()
    return (
        {word: frozenset(others) for word, others in forms.items()},
        {word: frozenset(others) for word, others in senses.items()},
    )
