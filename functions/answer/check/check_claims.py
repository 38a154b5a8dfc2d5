"""Does the evidence say the claim? Its words prove it, or a rule objects; a judge has the rest. The
same for every mode and every writer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from functions.answer.check.alignment import Tokens, tokens_of
from functions.answer.check.entity_names import SourceWords, has_foreign_name, names_are_given
from functions.answer.check.facts import (
    Statement,
    claims_something,
    commands_of,
    has_speaker,
    read_statement,
)
from functions.answer.check.injected_content import find_injected
from functions.answer.check.numbers import has_wrong_number
from functions.answer.check.objections import find_objections
from functions.answer.check.proof import coordinated, is_clause, is_close, is_statement
from functions.answer.check.verbatim import has_signs_of, is_fragment, quoted_run
from functions.answer.context import Context, Sentence
from functions.answer.text.anaphora import opening_pronoun, opens_with_anaphor
from functions.answer.text.synonyms import synonym_match
from functions.answer.text.words import stem, term_set, terms_of, weight
from functions.answer.write.writer import DraftClaim
from functions.book.sentences.block_sentences import sentences_of

Proof = Literal["verbatim", "close", "paraphrase"]
"""What shows that the evidence says a claim: its own words, an alignment with one sentence, or,
for a paraphrase, a judge's verdict alone."""

EMPTY = "says nothing"
DANGLING = "refers to a dropped claim"
LONGEST_SENTENCE = 200
"""Words and signs of a sentence beyond which a claim on it is proven only as a quote."""
LONGEST_OPENING = 60
"""Characters in which a claim that is an instruction has its verb."""
_CAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|thanks to|so that|therefore|hence|as a result)\b", re.I
)
LEAST_COVERAGE = 0.4
"""The share of a claim's content, by weight, below which it is about something else."""
FRAME = re.compile(
    r"^(?:according to (?:the|this) (?:[\w-]+ ){0,2}(?:text|book|passage|selection|chapter|section)"
    r"|(?:the|this) (?:[\w-]+ ){0,2}(?:text|book|passage|selection|chapter|section)"
    r" (?:says|states|explains|notes|mentions)(?: that)?)[,:]?\s+",
    re.IGNORECASE,
)
"""What may stand before a claim and adds nothing to it."""


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
        self._words: dict[frozenset[int], SourceWords] = {}

    def check(self, claim: DraftClaim) -> Check:
        """The proof of a claim, or what is wrong with it; neither leaves it to a judge."""
        cited = [self._context.by_id[i] for i in claim.sentence_ids if i in self._context.by_id]
        if not claim.sentence_ids or len(cited) < len(claim.sentence_ids):
            return Check(claim, "paraphrase", ("unknown sentence id",))
        near = _with_neighbours(cited, self._context)
        titles = tuple(dict.fromkeys(title for s in cited for title in self._context.titles(s)))
        around = (*(sentence.text for sentence in near), *titles)
        if injected := find_injected(claim.text, " ".join(around)):
            return Check(claim, "paraphrase", injected)
        text = FRAME.sub("", claim.text.strip())
        if quoted_run(text, cited):
            return Check(claim, "verbatim")
        if not self._bare and not claims_something(text):
            return Check(claim, "paraphrase", (EMPTY,))
        if not self._bare and is_fragment(text):
            return Check(claim, "paraphrase", ("no statement",))
        sentences = [each.text for each in sentences_of("paragraph", text)] or [text]
        proofs = [self._prove(each, cited) for each in sentences]
        if all(proofs):
            return Check(claim, "close" if "close" in proofs else "verbatim")
        found = (
            self._objections(each, tokens_of(each), cited, around)
            for each, proof in zip(sentences, proofs, strict=True)
            if proof is None
        )
        return Check(claim, "paraphrase", tuple(dict.fromkeys(chain.from_iterable(found))))

    def _prove(self, text: str, cited: Sequence[Sentence]) -> Proof | None:
        told = tokens_of(text)
        if not is_statement(told):
            return None
        sentences = [
            (tokens_of(each.text), self._before(each))
            for each in _alignable(cited)
            if has_signs_of(text, each.text)
        ]
        if any(is_clause(told, given) for given, _ in sentences):
            return "verbatim"
        if any(is_close(told, given, before) for given, before in sentences):
            return "close"
        for parts in coordinated(told):
            if all(any(is_close(part, *each) for each in sentences) for part in parts):
                return "close"
        return None

    def _before(self, sentence: Sentence) -> Tokens:
        """The sentence before one in its block."""
        at = self._context.position[sentence.id]
        other = self._context.sentences[at - 1] if at else sentence
        same = other is not sentence and other.block == sentence.block
        return tokens_of(other.text) if same and other.source == sentence.source else ()

    def _objections(
        self, text: str, told: Tokens, cited: Sequence[Sentence], around: Sequence[str]
    ) -> Iterator[str]:
        known = frozenset[str]().union(*map(term_set, around))
        statement = read_statement(text)
        if text.endswith("?") or (
            has_speaker(text) and not any(has_speaker(each.text) for each in cited)
        ):
            yield "no statement"
        first = commands_of(text[:LONGEST_OPENING])
        if first and not first & frozenset[str]().union(*(commands_of(s.text) for s in cited)):
            yield "instruction"
        if has_wrong_number(told, [tokens_of(each) for each in around], self._page(cited)):
            yield "number"
        if statement.names and has_foreign_name(statement.names, self._naming(cited)):
            yield "name"
        if any(not any(code in given for given in around) for code in statement.codes):
            yield "code"
        if cover(text, known) < LEAST_COVERAGE:
            yield "coverage"
        reasons = _CAUSE.split(text)[1:]
        if any(term_set(each) and cover(each, known) < LEAST_COVERAGE for each in reasons):
            yield "cause"
        if self._bare and is_fragment(text):
            return
        given = [tokens_of(each.text) for each in _alignable(cited)]
        spelled = _abbreviations(statement, self._naming(cited))
        yield from find_objections(told, given, known, spelled) if given else ()

    def _page(self, cited: Sequence[Sentence]) -> frozenset[str]:
        """The words of the sources of cited sentences."""
        sources = {sentence.source for sentence in cited}
        return frozenset(
            token.key
            for sentence in self._context.sentences
            if sentence.source in sources
            for token in tokens_of(sentence.text)
            if token.is_number
        )

    def _naming(self, cited: Sequence[Sentence]) -> SourceWords:
        sources = frozenset(sentence.source for sentence in cited)
        if sources not in self._words:
            texts = [s.text for s in self._context.sentences if s.source in sources]
            titles = dict.fromkeys(title for s in cited for title in self._context.titles(s))
            self._words[sources] = SourceWords([*texts, *titles])
        return self._words[sources]


def _alignable(cited: Sequence[Sentence]) -> list[Sentence]:
    """Those of the cited sentences that are not too long to be aligned."""
    return [each for each in cited if len(tokens_of(each.text)) <= LONGEST_SENTENCE]


def _abbreviations(statement: Statement, words: SourceWords) -> frozenset[str]:
    """The stems of names of one word that the source spells out ("ZMP")."""
    names = [name for name in statement.names if len(name) == 1 and not words.holds(name[0])]
    return frozenset(stem(name[0]) for name in names if names_are_given([name], words))


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


def cover(text: str, terms: frozenset[str]) -> float:
    """The share of a text's content words, by weight, that are among `terms` (0 to 1)."""
    wanted = list(dict.fromkeys(terms_of(text)))
    total = sum(weight(term) for term in wanted)
    if not total:
        return 1.0
    return sum(weight(term) * synonym_match(term, terms) for term in wanted) / total
