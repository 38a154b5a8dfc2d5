"""What an alignment shows to be wrong with a claim: edits that no paraphrase makes. Pure.

A claim that shares few of its words with a sentence is left to the judge; of one that shares most,
each edit is read: an operator lost or gained, words in another order, another number, a word taken
from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise

from functions.answer.check.alignment import (
    ARTICLES,
    Alignment,
    Edit,
    Token,
    Tokens,
    align,
    words_in,
)
from functions.answer.check.forms import PREPOSITIONS, active_forms, pairs_of_forms
from functions.answer.check.numbers import unit_of
from functions.answer.check.operators import GAINED, LOST, LOST_GROUPS, Operator, operators_of
from functions.answer.check.proof import PRONOUNS, coordinated
from functions.answer.text.synonyms import are_opposite, related, synonym_match
from functions.answer.text.words import is_common, weight

DENSE = 0.6
"""The density from which on a claim follows a sentence, and not only shares words with it."""
Block = list[tuple[int, int]]
"""The indices of words that moved together, in the claim and in the sentence."""
NEAR = 0.6
"""The share of a claim's content, by weight, from which on it is held against a sentence."""
WHOLE = 0.95
"""The share from which on a claim is not looked at clause by clause."""
NEW = 0.7
"""The weight from which on words that the evidence does not have are an addition."""
RARE = 0.8
"""The weight from which on a word is a term, which no paraphrase replaces by another."""
COPIED = 0.95
"""The share from which on a claim is a copy, whose words stay in their places."""
_CLAUSE_SIGNS = frozenset(",;:()[]—")
_CLAUSE_WORDS = frozenset("and but or so because which who that although though while".split())
_MOBILE = frozenset({"hedge", "ability", "attitude", "duty", "future"})
"""Classes whose words may stand elsewhere in a clause and bear on the same."""
_ADVERBS = frozenset({"usual", "some", "few"})
_LINKS = frozenset({"mean", "refer", "call", "know", "stand", "exampl"})
_STOPS = frozenset(";.")
_JOINS = frozenset("and but so or".split())
FAR = 4
"""Words from the nearest aligned one beyond which an operator bears on others."""
_ALIKE = tuple(
    frozenset(tuple(name.split(maxsplit=1)) for name in names.split(", "))
    for names in (
        "condition if, time while, condition even_if",
        "limit least, comparison more",
        "limit utmost, comparison less",
        "limit least, comparison than",
        "limit utmost, comparison than",
        "universal all, universal any, universal always, universal wholly, universal both",
        "hedge may, hedge likely, ability can",
        "limit most, limit usual, limit many",
        "limit some, hedge may, limit half",
        "hedge should, duty must",
        "negation not, limit few, condition unless",
        "time first, time before",
        "time last, time after",
        "universal only, condition unless",
    )
)
"""Operators of different groups that may stand for each other."""


