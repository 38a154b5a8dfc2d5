"""Does the evidence say the claim? Rules only, the same for every mode and every writer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from functions.answer.context import Context, Sentence
from functions.answer.statements import OPPOSITES, Statement, read_statement
from functions.answer.words import STOP_WORDS, matches, stem, terms_of, weight, words_of
from functions.answer.writing import DraftClaim

Verification = Literal["verbatim", "supported"]

MIN_COVERAGE = 0.7
"""Share of a claim's content, by weight, that must stand in its evidence."""
COPIED = 0.92
"""Share of a text's words that must follow the evidence for it to count as a copy."""
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

_NEGATING = frozenset(
    """not no never none neither nor without cannot can't don't doesn't didn't isn't aren't wasn't
    weren't won't wouldn't""".split()
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
    if claim.question or (claim.speaker and not near.speaker):
        failed.append("no statement")
    if not _negations_agree(claim, near, text, evidence):
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
    if is_altered(text, evidence, around):
        failed.append("altered")
    if coverage < MIN_COVERAGE:
        failed.append("coverage")
    return tuple(failed)


def is_altered(text: str, evidence: str, around: str) -> bool:
    """Whether a text copies its evidence but for a word put in another's place, or a negation.

    Only texts that follow the evidence word for word over two thirds of their length are judged:
    there, a foreign content word is no paraphrase but a change.
    """
    told, given = words_of(text), words_of(evidence)
    known = frozenset(terms_of(around))
    matcher = SequenceMatcher(None, told, given, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    if len(told) < 8 or same < min(COPIED * len(told), len(told) - 1):
        return False
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        new, old = told[a:b], given[c:d]
        inside = c > 0 and d < len(given)
        if _NEGATING & set(new) or (_NEGATING & set(old) and inside and kind == "delete"):
            return True
        foreign = [w for w in new if w not in STOP_WORDS and not matches(stem(w), known)]
        if kind == "replace" and foreign and any(w not in STOP_WORDS for w in old):
            return True
    return False


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
                return not (
                    cut and (_TURN.search(before) or re.match(r"\s*(?:if|unless)\b", after))
                )
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


def _names_stand(names: Iterable[tuple[str, ...]], around: str) -> bool:
    """Every name's words stand in the text, those of one name close together."""
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words_of(around)):
        for key in {word, stem(word)}:
            places.setdefault(key, []).append(at)
    initials = _initials(around)
    for name in names:
        found = [
            places.get(word) or places.get(stem(word)) for word in name if word not in initials
        ]
        if not all(found):
            return False
        if len(name) > 1 and not _close([at for at in found if at], len(name) + 4):
            return False
    return True


def _close(places: Sequence[Sequence[int]], reach: int) -> bool:
    """Whether one place can be picked from each list so that all lie within `reach` words."""
    return not places or any(
        all(any(abs(at - first) <= reach for at in others) for others in places[1:])
        for first in places[0]
    )


def _initials(text: str) -> set[str]:
    """Abbreviations the text's names could be called by ("United Kingdom" → "uk")."""
    found = set()
    for match in re.finditer(r"(?:[A-Z]\w+[ -](?:(?:of|the|and|for) )?){1,5}[A-Z]\w+", text):
        words = re.findall(r"\b[A-Z]", match.group())
        found.add("".join(words).lower())
    return found


def _negations_agree(claim: Statement, near: Statement, text: str, evidence: str) -> bool:
    """What the claim negates the evidence negates, and what the evidence negates the claim does
    not assert."""
    denied = frozenset[str]().union(*near.negated) if near.negated else frozenset[str]()
    for words in claim.negated:
        if words and not words & denied:
            return False
    if claim.negated and not near.negated:
        return False
    told = frozenset(terms_of(text)) - (
        frozenset[str]().union(*claim.negated) if claim.negated else frozenset[str]()
    )
    return not any(words and words <= told for words in near.negated)
