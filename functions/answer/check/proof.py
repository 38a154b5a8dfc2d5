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
    SUBORDINATORS,
    active_forms,
    is_same_verb,
    pairs_of_forms,
)
from functions.answer.check.operators import kinds_of
from functions.answer.text.synonyms import forms_of

BREAKS = frozenset(",;:()[]—?!.")
"""Signs that end a clause or a phrase; others (<, %) mean something."""
PRONOUNS = frozenset("it they he she this these".split())
_MARKERS = frozenset(
    """however therefore thus hence moreover furthermore consequently finally indeed also similarly
    likewise additionally besides accordingly nevertheless nonetheless first second third firstly
    secondly then overall specifically notably importantly in~addition in~fact in~other~words
    of~course for~example for~instance as~a~result in~turn in~short in~particular that~is
    on~the~other~hand by~contrast in~this~way unfortunately fortunately again interestingly
    surprisingly""".split()
)
"""What a sentence may open with that says nothing of its own, before a comma."""
_LABELS = frozenset("note tip figure listing example".split())
_ADVERBS = frozenset(
    """also indeed thus therefore hence however moreover though of~course in~turn for~example
    for~instance in~fact in~particular""".split()
)
_NUMBER_FORMS = {"are": "is", "were": "was", "have": "has", "do": "does"}
_COLLECTIVE = frozenset(
    """respectively either neither nor together combined combining combine combination total between
    both jointly sum product mixture ratio differ different same equal equals alike or of compose
    composed comprise comprises consist consists make makes made married several""".split()
) - {"of"}
_TIMES = frozenset("when whenever while during until till before after once lest".split())
_SUBORDINATORS = _TIMES | frozenset("since as whether that where wherever because".split())
_DENIALS = frozenset(
    "false wrong untrue incorrect true nobody almost only this not no never".split()
)
_RELATIVES = frozenset("which who where whose".split())
_PARTICIPLES = frozenset(
    """making allowing enabling leading resulting causing giving ensuring reducing improving
    creating including helping leaving keeping letting meaning saving forcing""".split()
)
_COUNTS = frozenset(map(str, range(2, 100)))
_FINITE = frozenset("is are was were has have had can could may will does did must should".split())
_DANGLING = frozenset(
    """by to of that the a an and or with in for from as than which who is are was were into but
    because if when""".split()
)
_LONGEST_ITEM = 7
_OPEN = frozenset({"negation", "limit", "hedge", "attitude", "condition", "contrast"})
"""Classes that what is cut off from a claim may refute or weaken it by."""


def is_statement(told: Tokens) -> bool:
    """Whether a text can be a sentence: it ends with no word of grammar, and is more than a
    subordinate clause."""
    words = words_in(told)
    alone = words[:1] and words[0] in SUBORDINATORS and not any(t.word == "," for t in told)
    return bool(words) and words[-1] not in _DANGLING and not alone


def is_clause(told: Tokens, given: Tokens) -> bool:
    """Whether a claim is a clause of a sentence, word for word, that nothing governs."""
    wanted = [token.word for token in told if token.word not in BREAKS]
    places = [at for at, token in enumerate(given) if token.word not in BREAKS]
    words = [given[at].word for at in places]
    size = len(wanted)
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
        *pairs_of_forms(told, given, strict=True),
        *((form, given) for form in active_forms(told, strict=True)),
        *((told, form) for form in active_forms(given, strict=True)),
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
    if not _has_same_articles(edit):
        return False
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
    if edit.first and not start:
        return _may_begin_after(given[: end if end < len(given) else None], alignment.given)
    if edit.last and end == len(given):
        if dropped[0].word == "," and any(map(_opens_aside, alignment.edits)):
            return len(dropped) == 1 or dropped[1].word not in ("and", "or")
        return _may_end_before(dropped, words_in(alignment.told), alignment.given)
    return _may_be_left_out(dropped, edit, end, alignment)


def _has_same_articles(edit: Edit) -> bool:
    """Whether no "a" became "the", and "a few" is not "few"."""
    told, given = (tuple(t.word for t in side) for side in (edit.told, edit.given))
    if "the" in told and "the" not in given and {"a", "an"} & set(given):
        return False
    return all(
        (("a", word) in pairwise(told)) == (("a", word) in pairwise(given))
        for word in ("few", "little")
        if word in told
    )


