"""Words that may replace each other in a paraphrase (irregular forms, common senses), and words of
which one contradicts the other. English."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from functions.answer.text.words import SAME_ROOT, same_root, stem

SENSE = 0.8
"""What a word of the same sense is worth beside the word itself."""

Pairs = tuple[tuple[str, str], ...]

# Some words are stems: "increas" is of "increase" and "increasing".
_COMPARED: Pairs = (
    ("more", "less"), ("greater", "lesser"), ("higher", "lower"), ("larger", "smaller"),
    ("increas", "decreas"), ("rise", "fall"), ("rises", "falls"), ("before", "after"),
    ("above", "below"), ("faster", "slower"), ("longer", "shorter"), ("most", "least"),
    ("earlier", "later"), ("over", "under"), ("maximum", "minimum"), ("positive", "negative"),
    ("internal", "external"), ("best", "worst"), ("first", "last"), ("stronger", "weaker"),
    ("better", "worse"), ("upper", "lower"), ("north", "south"), ("east", "west"),
    ("majority", "minority"), ("inside", "outside"), ("accept", "reject"), ("gain", "lose"),
    ("old", "new"), ("success", "failure"), ("true", "false"), ("max", "min"),
)  # fmt: skip
_WAYS: Pairs = (
    ("forward", "backward"), ("forwards", "backwards"), ("left", "right"), ("up", "down"),
)  # fmt: skip
_JUDGED: Pairs = (
    ("reliable", "fragile"), ("reliable", "unreliable"), ("robust", "fragile"),
    ("robust", "brittle"), ("fast", "slow"), ("quick", "slow"), ("simple", "complex"),
    ("simple", "complicated"), ("easy", "hard"), ("easy", "difficult"), ("safe", "dangerous"),
    ("safe", "unsafe"), ("useful", "useless"), ("help", "harm"), ("help", "hinder"),
    ("necessary", "unnecessary"), ("needed", "needless"), ("possible", "impossible"),
    ("cheap", "expensive"), ("strong", "weak"), ("advantage", "disadvantage"),
    ("advantage", "drawback"), ("strength", "weakness"), ("always", "never"),
    ("improve", "worsen"), ("stable", "unstable"), ("efficient", "wasteful"),
    ("allow", "forbid"), ("increase", "reduce"), ("raise", "reduce"), ("include", "exclude"),
    ("agree", "disagree"), ("right", "wrong"), ("good", "bad"), ("early", "late"),
)  # fmt: skip


def _both_ways(pairs: Pairs) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in pairs:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _both_ways(_COMPARED)
"""Words that a claim must not replace by their opposite, wherever they are in it."""
WAYS = _both_ways(_WAYS)
"""The same for words of many senses ("right", "up"): only between the same words."""


@cache
def antonym_stems() -> dict[str, frozenset[str]]:
    """Each word by which one statement can contradict another, and its stem, with its antonyms
    and theirs."""
    pairs = [*_COMPARED, *_JUDGED]
    return _both_ways(
        tuple(
            (one_form, other_form)
            for one, other in pairs
            for one_form in {one, stem(one)}
            for other_form in {other, stem(other)}
        )
    )


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
