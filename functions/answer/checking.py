"""Does the evidence say the claim? Rules only, the same for every mode and every writer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from functions.answer.context import Context, Sentence
from functions.answer.statements import OPPOSITES, read_statement
from functions.answer.words import STOP_WORDS, matches, stem, terms_of, weight, words_of
from functions.answer.writing import DraftClaim

Verification = Literal["verbatim", "supported"]

MIN_COVERAGE = 0.68
"""Share of a claim's content, by weight, that must stand in its evidence."""
_FRAME = re.compile(
    r"^(?:according to (?:the|this) (?:[\w-]+ ){0,2}(?:text|book|passage|selection|chapter|section)"
    r"|(?:the|this) (?:[\w-]+ ){0,2}(?:text|book|passage|selection|chapter|section)"
    r" (?:says|states|explains|notes|mentions)(?: that)?)[,:]?\s+",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:not|no|never|n['’]t|if|unless|neither|nor|without|may|might|could|false|myth|wrong|"
    r"denied|denies|doubt|whether|allegedly|claimed|claims|hypothes\w+)\b",
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


def check_claims(claims: Iterable[DraftClaim], context: Context) -> list[Check]:
    """Check each claim against the sentences it cites and their neighbours."""
    return [check_claim(claim, context) for claim in claims]


def check_claim(claim: DraftClaim, context: Context) -> Check:
    """Check one claim. A span of the evidence passes at once; the rest must pass every rule."""
    cited = [context.by_id[i] for i in claim.sentence_ids if i in context.by_id]
    if not claim.sentence_ids or len(cited) < len(claim.sentence_ids):
        return Check(claim, "supported", ("unknown sentence id",), 0.0)
    text = _FRAME.sub("", claim.text.strip())
    if is_verbatim(text, cited):
        return Check(claim, "verbatim", (), 1.0)
    evidence = " ".join(sentence.text for sentence in cited)
    around = " ".join(s.text for s in _with_neighbours(cited, context))
    topic = " ".join(title for s in cited for title in context.titles(s))
    coverage = cover(text, frozenset(terms_of(around)) | frozenset(terms_of(topic)))
    failed = broken_rules(text, evidence, f"{around} {topic}", coverage)
    return Check(claim, "supported", failed, coverage)


def broken_rules(text: str, evidence: str, around: str, coverage: float) -> tuple[str, ...]:
    """The rules a paraphrase breaks. `around` is the evidence with its neighbours and headings."""
    claim, near, far = read_statement(text), read_statement(evidence), read_statement(around)
    failed = []
    if not terms_of(text):
        failed.append("says nothing")
    if not _numbers_stand(claim.numbers, near.numbers | far.numbers):
        failed.append("number")
    if not _names_stand(claim.names, around):
        failed.append("name")
    if any(code not in around for code in claim.codes):
        failed.append("code")
    if bool(claim.negations) != bool(near.negations) and not _negation_is_elsewhere(text, evidence):
        failed.append("negation")
    if near.hedged and not claim.hedged and claim.absolutes - near.absolutes:
        failed.append("modality")
    if claim.absolutes - far.absolutes - {"any", "each", "all"}:
        failed.append("quantifier")
    if any(
        direction not in far.directions and OPPOSITES[direction] & near.directions
        for direction in claim.directions
    ):
        failed.append("direction")
    if coverage < MIN_COVERAGE:
        failed.append("coverage")
    return tuple(failed)


def is_verbatim(text: str, cited: Sequence[Sentence]) -> bool:
    """Whether a text is a span of the cited sentences that says what they say.

    A whole sentence always is. A part of one is, unless what stands before it could turn its
    meaning ("It is not true that …", "If …").
    """
    wanted = _flat(text)
    if not wanted:
        return False
    for run in _runs(cited):
        flat = _flat(" ".join(sentence.text for sentence in run))
        at = f" {flat} ".find(f" {wanted} ")
        if at < 0:
            continue
        if any(_flat(sentence.text) == wanted for sentence in run):
            return True
        start = 0
        for sentence in run:
            length = len(_flat(sentence.text))
            if start <= at <= start + length:
                before = flat[start:at]
                after = flat[at + len(wanted) : start + length]
                # A short label is no statement of its own; its words are checked by the rules.
                cut = bool(before.strip() or after.strip())
                return not (cut and (_TURN.search(before) or re.match(r"\s*(?:if|unless)\b", after)))
            start += length + 1
    return False


def cover(text: str, terms: frozenset[str]) -> float:
    """The share of a text's content words, by weight, that are among `terms` (0 to 1)."""
    wanted = list(dict.fromkeys(terms_of(text)))
    total = sum(weight(term) for term in wanted)
    if not total:
        return 1.0
    return sum(weight(term) * matches(term, terms) for term in wanted) / total


def support_for(text: str, context: Context, longest: int = 3) -> tuple[str, ...]:
    """The ids of the shortest run of at most `longest` sentences that covers a text best."""
    best: tuple[float, tuple[str, ...]] = (-1.0, ())
    sentences = context.sentences
    flat = _flat(_FRAME.sub("", text))
    for size in range(1, longest + 1):
        for at in range(len(sentences) - size + 1):
            run = sentences[at : at + size]
            if run[0].source != run[-1].source:
                continue
            joined = " ".join(sentence.text for sentence in run)
            score = cover(text, frozenset(terms_of(joined))) - 0.04 * size
            if flat and f" {flat} " in f" {_flat(joined)} ":
                score += 1.0
            if score > best[0]:
                best = (score, tuple(sentence.id for sentence in run))
    return best[1]


def _flat(text: str) -> str:
    return " ".join(words_of(text))


def _runs(cited: Sequence[Sentence]) -> list[list[Sentence]]:
    """The cited sentences in runs that follow each other in one source."""
    ordered = sorted(cited, key=lambda s: (s.source, int(s.id.split(".")[1])))
    runs: list[list[Sentence]] = []
    for sentence in ordered:
        last = runs[-1][-1] if runs else None
        if (
            last
            and last.source == sentence.source
            and int(sentence.id.split(".")[1]) == int(last.id.split(".")[1]) + 1
        ):
            runs[-1].append(sentence)
        else:
            runs.append([sentence])
    return runs


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


def _numbers_stand(
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


def _names_stand(names: Iterable[tuple[str, ...]], around: str) -> bool:
    present = frozenset(words_of(around))
    stems = frozenset(stem(word) for word in present)
    initials = _initials(around)
    for name in names:
        for word in name:
            if word in present or stem(word) in stems or word in initials:
                continue
            if matches(stem(word), stems):
                continue
            return False
    return True


def _initials(text: str) -> set[str]:
    """Abbreviations the text's names could be called by ("United Kingdom" → "uk")."""
    found = set()
    for match in re.finditer(r"(?:[A-Z]\w+[ -](?:(?:of|the|and|for) )?){1,5}[A-Z]\w+", text):
        words = re.findall(r"\b[A-Z]", match.group())
        found.add("".join(words).lower())
    return found


def _negation_is_elsewhere(text: str, evidence: str) -> bool:
    """Whether only a part of the evidence that the claim leaves out is negated."""
    claim, near = read_statement(text), read_statement(evidence)
    if claim.negations:
        return False
    wanted = frozenset(terms_of(text))
    clauses = re.split(r"[.;:,()—–]| but | although | though | while | whereas | because ", evidence)
    kept = [clause for clause in clauses if wanted & frozenset(terms_of(clause))]
    return near.negations > 0 and all(
        read_statement(clause).negations == 0 or
        len(wanted & frozenset(terms_of(clause))) < 0.5 * len(set(terms_of(clause)))
        for clause in kept
    )