def _counts(token: Token) -> bool:
    return token.word not in ARTICLES and token.word not in BREAKS


def _agreed(token: Token) -> str:
    return _NUMBER_FORMS.get(token.word, token.word)


def _may_begin_after(dropped: Tokens, given: Tokens) -> bool:
    """Whether a clause may be cut off from what stands before it in its sentence."""
    words = tuple(word for word in words_in(dropped) if word not in ARTICLES)
    if not words:
        return True
    tail = [token.word for token in dropped if token.word not in ARTICLES][-2:]
    if "~".join(words_in(dropped)) in _MARKERS:
        return tail[-1] == ","
    if given[-1].word == "?" or "only" in words:
        return False
    if tail[-1] in (":", "—"):
        return words[0] in _LABELS
    if _governs(words, _SUBORDINATORS) or {"so", "such"} & set(words):
        return False
    if tail[-1] in (";", "."):
        return not {"suppose", "say", "imagine", "had", "should"} & set(words[:1])
    if tail in ([",", "and"], [",", "so"]):
        return "cause" not in kinds_of(words) and not _COLLECTIVE & set(words)
    return False


def _may_end_before(dropped: Tokens, kept: Sequence[str], given: Tokens) -> bool:
    """Whether a clause may be cut off from what stands after it in its sentence."""
    words = tuple(word for word in words_in(dropped) if word not in ARTICLES)
    if not words:
        return given[-1].word != "?"
    first, after = dropped[0].word, words[0]
    near = words[:1] if first in (";", ".") else words
    if given[-1].word == "?" or _governs(near, _TIMES) or _DENIALS & set(words[:3]):
        return False
    denied = "negation" in kinds_of(tuple(kept)) or "only" in kept[-1:]
    if first in (";", "."):
        return True
    if first in (":", "—", "(", "["):
        ends = first not in "([" or dropped[-1].word in ")]"
        return ends and not kinds_of(words) & _OPEN
    if first == ",":
        return _may_end_at_comma(dropped, words, kept, given)
    if after == "because":
        return not denied
    if words[:2] in (("such", "as"), ("for", "example")) or after == "including":
        return True
    if after == "and":
        return _is_shortened(words, kept, given)
    if after == "using" or (after == "by" and words[1:2] and words[1].endswith("ing")):
        return not denied and not kinds_of(words) & _OPEN
    if after in ("that", "which", "who"):
        is_plain = not denied and not kinds_of(words) & _OPEN
        return is_plain and _is_predicate(given[: len(given) - len(dropped)])
    return False


def _may_end_at_comma(
    dropped: Tokens, words: Sequence[str], kept: Sequence[str], given: Tokens
) -> bool:
    after = words[0]
    if after == "and" and len(words) <= _LONGEST_ITEM:
        return _is_shortened(words, kept, given)
    if after == "because":
        return "negation" not in kinds_of(tuple(kept))
    if kinds_of(tuple(words)) & _OPEN and after not in ("and", "so"):
        return False
    if kinds_of(tuple(words)) & {"attitude"}:
        return False
    is_aside = after in ("and", "including", "such", "namely") or after in _RELATIVES
    is_result = after == "so" and not {"rarely", "little", "badly", "few", "that"} & set(words[1:2])
    return is_aside or is_result or dropped[1].word in _PARTICIPLES


def _is_predicate(tokens: Tokens) -> bool:
    """Whether tokens end with "is a" and a noun, with no preposition after it."""
    be = max((at for at, token in enumerate(tokens) if token.word in BE), default=-1)
    return (
        0 <= be < len(tokens) - 1
        and tokens[be + 1].word in ("a", "an")
        and not any(t.word in PREPOSITIONS or t.word in BREAKS for t in tokens[be:])
    )


