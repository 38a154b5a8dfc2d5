"""What a sentence states that must not change: numbers, names, code, negation, hedges, direction.

English only, by rules; nothing here looks at where a text comes from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from functions.answer.words import NUMBER_WORDS, STOP_WORDS, fold, is_common, stem, terms_of

_NUMBER = re.compile(
    r"(?<![\w.])(?P<value>[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:(?:st|nd|rd|th|s)\b)?"
    r"(?:[ -]?(?P<unit>%|°\s?[CF]?|percent|thousand|million|billion|trillion|[A-Za-zµΩ]{1,3}\b))?"
)
_NAME = re.compile(
    r"\b(?:[A-Z][\w’'.-]*\w|[A-Z])(?:\s+(?:of|the|de|la|van|von|and|&)(?=\s+[A-Z])"
    r"|\s+(?:[A-Z][\w’'.-]*\w|[A-Z]))*"
)
_CODE = re.compile(
    r"\b\w+(?:[_/]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b\w+\(\)|\b\w+\.\w+\(|--?[a-z][\w-]+(?=\s|$)|`([^`]+)`"
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|nobody|nothing|nowhere|without|cannot|hardly|scarcely|"
    r"barely|fail(?:s|ed)? to|unable|lacks?|lacked|refus(?:e|es|ed)|unlikely|impossible)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b(?![.\w])")
_HEDGE = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|probably|likely|suggests?|allegedly|reportedly|"
    r"appears? to|seems? to|believed to|thought to|rumou?red|supposedly|if|unless|until|except)\b",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    r"\b(?:all|always|every|only|entirely|completely|exclusively|must|guarantees?|each|any)\b",
    re.IGNORECASE,
)
_DIRECTIONS = (
    ("more", "less"), ("greater", "lesser"), ("higher", "lower"), ("larger", "smaller"),
    ("increas", "decreas"), ("rise", "fall"), ("rises", "falls"), ("before", "after"),
    ("above", "below"), ("faster", "slower"), ("longer", "shorter"), ("most", "least"),
    ("earlier", "later"), ("over", "under"), ("maximum", "minimum"), ("positive", "negative"),
    ("internal", "external"), ("best", "worst"), ("first", "last"), ("stronger", "weaker"),
    ("better", "worse"), ("upper", "lower"), ("north", "south"), ("east", "west"),
    ("majority", "minority"), ("inside", "outside"), ("accept", "reject"), ("gain", "lose"),
    ("old", "new"), ("success", "failure"), ("true", "false"), ("max", "min"),
)  # fmt: skip
OPPOSITES: dict[str, frozenset[str]] = {}
for _left, _right in _DIRECTIONS:
    OPPOSITES[_left] = OPPOSITES.get(_left, frozenset()) | {_right}
    OPPOSITES[_right] = OPPOSITES.get(_right, frozenset()) | {_left}


@dataclass(frozen=True, slots=True)
class Statement:
    """What was found in a text. Numbers are (value, unit or ""), names tuples of folded words.

    `negated` holds, per negation, the stems of the content words it stands before; `speaker` says
    that somebody speaks of himself; `question` that it asks.
    """

    numbers: frozenset[tuple[str, str]]
    names: tuple[tuple[str, ...], ...]
    codes: frozenset[str]
    negated: tuple[frozenset[str], ...]
    speaker: bool
    question: bool
    hedged: bool
    absolutes: frozenset[str]
    directions: frozenset[str]


@lru_cache(maxsize=4_096)
def read_statement(text: str) -> Statement:
    """Read one sentence, or a few."""
    folded = [plain for word in re.findall(r"[^\W_]+", text) if (plain := fold(word))]
    return Statement(
        numbers=_numbers(text, folded),
        names=_names(text),
        codes=frozenset(m.group(1) or m.group().rstrip("(") for m in _CODE.finditer(text)),
        negated=_negated(text),
        speaker=_SPEAKER.search(text) is not None,
        question=text.rstrip().endswith("?"),
        hedged=_HEDGE.search(text) is not None,
        absolutes=frozenset(m.lower() for m in _ABSOLUTE.findall(text)),
        directions=frozenset(
            key for word in folded for key in (word, stem(word)) if key in OPPOSITES
        ),
    )


def _negated(text: str) -> tuple[frozenset[str], ...]:
    """For each negation, the first content words after it: up to three, within the clause."""
    found = []
    for match in _NEGATION.finditer(text):
        clause = re.split(r"[.;:!?,](?:\s|$)", text[match.end() : match.end() + 120], maxsplit=1)[0]
        found.append(frozenset(terms_of(clause)[:3]))
    return tuple(found)


def _numbers(text: str, folded: list[str]) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for match in _NUMBER.finditer(text):
        value = match.group("value").replace(",", "").replace("−", "-")
        unit = (match.group("unit") or "").lower().replace(" ", "")
        unit = {"percent": "%"}.get(unit, unit)
        if unit in STOP_WORDS and unit != "%":
            unit = ""
        found.add((value, unit))
    found.update((NUMBER_WORDS[word], "") for word in folded if word in NUMBER_WORDS)
    return frozenset(found)


def _names(text: str) -> tuple[tuple[str, ...], ...]:
    """Runs of capitalised words; a common word that merely opens a sentence is none."""
    names = []
    for match in _NAME.finditer(text):
        words = tuple(
            fold(word) for word in re.findall(r"[^\W_]+", match.group()) if not word.isdigit()
        )
        opens = not re.search(r"[\w,;:)]\s*[\"“(]?$", text[: match.start()])
        if opens and words and is_common(words[0]):
            words = words[1:]
        words = tuple(word for word in words if word not in STOP_WORDS and len(word) > 1)
        if words:
            names.append(words)
    return tuple(names)