def find_objections(
    told: Tokens,
    cited: Sequence[Tokens],
    known: frozenset[str],
    spelled: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """The names of what is wrong with a claim, by the cited sentence that it is nearest to.

    `known` are the stems of all the words around the cited sentences, `spelled` those of
    abbreviations that are spelled out there.
    """
    found = (_objections_to(part, cited, known, spelled) for part in _parts(told, cited))
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def _objections_to(
    part: Tokens, cited: Sequence[Tokens], known: frozenset[str], spelled: frozenset[str]
) -> Sequence[str]:
    compared = (_Comparison(part, given, known, spelled) for given in cited)
    nearest = max(compared, key=lambda each: each.share)
    if nearest.share < NEAR:
        is_mixed = _union_share(part, cited) >= COPIED and not any(map(_continues, cited))
        return ("mixed",) if is_mixed else ()
    return tuple(nearest.objections())


def _parts(told: Tokens, cited: Sequence[Tokens]) -> list[Tokens]:
    """The claim; or its two clauses, where each has its words in a sentence of its own."""
    whole = max(_share(told, given) for given in cited)
    if whole >= WHOLE or len(cited) < 2:
        return [told]
    best, parts = NEAR, [told]
    for cut in coordinated(told):
        least = min(max(_share(part, given) for given in cited) for part in cut)
        if least > best:
            best, parts = least, list(cut)
    return parts


@lru_cache(maxsize=1_024)
def _share(told: Tokens, given: Tokens) -> float:
    """The share of a claim's content that a sentence has, in whatever order."""
    keys = frozenset(token.key for token in given if token.key)
    total = sum(weight(token.key) for token in told if token.key)
    had = sum(weight(token.key) for token in told if token.key and synonym_match(token.key, keys))
    return had / total if total else 0.0


def _union_share(told: Tokens, cited: Sequence[Tokens]) -> float:
    return _share(told, tuple(token for given in cited for token in given))


def _continues(tokens: Tokens) -> bool:
    """Whether a sentence refers to the one before it."""
    return any(token.word in PRONOUNS for token in tokens[:3])


@dataclass(frozen=True)
class _Comparison:
    """A claim held against one sentence."""

    told: Tokens
    given: Tokens
    known: frozenset[str]
    spelled: frozenset[str]

    @cached_property
    def share(self) -> float:
        return _share(self.told, self.given)

    @cached_property
    def alignment(self) -> Alignment:
        """The alignment of the two, both in the active voice where only one is in the passive; of
        the other forms of them, those that are aligned best."""
        told, given = (active_forms(each, strict=False) for each in (self.told, self.given))
        if bool(told) == bool(given):
            pairs = list(pairs_of_forms(self.told, self.given, strict=False))
        else:
            pairs = [(form, self.given) for form in told] + [(self.told, form) for form in given]
        return max((align(*pair) for pair in pairs), key=lambda each: each.share)

    def objections(self) -> Iterator[str]:
        if self._opposed():
            yield "opposite"
        if self.alignment.density < DENSE:
            return
        moved = self._moved()
        if moved and not self._is_harmless(moved):
            yield "order"
        yield from self._lost_and_gained()
        yield from self._replaced()

    def _moved(self) -> list[Block]:
        """Runs of words of the claim that the sentence has elsewhere."""
        alignment = self.alignment
        told = {i for i, _ in alignment.pairs}
        given = {j for _, j in alignment.pairs}
        free = [j for j, token in enumerate(alignment.given) if token.key and j not in given]
        blocks: list[Block] = []
        for i, token in enumerate(alignment.told):
            if not token.key or i in told:
                continue
            places = [j for j in free if related(token.key, alignment.given[j].key)]
            if not places:
                continue
            last = blocks[-1][-1] if blocks else None
            near = [j for j in places if last and 0 < j - last[1] < 4 and i - last[0] < 4]
            at = near[0] if near else places[0]
            free.remove(at)
            if near:
                blocks[-1].append((i, at))
            else:
                blocks.append([(i, at)])
        return blocks

    def _is_harmless(self, moved: Sequence[Block]) -> bool:
        """Whether words that moved still play their parts: a single run of them, in a claim that is
        no copy or beside the words it was beside."""
        if len(moved) > 1:
            return False
        (block,) = moved
        return self.share < COPIED or self._opens_alike(block) or self._is_turned(block)

    def _opens_alike(self, block: Block) -> bool:
        """Whether words that moved took their preposition with them."""
        (i, j), *_ = block
        told, given = self.alignment.told[i - 1 : i], self.alignment.given[j - 1 : j]
        return any(token.word in PREPOSITIONS for token in told) and words_in(told) == words_in(
            given
        )

    def _is_turned(self, block: Block) -> bool:
        """Whether words changed places with those beside them, as in "walls of stone" and "stone
        walls"."""
        told, given = self.alignment.told, self.alignment.given
        (i, j), (k, m) = block[0], block[-1]
        beside = [
            (
                at,
                _stand_beside(told, (i, k), a) - _stand_beside(told, (i, k), a, apart=True),
                _stand_beside(given, (j, m), b) - _stand_beside(given, (j, m), b, apart=True),
            )
            for at, (a, b) in enumerate(self.alignment.pairs)
        ]
        return any(
            one * other < 0 and self._is_run(*sorted((at, place)))
            for at, one, _ in beside
            for place, _, other in beside
        )

    def _is_run(self, first: int, last: int) -> bool:
        """Whether aligned words follow each other on both sides, from one pair to another."""
        pairs = self.alignment.pairs[first : last + 1]
        return all(k - i == m - j == 1 for (i, j), (k, m) in pairwise(pairs))

    def _lost_and_gained(self) -> Iterator[str]:
        """The classes of the operators that the claim must not lose and did, or gain and did."""
        lost: list[Operator] = []
        gained: list[Operator] = []
        for edit in self.alignment.edits:
            told = list(operators_of(words_in(edit.told)))
            for operator, bears in _given_operators(edit):
                if same := _counterpart(operator, told):
                    told.remove(same)
                elif bears:
                    lost.append(operator)
            gained += told
        for operator in [*lost]:
            same = _counterpart(operator, gained)
            if same and (operator.kind in _MOBILE or operator.group in _ADVERBS):
                gained.remove(same)
                lost.remove(operator)
        for operator in lost:
            if operator.kind in LOST or (operator.kind, operator.group) in LOST_GROUPS:
                yield _NAMES.get(operator.kind, operator.kind)
        for operator in gained:
            if operator.kind in GAINED:
                yield _NAMES.get(operator.kind, operator.kind)

    def _opposed(self) -> bool:
        """Whether a word of the claim has the opposite in its place."""
        return any(
            are_opposite(new.key, old.key)
            for edit in self.alignment.edits
            for new in edit.told
            if new.key
            for old in edit.given
            if old.key
        )

    def _replaced(self) -> Iterator[str]:
        """Numbers and words that the claim has in another's place, or has beyond the sentence."""
        keys = frozenset(t.key for t in self.alignment.given if t.key)
        for edit in self.alignment.edits:
            known = keys | self.spelled | _LINKS
            new = [t for t in edit.told if t.key and not synonym_match(t.key, known)]
            old = [t for t in edit.given if t.key]
            if _other_amount(new, old):
                yield "number"
            if not new:
                continue
            foreign = [t for t in new if not synonym_match(t.key, self.known)]
            names = [t for t in new if _is_name(t, opens=t is self.alignment.told[0])]
            whole = edit.first or len(new) > 1 or names
            if not foreign and old and whole and not _refers(edit):
                yield "mixed"
            if any(t in foreign for t in names) or (names and any(map(_is_name, edit.given))):
                yield "name"
            if _has_rare(foreign) and _has_rare(old):
                yield "term"
            if not old and sum(weight(t.key) for t in foreign) >= NEW:
                yield "addition"


def _has_rare(tokens: Iterable[Token]) -> bool:
    return any(weight(token.key) >= RARE for token in tokens)


def _other_amount(new: Sequence[Token], old: Sequence[Token]) -> bool:
    """Whether a number or a unit took another's place."""
    units = {unit_of(t.word) for t in new} - {""}, {unit_of(t.word) for t in old} - {""}
    numbers = any(t.is_number for t in new) and any(t.is_number for t in old)
    return numbers or (all(units) and not units[0] & units[1])


def _stand_beside(tokens: Tokens, run: tuple[int, int], at: int, *, apart: bool = False) -> bool:
    """Whether a word stands right before or after a run of words, or with a few words of grammar
    between them that are no signs."""
    between = tokens[at + 1 : run[0]] if at < run[0] else tokens[run[1] + 1 : at]
    if run[0] <= at <= run[1] or len(between) > 3 or any(token.key for token in between):
        return False
    grammar = [token for token in between if token.word not in ARTICLES]
    if apart:
        return bool(grammar) and not any(t.is_sign for t in grammar)
    return not grammar


def _is_name(token: Token, *, opens: bool = False) -> bool:
    """Whether a word is written like a name or like code; a common one that opens a claim is
    not."""
    inside = token.surface[1:].lower() != token.surface[1:]
    capital = bool(token.key) and token.surface[:1].isupper()
    return inside or (capital and not (opens and is_common(token.word)))


def _refers(edit: Edit) -> bool:
    return any(token.word in PRONOUNS for token in edit.given)


def _given_operators(edit: Edit) -> Iterator[tuple[Operator, bool]]:
    """The operators that the sentence has between two aligned words, and whether they bear on
    these.

    They do from the clause of one of the two. A condition does from the next clause too, and so
    does an attitude before what it is about.
    """
    words: list[str] = []
    keys: list[bool] = []
    bears: list[bool] = []
    reaches: list[bool] = []
    breaks = [
        at
        for at, token in enumerate(edit.given)
        if token.word in _CLAUSE_SIGNS or token.word in _CLAUSE_WORDS
    ]
    size = len(edit.given)
    first, last = (breaks[0], breaks[-1]) if breaks else (size, -1)
    if edit.last:
        first = min(first, FAR)
    if edit.first:
        last = max(last, size - FAR - 1)
    stops = [
        at
        for at, token in enumerate(edit.given)
        if token.word in _STOPS
        or (token.word == "," and edit.given[at + 1 : at + 2] and edit.given[at + 1].word in _JOINS)
    ]
    for at, token in enumerate(edit.given):
        if not token.is_sign:
            words.append(token.word)
            keys.append(bool(token.key) and not token.word.endswith("ly"))
            bears.append((at < first and not edit.first) or (at > last and not edit.last))
            before = not edit.first and not any(stop < at for stop in stops)
            after = not edit.last and not any(stop > at for stop in stops)
            reaches.append(before or after)
    if edit.first and breaks == [len(words) - sum(w in ARTICLES for w in words)]:
        bears = [True] * len(bears)  # nothing but "Usually," or the like
    for operator in operators_of(tuple(words)):
        at = operator.at
        far = operator.kind == "condition" or (operator.kind == "attitude" and edit.first)
        if operator.kind == "negation":
            yield operator, bears[at] and not edit.last and not any(keys[operator.end :])
        else:
            yield operator, bears[at] or (far and reaches[at])


def _counterpart(one: Operator, others: Sequence[Operator]) -> Operator | None:
    """The first of the others that may stand for an operator."""
    name = (one.kind, one.group)
    for other in others:
        theirs = (other.kind, other.group)
        if name == theirs or any(name in alike and theirs in alike for alike in _ALIKE):
            return other
    return None


_NAMES = {
    "limit": "quantifier", "universal": "quantifier", "hedge": "modality", "duty": "modality",
}  # fmt: skip
