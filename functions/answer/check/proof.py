"""Does one sentence say a claim, by its own words alone? Pure.

A claim is *verbatim* when it is a clause of the sentence that nothing around it governs. It is
*close* when an alignment leaves only edits that keep the truth: a passive made active, a list made
shorter, a parenthesis or a discourse marker left out, a relative clause or an apposition made a
sentence, a pronoun resolved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from functions.answer.check.alignment import (
    ARTICLES,
    Alignment,
    Edit,
    Token,
    Tokens,
    align,
    words_in,
)
from functions.answer.check.forms import (
    BE,
    PREPOSITIONS,
    active_forms,
    is_same_verb,
    pairs_of_forms,
)
from functions.answer.check.operators import kinds_of, operators_of
from functions.answer.text.synonyms import forms_of

BREAKS = frozenset(",;:()[]—?!.")
"""Signs that end a clause or a phrase; others (<, %) mean something."""
PRONOUNS = frozenset("it they he she this these".split())
_MARKERS = frozenset(
    """however therefore thus hence moreover furthermore consequently finally indeed also similarly
    likewise additionally besides accordingly nevertheless nonetheless instead first second third
    firstly secondly then and but so or next overall specifically notably importantly
    in_addition in_fact in_other_words of_course for_example for_instance as_a_result in_turn
    in_short in_particular in_general_terms to_be_precise that_is at_the_same_time
    on_the_other_hand in_contrast by_contrast in_this_way too unfortunately fortunately again
    interestingly surprisingly alternatively conversely meanwhile instead now""".replace(
        "_", "~"
    ).split()
)
_ADVERBS = frozenset(
    """also very simply indeed thus therefore hence too actually really quite however moreover
    though of~course in~turn for~example for~instance in~fact in~particular""".split()
)
_NUMBER_FORMS = {"are": "is", "were": "was", "have": "has", "do": "does"}
_COLLECTIVE = frozenset(
    """respectively either neither nor together combined total between both jointly sum differ
    different same equal equals alike""".split()
)
_TIMES = frozenset("when whenever while during until till before after once lest".split())
_SUBORDINATORS = _TIMES | frozenset("since as whether that where wherever because".split())
_DENIALS = frozenset("false wrong untrue incorrect true".split())
_RELATIVES = frozenset("which who where whose".split())
_COUNTS = frozenset(map(str, range(2, 13)))
_LONGEST_ITEM = 7


def is_clause(told: Tokens, given: Tokens) -> bool:
    """Whether a claim is a clause of a sentence, word for word, that nothing governs."""
    wanted, words = words_in(told), words_in(given)
    size = len(wanted)
    places = [at for at, token in enumerate(given) if not token.is_sign]
    for at in range(len(words) - size + 1):
        if words[at : at + size] == wanted:
            first, last = places[at], places[at + size - 1]
            if _may_begin_after(given[:first], given) and _may_end_before(
                given[last + 1 :], wanted, given
            ):
                return True
    return False


def is_close(told: Tokens, given: Tokens, before: Sequence[Token]) -> bool:
    """Whether a claim follows from a sentence by edits that keep the truth.

    `before` are the tokens of the sentence before, in which a pronoun is resolved.
    """
    if not _has_words_of(told, given):
        return False
    pairs = [
        *pairs_of_forms(told, given),
        *((form, given) for form in active_forms(told)),
        *((told, form) for form in active_forms(given)),
    ]
    return any(_is_aligned(one, other, before) for one, other in pairs)


def _has_words_of(told: Tokens, given: Tokens) -> bool:
    """Whether a sentence has all content words of a claim, or opens with a pronoun for some."""
    keys = {token.key for token in given}
    missing = [t.key for t in told if t.key not in keys and keys.isdisjoint(forms_of(t.key))]
    refers = any(token.word in PRONOUNS for token in given[:4])
    return refers or missing in ([], ["mean"])


def _is_aligned(told: Tokens, given: Tokens, before: Sequence[Token]) -> bool:
    alignment = align(told, given)
    return (
        bool(alignment.pairs)
        and all(_is_same(told[i], given[j]) for i, j in alignment.pairs)
        and all(_keeps(edit, alignment, before) for edit in alignment.edits)
    )


def _is_same(one: Token, other: Token) -> bool:
    """Whether two aligned words are one, but for a plural."""
    if one.word == other.word:
        return True
    short, long = sorted((one.word, other.word), key=len)
    return long in (f"{short}s", f"{short}es") or is_same_verb(one, other)


def _keeps(edit: Edit, alignment: Alignment, before: Sequence[Token]) -> bool:
    """Whether an edit keeps the truth."""
    told = [_agreed(token) for token in edit.told if _counts(token)]
    given = edit.given
    start, end = 0, len(given)
    for each in (at for at, token in enumerate(given) if _counts(token)):
        if told and _agreed(given[each]) == told[0]:
            told.pop(0)
            start = each + 1
        else:
            break
    for each in (at for at in reversed(range(start, len(given))) if _counts(given[at])):
        if told and _agreed(given[each]) == told[-1]:
            told.pop()
            end = each
        else:
            break
    dropped = given[start:end]
    if told == ["means"] and "".join(token.word for token in dropped) in (":", "—"):
        return True
    if told:
        return _is_resolved(told, dropped, edit, before) or _is_apposed(
            told, dropped, edit, alignment
        )
    if not any(map(_counts, dropped)):
        return True
    if edit.first:
        return _may_begin_after(given[: end if end < len(given) else None], alignment.given)
    if edit.last:
        if dropped[0].word == "," and any(map(_opens_aside, alignment.edits)):
            return True
        return _may_end_before(dropped, words_in(alignment.told), alignment.given)
    return _may_be_left_out(dropped, edit, start, end, alignment)


def _counts(token: Token) -> bool:
    return token.word not in ARTICLES and token.word not in BREAKS


def _agreed(token: Token) -> str:
    return _NUMBER_FORMS.get(token.word, token.word)


def _may_begin_after(dropped: Tokens, given: Tokens) -> bool:
    """Whether a clause may be cut off from what stands before it in its sentence."""
    words = tuple(word for word in words_in(dropped) if word not in ARTICLES)
    if not words or "~".join(words) in _MARKERS:
        return True
    tail = [token.word for token in dropped if token.word not in ARTICLES][-2:]
    if given[-1].word == "?" or "only" in words:
        return False
    if tail[-1] in (";", "."):
        return True
    if _governs(words, _SUBORDINATORS) or {"so", "such"} & set(words):
        return False
    if tail[-1] in (":", "—"):
        return True
    if tail == [",", "and"] or tail == [",", "so"]:
        return "cause" not in kinds_of(words) and not _COLLECTIVE & set(words)
    kinds = kinds_of(words) - {"future", "ability", "comparison"}
    return tail[-1] == "and" and not kinds and not _is_collective(given)


def _may_end_before(dropped: Tokens, kept: Sequence[str], given: Tokens) -> bool:
    """Whether a clause may be cut off from what stands after it in its sentence."""
    words = tuple(word for word in words_in(dropped) if word not in ARTICLES)
    if not words:
        return given[-1].word != "?"
    first, after = dropped[0].word, words[0]
    near = words[:1] if first in (";", ".", ":") else words
    if given[-1].word == "?" or _governs(near, _TIMES) or _DENIALS & set(words[:4]):
        return False
    if first in (";", ".", ":", "—", "(", "["):
        return True
    if first == ",":
        return (
            (after == "because" and "negation" not in kinds_of(tuple(kept)))
            or after in ("and", "so", "including", "making", "such", "namely")
            or after in _RELATIVES
            or words[:3] == ("as", "well", "as")
            or after.endswith("ing")
        )
    if after in ("because", "so"):
        return "negation" not in kinds_of(tuple(kept)) and words[:2] != ("so", "as")
    if words[:2] in (("such", "as"), ("for", "example")) or after == "including":
        return True
    if after == "and":
        return _is_shortened(words, tuple(kept), given)
    if after == "using" or (after == "by" and words[1:2] and words[1].endswith("ing")):
        return "negation" not in kinds_of(tuple(kept)) and kept[-1] != "only"
    if after in ("that", "which", "who") and "negation" not in kinds_of(tuple(kept)):
        return _is_predicate(given[: len(given) - len(dropped)])
    return False


def _is_predicate(tokens: Tokens) -> bool:
    """Whether tokens end with "is a" and a noun, with no preposition after it."""
    be = max((at for at, token in enumerate(tokens) if token.word in BE), default=-1)
    return (
        0 <= be < len(tokens) - 1
        and tokens[be + 1].word in ("a", "an")
        and not any(t.word in PREPOSITIONS or t.word in BREAKS for t in tokens[be:])
    )


def _may_be_left_out(
    dropped: Tokens, edit: Edit, start: int, end: int, alignment: Alignment
) -> bool:
    """Whether a run of words in the middle of a sentence may be left out."""
    words = tuple(word for word in words_in(dropped) if word not in ARTICLES)
    if not words:
        return False
    if "~".join(words) in _ADVERBS:
        return True
    if _governs(words, _TIMES) or _DENIALS & set(words):
        return False
    first, last = dropped[0].word, dropped[-1].word
    following = (
        alignment.given[edit.given_at + end].word
        if end < len(edit.given)
        else _next_word(alignment, edit)
    )
    inner = dropped[:-1] if last == "," else dropped
    if first in "([" and inner[-1].word in ")]":
        return True
    if words[0] in BE and words[-1] in ("that", "which", "who"):
        return _is_predicate(dropped)
    if first == "," and words[0] in ("which", "who") and len(words) == 1:
        return _ends_its_clause(alignment)
    if first == "," == last and following not in ("and", "or"):
        opens = dropped[1].word
        return opens in _RELATIVES or opens in ARTICLES or opens in ("such", "including", "for")
    if first == "—" == last:
        return True
    kept = words_in(alignment.told)
    if len(words) < 2 and "and" in words:
        return False
    if first == "," and len(words) <= _LONGEST_ITEM and (last == "," or following == "and"):
        return _is_shortened(words, kept, alignment.given)
    if words[0] == "and" and len(words) <= _LONGEST_ITEM and following not in PREPOSITIONS:
        return _is_shortened(words, kept, alignment.given)
    if words[-1] == "and" and not {",", ";"} & {token.word for token in dropped}:
        return _is_shortened(words, kept, alignment.given)
    return False


def _next_word(alignment: Alignment, edit: Edit) -> str:
    at = edit.given_at + len(edit.given)
    return alignment.given[at].word if at < len(alignment.given) else ""


def _ends_its_clause(alignment: Alignment) -> bool:
    """Whether the sentence goes on with a comma, or not at all, after the last aligned word."""
    rest = alignment.edits[-1].given
    return not words_in(rest) or rest[0].word == ","


def _is_shortened(words: Sequence[str], kept: Sequence[str], given: Tokens) -> bool:
    """Whether an item may be left out of a list: not of a choice, of what is denied or counted, of
    what is said of all together."""
    if kinds_of(tuple(words)) - {"ability", "future", "comparison"} or "or" in words:
        return False
    counted = any(
        token.key in _COUNTS and following.word.endswith("s") and len(following.word) > 3
        for token, following in pairwise(given)
    )
    kinds = {(each.kind, each.group) for each in operators_of(tuple(kept))}
    return not (
        counted
        or _is_collective(given)
        or ("universal", "only") in kinds
        or any(kind == "negation" for kind, _ in kinds)
    )


def _is_collective(given: Tokens) -> bool:
    return not _COLLECTIVE.isdisjoint(token.word for token in given)


def _governs(words: tuple[str, ...], subordinators: frozenset[str]) -> bool:
    """Whether words hold a condition, an attitude, a contrast or a time for what is beside them."""
    return bool(
        kinds_of(words) & {"condition", "attitude", "contrast"}
        or not subordinators.isdisjoint(words)
    )


def _opens_aside(edit: Edit) -> bool:
    """Whether a claim goes on with what the sentence says aside (", who …", ", a …")."""
    words = [token.word for token in edit.given]
    if edit.first or words[:1] != [","] or len(words) != 2:
        return False
    return words[1] in ("which", "who") or (bool(edit.told) and words[1] in ARTICLES)


def _is_apposed(told: Sequence[str], dropped: Tokens, edit: Edit, alignment: Alignment) -> bool:
    """Whether "X, a Y, …" became "X is a Y"."""
    return (
        len(told) == 1
        and told[0] in ("is", "was")
        and not edit.first
        and len(dropped) == 2
        and dropped[0].word == ","
        and dropped[1].word in ARTICLES
        and len(words_in(alignment.edits[-1].given)) > 0
        and alignment.edits[-1].given[0].word == ","
    )


def _is_resolved(told: Sequence[str], dropped: Tokens, edit: Edit, before: Sequence[Token]) -> bool:
    """Whether a name took the place of the pronoun that opens the sentence: the name with which the
    sentence before it opens, and no other with it."""
    words = [word for word in words_in(dropped) if "~".join([word]) not in _MARKERS]
    if not edit.first or len(words) != 1 or words[0] not in PRONOUNS:
        return False
    opening = [_agreed(token) for token in before if token.word not in ARTICLES]
    size = len(told)
    return (
        0 < size < len(opening)
        and opening[:size] == list(told)
        and opening[size] not in ("and", "or", ",", "of", "'s")
        and before[0].word not in PRONOUNS
    )


@lru_cache(maxsize=256)
def _parts(told: Tokens) -> tuple[tuple[Tokens, Tokens], ...]:
    """The ways to cut a claim in two at a coordinator."""
    return tuple(_cuts(told))


def _cuts(told: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    for at, token in enumerate(told):
        if token.word in ("and", ";", "but", "while", "whereas") and 2 < at < len(told) - 3:
            left = told[:at]
            yield (left[:-1] if left[-1].is_sign else left), told[at + 1 :]


def coordinated(told: Tokens) -> tuple[tuple[Tokens, Tokens], ...]:
    """The ways to cut a claim into two clauses."""
    return _parts(told)
