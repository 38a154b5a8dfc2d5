"""What of a text must stand in its evidence as it is (names, code), and what makes it no statement.
English, by rules. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from functions.answer.check.alignment import tokens_of, words_in
from functions.answer.check.operators import kinds_of
from functions.answer.text.words import STOP_WORDS, is_common, stem, terms_of, words_of

_NAME = re.compile(
    r"\b(?:[A-Z][\w’'.-]*\w|[A-Z])(?:\s+(?:of|the|de|la|van|von)(?=\s+[A-Z])"
    r"|\s+(?:[A-Z][\w’'.-]*\w|[A-Z]))*"
)
_CODE = re.compile(
    r"\b\w+(?:[_/]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b\w+\(\)|\b\w+\.\w+\(|(?<!\S)--?[a-z][\w-]+(?=\s|$)"
    r"|`([^`]+)`"
)
_CODE_SIGN = re.compile(r"[_/(`]|(?<!\S)-|[a-z][A-Z]")
"""What every code has."""
_SPEAKER = re.compile(
    r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b(?![.\w])|\bi['’](?:m|ve|d|ll)\b"
    # A small "i" is somebody only before what somebody does; else it may be a variable.
    r"|\bi (?:am|was|have|had|do|did|can|could|would|think|thought|guess|know|knew|like|love|hope|"
    r"believe|feel|felt|want|need|wish|agree|bet|hear|heard|read|wonder)\b"
)
_COMMAND = re.compile(
    r"(?:^|[.;:!?,—(]\s*(?:and |then |or )?)[\"'“`]*"
    r"(?:(?:please|always|never|first|then|just|simply|also|now|do not|don['’]t)[ ,]+)*"
    r"(?P<verb>add|allow|apply|ask|avoid|buy|call|change|check|choose|click|close|compile|configure|"
    r"contact|copy|create|define|delete|disable|download|email|enable|ensure|enter|follow|forget|get|"
    r"give|go|ignore|install|keep|leave|let|log|make|move|open|pass|pay|phone|place|press|put|read|"
    r"remember|remove|rename|replace|restart|return|run|save|see|select|send|set|share|skip|start|stop|"
    r"subscribe|switch|take|tell|trust|try|turn|type|update|upgrade|use|visit|wait|write)\b"
    r"(?! (?:is|are|was|were|has|of|by)\b)",
    re.IGNORECASE,
)
_ADVICE = re.compile(r"\byou (?:should|must|need to|have to|had better|ought to)\b", re.IGNORECASE)
_POLITE = frozenset(
    stem(word)
    for word in """true right sure correct exact exactly agree agreed certain certainly definitely
    absolutely totally course interesting fascinating cool nice great good fun funny sad crazy wow
    amazing awesome wonderful lovely fine lot thanks thank hello hi hey welcome sorry glad question
    point""".split()
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What was found in a text. Names are tuples of folded words."""

    names: tuple[tuple[str, ...], ...]
    codes: frozenset[str]


@lru_cache(maxsize=4_096)
def read_statement(text: str) -> Statement:
    """The names and the code of a text."""
    return Statement(_names(text), _codes(text))


def _codes(text: str) -> frozenset[str]:
    if not _CODE_SIGN.search(text):
        return frozenset()
    return frozenset(m.group(1) or m.group().rstrip("(") for m in _CODE.finditer(text))


def claims_something(text: str) -> bool:
    """Whether a text says anything of the book, and not only "Yes." or "That is true."."""
    terms = terms_of(text)
    denies = terms and "negation" in kinds_of(words_in(tokens_of(text)))
    return not _POLITE.issuperset(terms) or bool(denies)


def has_speaker(text: str) -> bool:
    """Whether a text is in the first person."""
    return _SPEAKER.search(text) is not None


@lru_cache(maxsize=8_192)
def commands_of(text: str) -> frozenset[str]:
    """The verbs with which a text tells its reader to do something."""
    verbs = (match.group("verb").lower() for match in _COMMAND.finditer(text))
    return frozenset((*verbs, *map(str.lower, _ADVICE.findall(text))))


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
