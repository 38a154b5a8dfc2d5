"""The rules of the check: what of a claim its evidence does not say. The same for every mode and
every writer. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from functions.answer.check.entity_names import SourceWords, identifies_another, names_are_given
from functions.answer.check.facts import (
    Statement,
    absolutes_of,
    claims_something,
    comparisons_of,
    directions_of,
    has_speaker,
    is_hedged,
    negations_of,
    numbers_of,
    read_statement,
    superlatives_of,
)
from functions.answer.check.verbatim import is_altered
from functions.answer.check.word_order import reverses_order
from functions.answer.text.synonyms import OPPOSITES, synonym_match
from functions.answer.text.words import STOP_WORDS, stem, term_set, terms_of, weight

T = TypeVar("T")
LEAST_COVERAGE, RARE_WORDS, MOST_COVERAGE = 0.5, 1.5, 0.85
"""Bounds of the share of a claim's content, by weight, that its evidence must have."""
LEAST_OF_A_CLAUSE = 0.35
"""The share of each clause: a false one must not hide in a long claim."""
LEAST_WEIGHT = 1.5
"""What a clause must weigh to be checked alone: two rare words, or three common ones."""
EMPTY = "says nothing"
_CLAUSE_END = re.compile(
    r"[;:,—–()]\s*|\s+(?:and|but|because|so|while|whereas|although|which|who|that|when|where|"
    r"after|before|since|if|to)\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of a claim: the sentences it cites, those with neighbours and headings, and the
    words that its names must be among."""

    cited: tuple[str, ...]
    around: tuple[str, ...]
    naming: SourceWords
    known: frozenset[str]

    def named(self, text: str) -> frozenset[str]:
        """The stems of a text's names that are in the evidence, abbreviated or not."""
        return frozenset(
            stem(word)
            for name in read_statement(text).names
            if names_are_given([name], self.naming)
            for word in name
        )


def broken_rules(text: str, evidence: Evidence, coverage: float) -> tuple[str, ...]:
    """The names of the rules that a paraphrase breaks."""
    if not claims_something(text):
        return (EMPTY,)
    failed = (*_broken_facts(text, evidence), *_broken_wording(text, evidence))
    return (*failed, "coverage") if coverage < needed_coverage(text) else failed


def has_uncovered_clause(text: str, terms: frozenset[str]) -> bool:
    """Whether a clause of a claim has next to nothing among `terms`."""
    return any(cover(clause, terms) < LEAST_OF_A_CLAUSE for clause in clauses_of(text))


def _broken_facts(text: str, evidence: Evidence) -> Iterator[str]:
    """Rules on numbers, names, code, negation, limits and direction."""
    claim = read_statement(text)
    if claim.numbers and not _numbers_are_given(claim.numbers, _all(numbers_of, evidence.around)):
        yield "number"
    if claim.names and not names_are_given(claim.names, evidence.naming):
        yield "name"
    if any(not any(code in given for given in evidence.around) for code in claim.codes):
        yield "code"
    if claim.question or (claim.speaker and not any(map(has_speaker, evidence.cited))):
        yield "no statement"
    if not _negations_agree(claim, text, evidence):
        yield "negation"
    sure = claim.absolutes - _all(absolutes_of, evidence.cited) if claim.absolutes else None
    if sure and not claim.hedged and any(map(is_hedged, evidence.cited)):
        yield "modality"
    if sure and sure - _all(absolutes_of, evidence.around) - {"any", "each", "all"}:
        yield "quantifier"
    if claim.directions:
        near = _all(directions_of, evidence.cited)
        new = claim.directions - _all(directions_of, evidence.around)
        if any(OPPOSITES[direction] & near for direction in new):
            yield "direction"


def _broken_wording(text: str, evidence: Evidence) -> Iterator[str]:
    """Rules on comparisons, identity and the order of words."""
    if any(not synonym_match(stem(word), evidence.known) for word in comparisons_of(text)):
        yield "comparison"
    if highest := superlatives_of(text):
        given = _all(superlatives_of, evidence.around)
        if not all(synonym_match(superlative, given) for superlative in highest):
            yield "superlative"
    if identifies_another(text, evidence.around):
        yield "identity"
    if reverses_order(text, evidence.cited):
        yield "order"
    if is_altered(text, " ".join(evidence.cited), evidence.known):
        yield "altered"


def cover(text: str, terms: frozenset[str]) -> float:
    """The share of a text's content words, by weight, that are among `terms` (0 to 1)."""
    wanted = list(dict.fromkeys(terms_of(text)))
    total = sum(weight(term) for term in wanted)
    if not total:
        return 1.0
    return sum(weight(term) * synonym_match(term, terms) for term in wanted) / total


def needed_coverage(text: str) -> float:
    """The share that must be covered: half, and as much again as one rare word weighs.

    In a claim of three words, a word that is not in the evidence is a new fact; among fifteen that
    are, with every name and number, it is a paraphrase.
    """
    total = sum(weight(term) for term in term_set(text))
    share = LEAST_COVERAGE + RARE_WORDS / total if total else MOST_COVERAGE
    return min(MOST_COVERAGE, share)


def clauses_of(text: str) -> list[str]:
    """The clauses of a claim; one too light to be checked alone goes with the next, the last with
    the one before. Empty when all of it is too light."""
    clauses: list[str] = []
    open_one = ""
    for piece in _CLAUSE_END.split(text):
        open_one = f"{open_one} {piece}".strip()
        if sum(map(weight, term_set(open_one))) >= LEAST_WEIGHT:
            clauses.append(open_one)
            open_one = ""
    if open_one and clauses:
        clauses[-1] += f" {open_one}"
    return clauses


def _all(read: Callable[[str], frozenset[T]], texts: Iterable[str]) -> frozenset[T]:
    return frozenset[T]().union(*map(read, texts))


def _numbers_are_given(
    claimed: frozenset[tuple[str, str]], given: frozenset[tuple[str, str]]
) -> bool:
    values: dict[str, set[str]] = {}
    for value, unit in given:
        values.setdefault(value, set()).add(unit)
    for value, unit in claimed:
        if value not in values:
            return False
        units = values[value] - {""}
        if unit and units and unit not in units and unit not in STOP_WORDS:
            return False
    return True


def _negations_agree(claim: Statement, text: str, evidence: Evidence) -> bool:
    """What the claim negates the evidence negates, and what the evidence negates the claim does
    not assert."""
    near = [words for given in evidence.cited for words in negations_of(given)]
    denied = frozenset[str]().union(*near)
    for words in claim.negated:
        if words and not any(synonym_match(word, denied) for word in words):
            return False
    if claim.negated and not near:
        return False
    told = term_set(text) - frozenset[str]().union(*claim.negated)
    return not any(words and words <= told for words in near)
