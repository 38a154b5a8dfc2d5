"""Does the evidence say the claim? Rules only, the same for every mode and every writer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from functions.answer.check.clauses import clauses_of
from functions.answer.check.entity_names import SourceWords, leaned_on, names_stand
from functions.answer.check.facts import (
    OPPOSITES,
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
from functions.answer.check.identity import names_another
from functions.answer.check.injected_content import find_foreign
from functions.answer.check.verbatim import is_altered, is_verbatim
from functions.answer.check.word_order import is_turned
from functions.answer.context import Context, Sentence
from functions.answer.text.synonyms import stands
from functions.answer.text.words import STOP_WORDS, stem, term_set, terms_of, weight
from functions.answer.write.fragments import is_fragment
from functions.answer.write.writer import DraftClaim

LEAST_OF_A_CLAUSE = 0.35
"""The share of each clause alone: a false one must not hide in a long claim."""
T = TypeVar("T")
Verification = Literal["verbatim", "supported"]

LEAST_COVERAGE, RARE_WORDS, MOST_COVERAGE = 0.5, 1.5, 0.85
"""Bounds of the share of a claim's content, by weight, that must stand in its evidence."""
EMPTY = "says nothing"
NO_CLAIM = frozenset({"unknown sentence id", EMPTY, "no statement"})
"""Failures that no evidence can mend."""
PARAPHRASE = 0.6
"""Coverage below which a claim has too little of its evidence to be another way to say it."""
_FRAME = re.compile(
    r"^(?:according to (?:the|this) (?:[\w-]+ ){0,2}(?:text|book|passage|selection|chapter|section)"
    r"|(?:the|this) (?:[\w-]+ ){0,2}(?:text|book|passage|selection|chapter|section)"
    r" (?:says|states|explains|notes|mentions)(?: that)?)[,:]?\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Check:
    """The verdict on one claim. `failed` names each rule it broke; empty when it passed."""

    claim: DraftClaim
    verification: Verification
    failed: tuple[str, ...]
    coverage: float

    @property
    def passed(self) -> bool:
        return not self.failed

    @property
    def is_paraphrase(self) -> bool:
        """Whether it failed only by saying in other words what may well be said: a model that reads
        may overrule that. What can be counted (numbers, names, negation, …) nobody overrules."""
        return set(self.failed) == {"coverage"} and self.coverage >= PARAPHRASE


def can_be_judged(check: Check) -> bool:
    """Whether a failed claim is one that a reader of the evidence could still confirm."""
    return check.is_paraphrase


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a claim may rest on: the sentences it cites, those with their neighbours and headings,
    and the words among which its names must stand."""

    cited: tuple[str, ...]
    around: tuple[str, ...]
    naming: SourceWords
    known: frozenset[str]

    def named(self, text: str) -> frozenset[str]:
        """The stems of a text's names that stand in the evidence, if only abbreviated."""
        return frozenset(
            stem(word)
            for name in read_statement(text).names
            if names_stand([name], self.naming)
            for word in name
        )


class Checker:
    """Checks the claims of one answer; what it reads of the context it reads once.

    `bare` lets answers pass that are no sentences ("1907"), which an answer shown never is.
    """

    def __init__(self, context: Context, *, bare: bool = False) -> None:
        self._context = context
        self._bare = bare
        self._words: dict[tuple[str, ...], SourceWords] = {}

    def check(self, claim: DraftClaim) -> Check:
        """A span of the evidence passes at once; the rest must pass every rule."""
        cited = [self._context.by_id[i] for i in claim.sentence_ids if i in self._context.by_id]
        if not claim.sentence_ids or len(cited) < len(claim.sentence_ids):
            return Check(claim, "supported", ("unknown sentence id",), 0.0)
        text = _FRAME.sub("", claim.text.strip())
        evidence = self._evidence(cited)
        if foreign := find_foreign(claim.text, " ".join(evidence.around)):
            return Check(claim, "supported", foreign, 0.0)
        fragment = not self._bare and claims_something(text) and is_fragment(text, cited)
        if not fragment and is_verbatim(text, cited):
            return Check(claim, "verbatim", (), 1.0)
        known = evidence.known | evidence.named(text)
        coverage = cover(text, known)
        failed = broken_rules(text, evidence, coverage)
        if not failed and any(
            cover(clause, known) < LEAST_OF_A_CLAUSE for clause in clauses_of(text)
        ):
            failed = ("clause",)
        if fragment and "no statement" not in failed:
            failed = (*failed, "no statement")
        return Check(claim, "supported", failed, coverage)

    def _evidence(self, cited: Sequence[Sentence]) -> Evidence:
        near = _with_neighbours(cited, self._context)
        titles = tuple(dict.fromkeys(title for s in cited for title in self._context.titles(s)))
        around = (*(sentence.text for sentence in near), *titles)
        return Evidence(
            tuple(sentence.text for sentence in cited),
            around,
            self._naming(cited, titles),
            frozenset[str]().union(*map(term_set, around)),
        )

    def _naming(self, cited: Sequence[Sentence], titles: tuple[str, ...]) -> SourceWords:
        ids = tuple(sentence.id for sentence in cited)
        if ids not in self._words:
            texts = [s.text for s in (*leaned_on(cited, self._context), *cited)]
            self._words[ids] = SourceWords([*texts, *titles])
        return self._words[ids]


def check_claims(
    claims: Iterable[DraftClaim], context: Context, *, bare: bool = False
) -> list[Check]:
    """Check each claim against the sentences it cites and their neighbours."""
    checker = Checker(context, bare=bare)
    return [checker.check(claim) for claim in claims]


def broken_rules(text: str, evidence: Evidence, coverage: float) -> tuple[str, ...]:
    """The rules a paraphrase breaks."""
    claim = read_statement(text)
    if not claims_something(text):
        return (EMPTY,)
    failed = []
    if claim.numbers and not _numbers_stand(claim.numbers, _all(numbers_of, evidence.around)):
        failed.append("number")
    if claim.names and not names_stand(claim.names, evidence.naming):
        failed.append("name")
    if any(not any(code in given for given in evidence.around) for code in claim.codes):
        failed.append("code")
    if claim.question or (claim.speaker and not any(map(has_speaker, evidence.cited))):
        failed.append("no statement")
    if not _negations_agree(claim, text, evidence):
        failed.append("negation")
    if claim.absolutes:
        sure = claim.absolutes - _all(absolutes_of, evidence.cited)
        if sure and not claim.hedged and any(map(is_hedged, evidence.cited)):
            failed.append("modality")
        if sure - _all(absolutes_of, evidence.around) - {"any", "each", "all"}:
            failed.append("quantifier")
    if claim.directions:
        near = _all(directions_of, evidence.cited)
        new = claim.directions - _all(directions_of, evidence.around)
        if any(OPPOSITES[direction] & near for direction in new):
            failed.append("direction")
    if any(not stands(stem(word), evidence.known) for word in comparisons_of(text)):
        failed.append("comparison")
    highest = superlatives_of(text)
    if highest and not all(stands(h, _all(superlatives_of, evidence.around)) for h in highest):
        failed.append("superlative")
    if names_another(text, evidence.around):
        failed.append("identity")
    if is_turned(text, evidence.cited):
        failed.append("order")
    if is_altered(text, " ".join(evidence.cited), evidence.known):
        failed.append("altered")
    if coverage < needed_coverage(text):
        failed.append("coverage")
    return tuple(failed)


def cover(text: str, terms: frozenset[str]) -> float:
    """The share of a text's content words, by weight, that are among `terms` (0 to 1)."""
    wanted = list(dict.fromkeys(terms_of(text)))
    total = sum(weight(term) for term in wanted)
    if not total:
        return 1.0
    return sum(weight(term) * stands(term, terms) for term in wanted) / total


def needed_coverage(text: str) -> float:
    """The share that must be covered: half, and as much again as one rare word weighs.

    In a claim of three words a foreign one is a new fact; among fifteen that stand in the
    evidence, with every name and number, it is another way to say it.
    """
    total = sum(weight(term) for term in term_set(text))
    share = LEAST_COVERAGE + RARE_WORDS / total if total else MOST_COVERAGE
    return min(MOST_COVERAGE, share)


def _with_neighbours(cited: Sequence[Sentence], context: Context) -> list[Sentence]:
    """The cited sentences and, in the same block, the one before and the one after each."""
    wanted: dict[int, None] = {}
    for sentence in cited:
        at = context.position[sentence.id]
        for near in (at - 1, at, at + 1):
            if 0 <= near < len(context.sentences):
                other = context.sentences[near]
                if other.source == sentence.source and other.block == sentence.block:
                    wanted[near] = None
    return [context.sentences[at] for at in sorted(wanted)]


def _all(read: Callable[[str], frozenset[T]], texts: Iterable[str]) -> frozenset[T]:
    return frozenset[T]().union(*map(read, texts))


def _numbers_stand(claimed: frozenset[tuple[str, str]], given: frozenset[tuple[str, str]]) -> bool:
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
        if words and not any(stands(word, denied) for word in words):
            return False
    if claim.negated and not near:
        return False
    told = term_set(text) - frozenset[str]().union(*claim.negated)
    return not any(words and words <= told for words in near)