def _may_be_left_out(dropped: Tokens, edit: Edit, end: int, alignment: Alignment) -> bool:
    """Whether a run of words in the middle of a sentence may be left out."""
    words = tuple(word for word in words_in(dropped) if word not in ARTICLES)
    if not words:
        return False
    kept = words_in(alignment.told)
    if "~".join(words) in _ADVERBS:
        before = alignment.given[: edit.given_at + end - len(dropped)]
        return "negation" not in kinds_of(words_in(before[-2:]))
    if _governs(words, _TIMES) or _DENIALS & set(words):
        return False
    first, last = dropped[0].word, dropped[-1].word
    here = end < len(edit.given)
    following = alignment.given[edit.given_at + end].word if here else _next_word(alignment, edit)
    inner = dropped[:-1] if last == "," or last in ARTICLES else dropped
    plain = not kinds_of(words) & (_OPEN | {"universal"})
    if first in "([" and inner[-1].word in ")]":
        return plain and sum(token.word in "([" for token in inner) == 1
    if words[0] in BE and words[-1] in ("that", "which", "who"):
        return plain and _is_predicate(dropped)
    if first == "," and words in (("which",), ("who",)):
        return _ends_its_clause(alignment)
    if first == "," == last and following not in ("and", "or"):
        opens = dropped[1].word
        is_short = opens in ARTICLES and len(words) < _LONGEST_ITEM
        return plain and (opens in _RELATIVES or is_short or opens in ("such", "including"))
    if len(words) < 2 and "and" in words:
        return False
    is_item = len(words) <= _LONGEST_ITEM and (
        (first == "," and (last == "," or following == "and"))
        or (words[0] == "and" and following not in PREPOSITIONS)
    )
    is_verb = words[-1] == "and" and not {",", ";"} & {token.word for token in dropped}
    return (is_item or is_verb) and _is_shortened(words, kept, alignment.given)


def _next_word(alignment: Alignment, edit: Edit) -> str:
    at = edit.given_at + len(edit.given)
    return alignment.given[at].word if at < len(alignment.given) else ""


def _ends_its_clause(alignment: Alignment) -> bool:
    """Whether the sentence goes on with a comma, or not at all, after the last aligned word."""
    rest = alignment.edits[-1].given
    return not words_in(rest) or rest[0].word == ","


def _is_shortened(words: Sequence[str], kept: Sequence[str], given: Tokens) -> bool:
    """Whether an item may be left out of a list: not of a choice, of what is denied, limited or
    counted, of what is said of all together, or of what something is."""
    if kinds_of(tuple(words)) - {"ability", "future", "comparison"}:
        return False
    counted = any(
        token.key in _COUNTS and following.word.endswith("s") and len(following.word) > 3
        for token, following in pairwise(given)
    )
    kinds = kinds_of(tuple(word for word in kept if word not in ("can", "all")))
    first = next((at for at, token in enumerate(given) if token.word in (",", "and")), 0)
    is_what = any(token.word in BE for token in given[max(0, first - 4) : first])
    return not (
        counted
        or is_what
        or _is_collective(given)
        or "only" in kept
        or kinds & {"negation", "limit"}
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
    sentence before it opens, of the same number, and no other with it."""
    words = words_in(dropped)
    if not edit.first or len(words) != 1 or words[0] not in ("it", "they", "he", "she"):
        return False
    if (
        edit.given[1:2]
        and edit.given[1].word in BE
        and {"that", "to"} & {token.word for token in edit.given}
    ):
        return False
    opening = [token.word for token in before if token.word not in ARTICLES]
    size = len(told)
    others = ARTICLES.intersection(token.word for token in before[size + 1 :])
    is_plural = told[-1].endswith("s") and not told[-1].endswith("ss")
    return (
        0 < size < len(opening)
        and list(map(_NUMBER_FORMS.get, opening[:size], opening[:size])) == list(told)
        and (opening[size] in _FINITE or (opening[size].endswith(("s", "ed")) and not others))
        and not kinds_of(tuple(told)) - {"comparison"}
        and (words[0] != "it" or not is_plural)
        and (words[0] != "they" or is_plural)
    )


@lru_cache(maxsize=256)
def _parts(told: Tokens) -> tuple[tuple[Tokens, Tokens], ...]:
    """The ways to cut a claim in two at a coordinator."""
    return tuple(_cuts(told))


def _cuts(told: Tokens) -> Iterator[tuple[Tokens, Tokens]]:
    for at, token in enumerate(told):
        if token.word in ("and", ";", "but", "while", "whereas") and 2 < at < len(told) - 3:
            left, right = told[:at], told[at + 1 :]
            if right[0].word not in PRONOUNS:
                yield (left[:-1] if left[-1].is_sign else left), right


def coordinated(told: Tokens) -> tuple[tuple[Tokens, Tokens], ...]:
    """The ways to cut a claim into two clauses."""
    return _parts(told)
