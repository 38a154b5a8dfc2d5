"""Other forms of a clause that say the same: the active of a passive, a phrase at the other end,
"of" for "'s", the beginning of a list joined. English, by rules. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

from functions.answer.check.alignment import ARTICLES, Token, Tokens, words_in
from functions.answer.check.operators import kinds_of
from functions.answer.text.synonyms import forms_of, irregular_pasts

BE = frozenset("is are was were be been being".split())
_AUXILIARIES = frozenset(
    "has have had can could may might must will would should shall not is are was were".split()
)
_WHEN = frozenset("in on at during since".split())
_TOWARDS = frozenset("to into onto from through".split())
_DETERMINERS = ARTICLES | frozenset("this these its their his her".split())
_ENDS = frozenset(",;:()[]—.")
PREPOSITIONS = frozenset(
    """of in on at by for from to with into onto over under between among through across about
    against within without toward towards per via as than after before during until since inside
    outside like behind beside upon despite unlike""".split()
)
SUBORDINATORS = frozenset("if when whenever while unless because once although though".split())
OPENERS = PREPOSITIONS | SUBORDINATORS
_CUT = frozenset("only because so by using that which who and such including".split())
"""Words from which on the end of a clause may be cut off."""
_SCOPED = frozenset({"negation", "attitude"})
_LONGEST_NAME = 3
MOST_FORMS = 12
"""Other forms of one text that are tried."""
PAST, PRESENT, BARE = "~past", "~present", "~bare"
"""What the surface of a verb made active says of its tense."""


@lru_cache(maxsize=1_024)
def active_forms(tokens: Tokens, *, strict: bool) -> tuple[Tokens, ...]:
    """The ways to read a clause with "by" as an active one; none where there is no passive.
    `strict`: only those that are certain to say the same."""
    return tuple(islice(_active_forms(tokens, strict), MOST_FORMS))


def pairs_of_forms(told: Tokens, given: Tokens, *, strict: bool) -> Iterator[tuple[Tokens, Tokens]]:
    """A claim and a sentence as they are, and either with each other form of the other that keeps
    its voice. An "of" is read as "'s" only where the other side has fewer."""
    yield told, given
    more = sum(t.word == "of" for t in told) - sum(t.word == "of" for t in given)
    for form in (*_other_forms(told, strict), *(_without_of(told) if more > 0 else ())):
        yield form, given
    for form in (*_other_forms(given, strict), *(_without_of(given) if more < 0 else ())):
        yield told, form


@lru_cache(maxsize=1_024)
def _other_forms(tokens: Tokens, strict: bool) -> tuple[Tokens, ...]:
    forms = chain(
        _with_moved_phrase(tokens, strict), _with_shorter_list(tokens, strict), _addressed(tokens)
    )
    return tuple(islice(forms, MOST_FORMS))


@lru_cache(maxsize=1_024)
def _without_of(tokens: Tokens) -> tuple[Tokens, ...]:
    return tuple(islice(_possessives(tokens), MOST_FORMS))


def is_same_verb(one: Token, other: Token) -> bool:
    """Whether a verb made active is the other one, in its tense."""
    made, verb = (one, other) if one.surface[:1] == "~" else (other, one)
    if made.surface[:1] != "~" or not (made.key == verb.key or verb.key in forms_of(made.key)):
        return False
    is_past = verb.word.endswith("ed") or verb.word in irregular_pasts()
    return is_past if made.surface == PAST else not is_past


def _active_forms(tokens: Tokens, strict: bool) -> Iterator[Tokens]:
    for by, token in enumerate(tokens):
        if token.word != "by" or by < 3:
            continue
        be = next((at for at in range(by - 2, max(0, by - 9), -1) if tokens[at].word in BE), 0)
        at = next((at for at in range(be + 1, by) if tokens[at].key), 0)
        if not be or not at or any(token.word in _ENDS for token in tokens[be:by]):
            continue
        if at + 1 < by and tokens[at + 1].key:  # an adverb stands before the verb
            at += 1
        if not _is_participle(tokens[at]) or any(map(_is_gerund, tokens[by + 1 : by + 2])):
            continue
        verb, between, behind = tokens[at], tokens[be + 1 : at], tokens[at + 1 : by]
        if behind and behind[0].word not in (_TOWARDS if strict else PREPOSITIONS):
            continue
        first = be
        while first and tokens[first - 1].word in _AUXILIARIES:
            first -= 1
        opening = max((at + 1 for at in range(first) if tokens[at].word in _ENDS), default=0)
        adjunct, patient = tokens[:opening], tokens[opening:first]
        helpers = tuple(t for t in tokens[first:be] if t.word not in BE)
        active = verb._replace(surface=_tense(tokens[be].word, helpers))
        for agent, rest in _agents(tokens[by + 1 :], strict):
            yield (*adjunct, *agent, *helpers, *between, active, *patient, *behind, *rest)


def _is_participle(token: Token) -> bool:
    return token.word.endswith(("ed", "en")) or bool(forms_of(token.key))


def _is_gerund(token: Token) -> bool:
    return token.word.endswith("ing") and bool(token.key)


def _tense(be: str, helpers: Tokens) -> str:
    if be in ("was", "were", "been"):
        return PAST
    return BARE if helpers else PRESENT


def _agents(after: Tokens, strict: bool) -> Iterator[tuple[Tokens, Tokens]]:
    """The agent and what follows it: to the end of the clause, or to a date or a place name."""
    end = next((at for at, t in enumerate(after) if t.word in _ENDS), len(after))
    if not end or (strict and not _may_act(after[:end])):
        return
    yield after[:end], after[end:]
    for at in range(1, end - 1):
        is_date = after[at + 1].is_number or after[at + 1].surface.istitle()
        is_apart = (after[at].word in _WHEN and is_date) or after[at].word == "without"
        is_name = at == 1 and after[0].surface[:1].isupper()
        if is_apart or (after[at].word in PREPOSITIONS and (is_name or not strict)):
            yield after[:at], after[at:]


def _may_act(agent: Tokens) -> bool:
    """Whether a phrase after "by" can be an agent: not an amount, a time or a bare means."""
    first = agent[0]
    named = first.word in _DETERMINERS or first.surface[:1].isupper()
    return not any(t.is_number for t in agent[:2]) and (named or agent[-1].word.endswith("s"))


def _with_moved_phrase(tokens: Tokens, strict: bool) -> Iterator[Tokens]:
    """The phrase before the first comma put at the end ("In Rust, X" as "X in Rust"), of a plain
    clause: nothing in it has a scope, and nothing may be cut off from its end."""
    comma = next((at for at, t in enumerate(tokens) if t.word == ","), 0)
    rest = tokens[comma + 1 :]
    words = words_in(rest)
    is_plain = not any(t.word in ",;:—." for t in rest) and not _CUT.intersection(words)
    is_certain = is_plain and not kinds_of(words) & _SCOPED
    if comma > 1 and tokens[0].word in OPENERS and (is_certain or not strict):
        yield (*rest, *tokens[:comma])


def _addressed(tokens: Tokens) -> Iterator[Tokens]:
    """ "X can be done" as "you can do X"."""
    be = next((at for at, t in enumerate(tokens) if t.word == "be"), 0)
    if be < 2 or tokens[be - 1].word != "can" or any(t.word == "by" for t in tokens):
        return
    if not tokens[be + 1 :]:
        return
    verb = tokens[be + 1]
    subject, rest = tokens[: be - 1], tokens[be + 2 :]
    if _is_participle(verb) and not any(t.word in _ENDS for t in subject):
        you = Token("you", "", "you")
        yield (you, tokens[be - 1], verb._replace(surface=BARE), *subject, *rest)


def _possessives(tokens: Tokens) -> Iterator[Tokens]:
    """ "the Y of the X" as "X's Y", whose words are "X Y"."""
    for of, token in enumerate(tokens):
        if token.word != "of" or of < 1:
            continue
        start = end = of
        while start and tokens[start - 1].key and of - start < _LONGEST_NAME:
            start -= 1
        first = of + 1
        while first < len(tokens) and tokens[first].word in ARTICLES:
            first += 1
        end = first
        while end < len(tokens) and tokens[end].key and end - first < _LONGEST_NAME:
            end += 1
            yield (*tokens[:start], *tokens[first:end], *tokens[start:of], *tokens[end:])


def _with_shorter_list(tokens: Tokens, strict: bool) -> Iterator[Tokens]:
    """ "A, B, and C" as "A and B, and C", of which ", and C" may be left out."""
    for at in range(2, len(tokens) - 1):
        if tokens[at].word in ("and", "or"):
            end = at - 1 if tokens[at - 1].word == "," else at
            comma = next((p for p in range(end - 1, 0, -1) if tokens[p].word in _ENDS), 0)
            before = any(token.word in _ENDS for token in tokens[:comma])
            opens = tokens[0].word in OPENERS and not before
            if comma and tokens[comma].word == "," and end - comma <= 7 and not (opens and strict):
                yield (*tokens[:comma], tokens[at], *tokens[comma + 1 :])
