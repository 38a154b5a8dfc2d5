"""Supported claims: parts of a sentence said alone, or in another order."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tools.evaluate.claims.book_sentences import Book, BookSentence
from tools.evaluate.claims.claim import Claim, claim
from tools.evaluate.claims.inflection import agreed, bare_verb, verb
from tools.evaluate.claims.lexicon import PASSIVE
from tools.evaluate.claims.phrases import (
    Clause,
    clause_at,
    is_plural,
    is_pronoun,
    main_clause,
    noun_phrase,
)
from tools.evaluate.claims.tagged_sentence import TaggedSentence

_UNCLEAR = frozenset("it they this that these those he she there such both one".split())
_TAILS = re.compile(
    r", (?P<tail>(?:which|while|whereas|although|though|even though|allowing|making|providing"
    r"|meaning|including|such as|so that|because|since|rather than|instead of|as opposed to)\b.*)$"
)
_PREPOSITIONS = frozenset(
    "in on at during within for inside after before with under from by through throughout".split()
)
_AFTER_OBJECT = frozenset("in at during from when on using with for inside into before".split())
_UNMOVABLE = frozenset("not n't only and that : when if because until it".split())
_USED = frozenset("use write call make add find give specify adjust apply".split())
_FIXED_OPENINGS = (
    "for example", "for instance", "in addition", "in fact", "in other words", "in contrast",
    "on the other hand", "in particular", "in general", "at first", "by contrast", "in short",
    "for now", "in turn", "in this", "in that", "in these", "for this", "for these", "with this",
    "with these", "with that", "after this", "after that", "from this", "by this", "in both",
    "in such", "at this", "at that", "in order", "in the same", "in some", "in most", "in the end",
    "in practice", "in response",
)  # fmt: skip


def clause(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A main clause of a sentence that has more than one."""
    sentence = source.tagged
    words = sentence.words
    for at in range(3, sentence.stop):
        if words[at] not in ("and", "but", ";") or (words[at] != ";" and words[at - 1] != ","):
            continue
        end = at - 1 if words[at] != ";" else at
        first, second = clause_at(sentence, 0, end), clause_at(sentence, at + 1, sentence.stop)
        if first is None or second is None or _splits(sentence, 0, end):
            continue
        inner = [i for i in range(end) if words[i] == ","]
        if any(clause_at(sentence, i + 1, end) for i in inner):
            continue
        yield claim(sentence.between(0, end), source)
        rest = sentence.words[at + 1 : sentence.stop]
        if (
            rest[0] not in _UNCLEAR
            and "," not in rest
            and not _splits(sentence, at + 1, sentence.stop)
        ):
            yield claim(sentence.between(at + 1, sentence.stop), source)
        break
    tail = _TAILS.search(source.text)
    if tail:
        before = TaggedSentence(source.text[: tail.start()] + ".")
        if main_clause(before) and "," not in before.text and not _splits(before, 0, before.stop):
            yield claim(before.text, source)
    yield from _reason_alone(source)


def _reason_alone(source: BookSentence) -> Iterator[Claim]:
    """Either side of "because", and the main clause after "although"."""
    sentence = source.tagged
    words = sentence.words
    if "because" in words[3:] and words[words.index("because") + 1] != "of":
        at = words.index("because")
        first, second = clause_at(sentence, 0, at), clause_at(sentence, at + 1, sentence.stop)
        negated = {"not", "n't", "only", "just", "partly", "simply"} & set(words[:at])
        if first and not negated and "," not in words:
            yield claim(sentence.between(0, at), source)
            if second and words[at + 1] not in _UNCLEAR:
                yield claim(sentence.between(at + 1, sentence.stop), source)
    if words[0] in ("although", "though", "while", "because", "since") and words.count(",") == 1:
        comma = words.index(",")
        second = clause_at(sentence, comma + 1, sentence.stop)
        if second and clause_at(sentence, 1, comma) and words[comma + 1] not in _UNCLEAR:
            yield claim(sentence.between(comma + 1, sentence.stop), source)
            if words[1] not in _UNCLEAR and words[0] != "since":
                yield claim(sentence.between(1, comma), source)


