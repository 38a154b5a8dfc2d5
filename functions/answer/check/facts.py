"""What a sentence states that must not change: numbers, names, code, negation, hedges, direction.

English only, by rules; nothing here looks at where a text comes from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from functions.answer.text.synonyms import OPPOSITES
from functions.answer.text.words import (
    NUMBER_WORDS,
    STOP_WORDS,
    fold,
    is_common,
    may_hold,
    stem,
    terms_of,
    words_of,
)

_PLAIN = re.compile(r"[^\W_]+")
_NUMBER = re.compile(
    r"(?<![\w.])(?P<value>[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:(?:st|nd|rd|th|s)\b)?"
    r"(?:[ -]?(?P<unit>%|°\s?[CF]?|percent|thousand|million|billion|trillion|[A-Za-zµΩ]{1,3}\b))?"
)
_NAME = re.compile(
    r"\b(?:[A-Z][\w’'.-]*\w|[A-Z])(?:\s+(?:of|the|de|la|van|von)(?=\s+[A-Z])"
    r"|\s+(?:[A-Z][\w’'.-]*\w|[A-Z]))*"
)
_ONE = re.compile(
    # "one" is a pronoun more often than a number.
    r"(?<!\bno )(?<!\bthe )(?<!\bthis )(?<!\bthat )(?<!\bany )(?<!\bwhich )\bone\b"
    r"(?!\s+(?:of|or|can|could|may|might|must|should|would|is|was|has|who|whose|that|another"
    r"|day|to)\b|['’]s|\W*$)",
    re.IGNORECASE,
)
_COUNTED = NUMBER_WORDS.keys() - {"one"}
_CODE = re.compile(
    r"\b\w+(?:[_/]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b\w+\(\)|\b\w+\.\w+\(|(?<!\S)--?[a-z][\w-]+(?=\s|$)"
    r"|`([^`]+)`"
)
_CODE_SIGN = re.compile(r"[_/(`]|(?<!\S)-|[a-z][A-Z]")
"""What every code has."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|nobody|nothing|nowhere|without|cannot|hardly|scarcely|"
    r"barely|prohibit(?:s|ed|ing)?|forbid(?:s|den|ding)?|forbade|bans?|banned|fail(?:s|ed)? to|"
    r"unable|lacks?|lacked|refus(?:e|es|ed)|unlikely|impossible)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_NEGATING = tuple(
    "no n't n’t never neither without hardly scarcely barely prohibit forb ban fail unable lack "
    "refus unlikely impossible".split()
)
"""What every negation has; so below. Looking for a piece of a word is ten times as fast as a
pattern."""
_SPEAKER = re.compile(
    r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b(?![.\w])|\bi['’](?:m|ve|d|ll)\b"
    # A small "i" is somebody only before what somebody does; else it may be a variable.
    r"|\bi (?:am|was|have|had|do|did|can|could|would|think|thought|guess|know|knew|like|love|hope|"
    r"believe|feel|felt|want|need|wish|agree|bet|hear|heard|read|wonder)\b"
)
_SUPERLATIVE = re.compile(
    r"\b(?:best|worst|(?:larg|bigg|great|high|low|small|old|young|long|short|fast|slow|"
    r"strong|weak|rich|poor|earli|lat|near|deep|wid|tall|heavi|light|eas|cheap|new|clos|hard|"
    r"bright|dark|hott|cold|simpl|fin|busi|few|broad|hardi|loud)i?est)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\b([a-z]{2,}er)(?: [\w-]+){0,3}? than\b", re.IGNORECASE)
_POLITE = frozenset(
    stem(word)
    for word in """true right sure correct exact exactly agree agreed certain certainly definitely
    absolutely totally course interesting fascinating cool nice great good fun funny sad crazy wow
    amazing awesome wonderful lovely fine lot thanks thank hello hi hey welcome sorry glad question
    point""".split()
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|probably|likely|suggests?|allegedly|reportedly|"
    r"appears? to|seems? to|believed to|thought to|rumou?red|supposedly|if|unless|until|except)\b",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    r"\b(?:all|always|every|only|entirely|completely|exclusively|must|guarantees?|each|any)\b",
    re.IGNORECASE,
)
_HEDGING = tuple(
    "may might could perhaps possibly probab likely suggest allegedly reportedly appear seem "
    "believed thought rumo supposedly if unless until except".split()
)
_BEING_ABSOLUTE = tuple(
    "all always every only entire complete exclusive must guarant each any".split()
)
_ABOVE_ALL = ("est", "worst")
_COMPARING = ("than",)


@dataclass(frozen=True, slots=True)
class Statement:
    """What was found in a text. Numbers are (value, unit or ""), names tuples of folded words.

    `negated` holds, for each negation, the stems of the content words after it; `speaker`: it is in
    the first person; `question`: it asks.
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
    """Read one claim."""
    return Statement(
        numbers=numbers_of(text),
        names=_names(text),
        codes=_codes(text),
        negated=negations_of(text),
        speaker=has_speaker(text),
        question=text.rstrip().endswith("?"),
        hedged=is_hedged(text),
        absolutes=absolutes_of(text),
        directions=directions_of(text),
    )


def _codes(text: str) -> frozenset[str]:
    if not _CODE_SIGN.search(text):
        return frozenset()
    return frozenset(m.group(1) or m.group().rstrip("(") for m in _CODE.finditer(text))


def claims_something(text: str) -> bool:
    """Whether a text says anything of the book, and not only "Yes." or "That is true."."""
    terms = terms_of(text)
    return not _POLITE.issuperset(terms) or bool(terms and negations_of(text))


# What evidence is asked for, one thing at a time: most claims ask for few of them.


def has_speaker(text: str) -> bool:
    """Whether a text is in the first person."""
    return _SPEAKER.search(text) is not None


def superlatives_of(text: str) -> frozenset[str]:
    """The stems of superlatives ("larg" of "largest")."""
    if not may_hold(text, _ABOVE_ALL):
        return frozenset()
    found = (match.lower().removesuffix("est") for match in _SUPERLATIVE.findall(text))
    return frozenset(stem(re.sub(r"([bdgnt])\1$", r"\1", word)) for word in found)


def comparisons_of(text: str) -> frozenset[str]:
    """The comparatives before "than" ("shorter than")."""
    if not may_hold(text, _COMPARING):
        return frozenset()
    return frozenset(match.lower() for match in _COMPARED.findall(text))


def is_hedged(text: str) -> bool:
    """Whether something is only supposed, or holds under a condition."""
    return may_hold(text, _HEDGING) and _HEDGE.search(text) is not None


def absolutes_of(text: str) -> frozenset[str]:
    """The words that leave no exception ("all", "only")."""
    if not may_hold(text, _BEING_ABSOLUTE):
        return frozenset()
    return frozenset(match.lower() for match in _ABSOLUTE.findall(text))


@lru_cache(maxsize=8_192)
def directions_of(text: str) -> frozenset[str]:
    """The words that have an opposite ("higher")."""
    return frozenset(chain.from_iterable(map(_directions_of_word, _PLAIN.findall(text))))


@lru_cache(maxsize=65_536)
def _directions_of_word(word: str) -> tuple[str, ...]:
    plain = fold(word)
    return tuple(key for key in (plain, stem(plain)) if key in OPPOSITES) if plain else ()


@lru_cache(maxsize=8_192)
def negations_of(text: str) -> tuple[frozenset[str], ...]:
    """For each negation, the first content words after it: up to three, within the clause."""
    if not may_hold(text, _NEGATING):
        return ()
    found = []
    for match in _NEGATION.finditer(text):
        clause = re.split(r"[.;:!?,](?:\s|$)", text[match.end() : match.end() + 120], maxsplit=1)[0]
        found.append(frozenset(terms_of(clause)[:3]))
    return tuple(found)


@lru_cache(maxsize=8_192)
def numbers_of(text: str) -> frozenset[tuple[str, str]]:
    """Numbers with their units, in digits and in words, as (value, unit or "")."""
    found: set[tuple[str, str]] = set()
    for match in _NUMBER.finditer(text):
        value = match.group("value").replace(",", "").replace("−", "-")
        unit = (match.group("unit") or "").lower().replace(" ", "")
        unit = {"percent": "%"}.get(unit, unit)
        if (unit in STOP_WORDS and unit != "%") or _is_year(match.group("value")):
            unit = ""
        found.add((value, unit))
    found.update((NUMBER_WORDS[word], "") for word in words_of(text) if word in _COUNTED)
    if may_hold(text, ("one",)) and _ONE.search(text):
        found.add(("1", ""))
    return frozenset(found)


def _is_year(value: str) -> bool:
    return len(value) == 4 and "1000" <= value < "2100"


def _names(text: str) -> tuple[tuple[str, ...], ...]:
    """Runs of capitalised words; a common word that merely opens a sentence is none."""
    names = []
    for match in _NAME.finditer(text):
        opens = not re.search(r"[\w,;:)]\s*[\"“(]?$", text[: match.start()])
        for run in re.split(r"['’]s\b", match.group()):
            words = tuple(word for word in words_of(run) if not word.isdigit())
            if opens and words and is_common(words[0]):
                words = words[1:]
            opens = False
            words = tuple(word for word in words if word not in STOP_WORDS and len(word) > 1)
            if words:
                names.append(words)
    return tuple(names)
