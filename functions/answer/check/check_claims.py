"""Does the evidence say the claim? Rules only, the same for every mode and every writer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from functions.answer.check.entity_names import SourceWords, antecedents
from functions.answer.check.facts import claims_something
from functions.answer.check.injected_content import find_injected
from functions.answer.check.rules import EMPTY, Evidence, broken_rules, cover, has_uncovered_clause
from functions.answer.check.verbatim import is_fragment, is_verbatim
from functions.answer.context import Context, Sentence
from functions.answer.text.anaphora import opening_pronoun, opens_with_anaphor
from functions.answer.text.words import term_set
from functions.answer.write.writer import DraftClaim

Proof = Literal["verbatim", "close", "paraphrase"]
"""What shows that the evidence says a claim: its own words, an alignment with one sentence, or,
for a paraphrase, a judge's verdict alone."""

NO_CLAIM = frozenset({"unknown sentence id", EMPTY, "no statement"})
"""Failures that no evidence can mend."""
DANGLING = "refers to a dropped claim"
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
    """The verdict on one claim.

    `objections` names each rule it broke: a claim with one is never shown. A paraphrase without any
    is shown only when a judge `confirmed` it.
    """

    claim: DraftClaim
    proof: Proof
    objections: tuple[str, ...] = ()
    confirmed: bool = False

    @property
    def is_for_judge(self) -> bool:
        """Whether it is neither proven nor objected to."""
        return self.proof == "paraphrase" and not self.objections

    @property
    def passed(self) -> bool:
        return not self.objections and (self.proof != "paraphrase" or self.confirmed)


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
            return Check(claim, "paraphrase", ("unknown sentence id",))
        text = _FRAME.sub("", claim.text.strip())
        evidence = self._evidence(cited)
        if injected := find_injected(claim.text, " ".join(evidence.around)):
            return Check(claim, "paraphrase", injected)
        fragment = not self._bare and claims_something(text) and is_fragment(text, cited)
        if not fragment and is_verbatim(text, cited):
            return Check(claim, "verbatim")
        known = evidence.known | evidence.named(text)
        coverage = cover(text, known)
        failed = broken_rules(text, evidence, coverage)
        if not failed and has_uncovered_clause(text, known):
            failed = ("clause",)
        if fragment and "no statement" not in failed:
            failed = (*failed, "no statement")
        if failed == ("coverage",) and coverage >= PARAPHRASE:
            return Check(claim, "paraphrase")
        return Check(claim, "paraphrase" if failed else "close", failed)

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
            texts = [s.text for s in (*antecedents(cited, self._context), *cited)]
            self._words[ids] = SourceWords([*texts, *titles])
        return self._words[ids]


def check_claims(
    claims: Iterable[DraftClaim], context: Context, *, bare: bool = False
) -> list[Check]:
    """Check each claim against the sentences it cites and their neighbours."""
    checker = Checker(context, bare=bare)
    return [checker.check(claim) for claim in claims]


def drop_dangling_claims(checks: Sequence[Check]) -> list[Check]:
    """The checks, in order, with those failed whose claim refers to a dropped one."""
    found: list[Check] = []
    for check in checks:
        at = _antecedent(check.claim.text, [before.claim.text for before in found])
        if check.passed and at is not None and not found[at].passed:
            check = replace(check, objections=(DANGLING,))
        found.append(check)
    return found


def _antecedent(text: str, before: Sequence[str]) -> int | None:
    """The position of the text before that a text refers to; None when it refers to none.

    That is the one right before it. One that opens with a pronoun refers to the last text that does
    not open with the same pronoun: they have one subject.
    """
    if not before or not opens_with_anaphor(text):
        return None
    at = len(before) - 1
    pronoun = opening_pronoun(text)
    while pronoun and at > 0 and opening_pronoun(before[at]) == pronoun:
        at -= 1
    return at


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