def passive(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """Active said in the passive, and the passive with its agent in the active."""
    sentence = source.tagged
    found = main_clause(sentence)
    if found is None:
        return
    end = _end_of_first_clause(sentence, found)
    if {"and", "or", "but", "which", "that"} & set(sentence.words[_rest_from(found) : end]):
        return
    for text in (
        _made_passive(sentence, found, end, book),
        _made_active(sentence, found, end, book),
        _made_active_of_you(sentence, found, end, book),
    ):
        if text:
            yield claim(text, source)


def _rest_from(found: Clause) -> int:
    return found.object.last if found.object else found.after


def _end_of_first_clause(sentence: TaggedSentence, found: Clause) -> int:
    """What follows the first comma or "because" says more, and can be left out."""
    for at in range(_rest_from(found), sentence.stop):
        if sentence.words[at] in (",", ";", "because", "while", ":"):
            return at
    return sentence.stop


def _made_passive(sentence: TaggedSentence, found: Clause, end: int, book: Book) -> str | None:
    if found.object is None or {"by", "not", "n't", "if", "unless"} & set(sentence.words[:end]):
        return None
    tag, word = sentence.tokens[found.verb].tag, sentence.words[found.verb]
    plural = is_plural(sentence, found.object)
    base, be = sentence.words[found.main], f"{word} be"
    if found.is_simple():
        base, be = bare_verb(word, tag) or "", "are" if plural else "is"
    elif word not in ("can", "must", "should") or found.main != found.verb + 1:
        return None
    before, after = sentence.words[: found.verb], sentence.words[found.object.last]
    if (
        end < sentence.stop
        and sentence.words[end] == ","
        and not (
            sentence.words[end + 1] in ("which", "because")
            or (
                sentence.words[end + 1] in ("and", "but", "so")
                and clause_at(sentence, end + 2, sentence.stop)
            )
        )
    ):
        return None
    fits = found.object.last == end or after in _AFTER_OBJECT
    if base not in PASSIVE or not fits or found.subject.last != found.verb:
        return None
    if sentence.words[found.object.first] in ("no", "its", "their", "itself", "each", "any"):
        return None
    if before[0] in ("no", "few", "only", "every", "each", "neither", "many", "some", "any"):
        return None
    what = sentence.between(found.object.first, found.object.last)
    rest = sentence.between(found.object.last, end)
    if is_pronoun(sentence, found.subject):
        if before != ("you",) or found.is_simple():
            return None
        return f"{what} {be} {verb(base).participle} {rest}"
    subject = book.lowered(sentence.between(found.subject.first, found.subject.last))
    return f"{what} {be} {verb(base).participle} by {subject} {rest}"


def _made_active(sentence: TaggedSentence, found: Clause, end: int, book: Book) -> str | None:
    words = sentence.words
    if (
        found.is_simple()
        or is_pronoun(sentence, found.subject)
        or words[found.verb] not in ("is", "are")
        or words[found.after] != "by"
    ):
        return None
    agent = noun_phrase(sentence, found.after + 1)
    base = _base_of_participle(words[found.main])
    if agent is None or base is None or agent.last != end or "not" in words[:end]:
        return None
    if found.main != found.verb + 1 or sentence.words[0] in ("no", "all", "each", "every", "only"):
        return None
    form = agreed(base, is_plural(sentence, agent))
    subject = book.lowered(sentence.between(found.subject.first, found.subject.last))
    return f"{sentence.between(agent.first, agent.last)} {form} {subject}"


def _made_active_of_you(
    sentence: TaggedSentence, found: Clause, end: int, book: Book
) -> str | None:
    """ "X can be overridden with Y" as "You can override X with Y"."""
    words = sentence.words
    if words[found.verb] not in ("can", "should", "must") or "by" in words[found.after : end]:
        return None
    if (
        words[found.verb + 1] != "be"
        or found.main != found.verb + 2
        or is_pronoun(sentence, found.subject)
    ):
        return None
    base = _base_of_participle(words[found.main])
    unclear = {"not", "n't", "only", "no", "few", "any", "so", ":"}
    if base is None or unclear & set(words[:end]) or words[found.verb - 1] == "also":
        return None
    subject = book.lowered(sentence.between(found.subject.first, found.subject.last))
    return f"You {words[found.verb]} {base} {subject} {sentence.between(found.after, end)}"


def _base_of_participle(word: str) -> str | None:
    return next((base for base in sorted(PASSIVE | _USED) if verb(base).participle == word), None)


def relative(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A relative clause said as a sentence of its own."""
    sentence = source.tagged
    words, tokens = sentence.words, sentence.tokens
    found = main_clause(sentence)
    for at in range(2, sentence.stop - 2):
        is_which = words[at] == "which" and words[at - 1] == ","
        if is_which and found and found.subject.last == at - 1:
            comma = next((i for i in range(at, sentence.stop) if words[i] == ","), None)
            if comma and tokens[at + 1].tag in ("VVZ", "VVB", "VBZ", "VBB", "VM0"):
                yield claim(
                    sentence.between(0, at - 1) + " " + sentence.between(at + 1, comma), source
                )
    yield from _subject_with_relative(source)
    yield from _is_a_thing_that(source)


def _subject_with_relative(source: BookSentence) -> Iterator[Claim]:
    """ "X, which does Y, does Z": X does Y; X does Z."""
    sentence = source.tagged
    words, tokens = sentence.words, sentence.tokens
    subject = noun_phrase(sentence, 0)
    if subject is None or words[subject.last : subject.last + 2] != (",", "which"):
        return
    start = subject.last + 2
    comma = next((i for i in range(start, sentence.stop) if words[i] == ","), None)
    if comma is None or tokens[start].tag not in ("VVZ", "VVB", "VBZ", "VBB", "VM0", "VHZ", "VHB"):
        return
    name = sentence.between(0, subject.last)
    yield claim(f"{name} {sentence.between(start, comma)}", source)
    yield claim(f"{name} {sentence.between(comma + 1, sentence.stop)}", source)


def _is_a_thing_that(source: BookSentence) -> Iterator[Claim]:
    """ "X is a machine that does Y": X does Y; X is a machine."""
    sentence = source.tagged
    words, tokens = sentence.words, sentence.tokens
    found = main_clause(sentence)
    if found is None or words[found.verb] not in ("is", "are") or found.object is None:
        return
    at = found.object.last
    article = words[found.object.first]
    if article in ("the", "one", "only", "not", "some", "no") or "one" in words[:at]:
        return
    if words[at : at + 1] not in (("that",), ("which",)) or is_pronoun(sentence, found.subject):
        return
    if tokens[at + 1].tag not in ("VVZ", "VVB", "VM0", "VBZ", "VBB", "VHZ", "VHB"):
        return
    if is_plural(sentence, found.subject) != is_plural(sentence, found.object):
        return
    if "," in words[at : sentence.stop] and "and" not in words[at : sentence.stop]:
        return
    if tokens[at + 1].tag in ("VVB", "VBB", "VHB") and not is_plural(sentence, found.subject):
        return
    subject = sentence.between(0, found.subject.last)
    yield claim(f"{subject} {sentence.between(at + 1, sentence.stop)}", source)


def apposition(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """ "X, a Y, does Z": X is a Y."""
    sentence = source.tagged
    words = sentence.words
    for at in range(1, sentence.stop - 3):
        if words[at] != "," or words[at + 1] not in ("a", "an"):
            continue
        what = noun_phrase(sentence, at + 1)
        if (
            what is None
            or what.last >= sentence.stop
            or words[what.last] not in (",", "that", "for")
        ):
            continue
        for start in range(max(0, at - 4), at):
            name = noun_phrase(sentence, start)
            if (
                name
                and name.last == at
                and (start == 0 or words[start - 1] in ("by", "using", "with"))
            ):
                if not is_plural(sentence, name) and "and" not in words[at : what.last + 2]:
                    text = sentence.between(name.first, name.last)
                    yield claim(f"{text} is {sentence.between(what.first, what.last)}", source)
                break
    for found in re.finditer(r"\b((?:[A-Z][\w-]+ ){1,4}[A-Z][\w-]+) \(([A-Z]{2,6})\)", source.text):
        if "".join(word[0] for word in re.split(r"[ -]", found[1])).upper() == found[2]:
            yield claim(f"{found[2]} stands for {found[1]}", source)


def moved(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """What stands in front of the main clause put behind it, or the other way round."""
    sentence = source.tagged
    words = sentence.words
    if words.count(",") == 1:
        comma = words.index(",")
        whole = clause_at(sentence, comma + 1, sentence.stop)
        opening = sentence.between(0, comma)
        if (
            whole
            and not _UNMOVABLE & set(words[comma:])
            and (_is_opening(sentence, comma) or _is_subordinate(sentence, comma))
        ):
            main = sentence.between(comma + 1, sentence.stop)
            yield claim(f"{main} {book.lowered(opening)}", source)
    for at in range(3, sentence.stop - 3):
        if words[at] not in ("when", "if", "because", "while") or {",", ":", "until"} & set(words):
            continue
        if words.count(words[at]) > 1 or {"and", "or", "as"} & set(words[at:]):
            continue
        first, second = clause_at(sentence, 0, at), clause_at(sentence, at + 1, sentence.stop)
        if first and second and words[at - 1] not in ("only", "even", "just", "see", "and", "or"):
            if (
                not {"not", "n't", "that", "know", "check"} & set(words[:at])
                and words[at + 1] not in _UNCLEAR
            ):
                opening = sentence.between(at, sentence.stop)
                yield claim(f"{opening}, {book.lowered(sentence.between(0, at))}", source)
            break


def _is_opening(sentence: TaggedSentence, comma: int) -> bool:
    words = sentence.words
    found = noun_phrase(sentence, 1)
    return (
        words[0] in _PREPOSITIONS
        and not sentence.text.lower().startswith(_FIXED_OPENINGS)
        and found is not None
        and found.last == comma
    ) or (words[0] == "to" and sentence.tokens[1].tag == "VVI" and "and" not in words[:comma])


def _is_subordinate(sentence: TaggedSentence, comma: int) -> bool:
    words = sentence.words
    return (
        words[0] in ("when", "if", "because", "once", "while", "after", "before", "unless")
        and clause_at(sentence, 1, comma) is not None
        and words[1] not in _UNCLEAR
        and words[comma + 1] not in _UNCLEAR
    )


def _splits(sentence: TaggedSentence, first: int, last: int) -> bool:
    """Whether a clause is part of something larger: said by somebody, or under a condition."""
    governing = {"if", "when", "unless", "whether", "either", "neither", "suppose", "imagine"}
    words = sentence.words[first:last]
    return (
        bool(governing & set(words[:2]))
        or "either" in words
        or words.count("“") != words.count("”")
    )
