"""Supported claims: a sentence compressed, or said with other words and in another order."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

from tools.evaluate.claims.book_sentences import Book, BookSentence
from tools.evaluate.claims.changed_clauses import entry, involve
from tools.evaluate.claims.claim import Claim, claim
from tools.evaluate.claims.inflection import agreed, bare_verb
from tools.evaluate.claims.kept_clauses import clause, moved, passive, relative
from tools.evaluate.claims.kept_words import (
    list_shortened,
    marker_dropped,
    parenthesis_dropped,
    with_synonym,
)
from tools.evaluate.claims.phrases import is_plural, is_pronoun, main_clause, noun_phrase
from tools.evaluate.claims.tagged_sentence import NAME, TaggedSentence

_LIMITING = frozenset(
    "not n't no never only unless if when whether neither nor all any every each few without most "
    "until except hardly rarely either or than as".split()
)
_TAKES_INFINITIVE = frozenset(
    "allow enable need require force let want ask tell cause permit expect encourage instruct have "
    "be seem tend try aim fail choose decide learn help prove know begin start continue get lead "
    "understand determine take make wait refuse like prefer urge train program design".split()
)
_FINITE = frozenset("VVZ VVB VBZ VBB VHZ VHB VM0".split())
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), other)
    for pattern, other in (
        (r"^(?:Alternatively, |Also, )?You can (?:also )?(?=[a-z]+ )", "It is possible to "),
        (r"^You could (?:also )?(?=[a-z]+ )", "It would be possible to "),
        (r"^You (?:must|have to|need to) (?=[a-z]+ )", "It is necessary to "),
        (r"^If you (?:want|wish|would like|’d like|'d like) to (?=[a-z]+ [^,]+, you )", "To "),
        (r"\b(is|are) used to (?=[a-z]+ )", r"\1 a means to "),
        (r"\bdoes not support\b", "lacks support for"),
        (r"\bdo not support\b", "lack support for"),
        (r"\b(is|are) not supported\b", r"\1 unsupported"),
        (r"\b(is|are) able to\b", "can"),
        (r"\bcan be used to\b", "can serve to"),
        (r"\bconsists? of\b", "is made up of"),
        (r"\bis composed of\b", "consists of"),
        (r"\bis called\b(?! (?:by|in|on|when|from|with|at|once|after|for|as|again|every))",
         "is known as"),
        (r"\bare called\b(?! (?:by|in|on|when|from|with|at|once|after|for|as|again|every))",
         "are known as"),
        (r"\bis known as\b", "is called"),
        (r"\b(is|are) required\b(?= for\b)", r"\1 needed"),
        (r"\b(is|are) needed\b(?= (?:to|for|in)\b)", r"\1 required"),
        (r"\b(is|are) crucial for\b", r"\1 of great importance for"),
        (r"\b(is|are) essential for\b", r"\1 indispensable for"),
        (r"\b(is|are) important\b(?! than)", r"\1 of importance"),
        (r"\bmakes it possible to\b", "lets you"),
        (r"\bmakes use of\b", "uses"),
        (r"\btakes place\b", "happens"),
        (r"\bplays? an important role in\b", "matters for"),
        (r"\brefers to\b", "is a term for"),
        (r"\bon the other hand, ", ""),
        (r"\bthe same as\b", "identical to"),
        (r"^If (?=\w+ \w+ )(?!you\b)", "In case "),
        (r"(?<=\w)(?<!\bthe)(?<!\ban)(?<!even)(?<!only)(?<!whole)(?<!see)(?<!combine)(?<!as)"
         r"(?<!determine)(?<!check)(?<!know)(?<!ask)(?<!tell)(?<!wonder) if "
         r"(?!you\b|let\b|expr|cond|block|state|arm|and\b|is\b|or\b|not\b|it\b)(?=\w+ \w+ \w+)",
         " assuming that "),
        (r", but ", ", yet "),
        (r"(?<=\w) because (?!of\b)", " since "),
        (r"^[Aa]lthough ", "Even though "),
        (r"\b[Ee]ach (?=[a-z]+ (?:is|has|uses|can|will|must)\b)", "every "),
        (r"\bwill need to\b", "will have to"),
        (r"\bin addition to\b", "besides"),
        (r"\bis defined as\b", "means"),
        (r"\bmust be\b", "has to be"),
        (r"\bcan be (?=[a-z]+ed\b)", "is possible to have "),
    )[:-2]
)  # fmt: skip
_LETS = frozenset("allow enable permit let".split())


def predicate(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """One of two things that a sentence says of its subject."""
    sentence = source.tagged
    words, tokens = sentence.words, sentence.tokens
    found = main_clause(sentence)
    if found is None or {"either", "both", "if", "when", "neither", "not", "n't"} & set(words):
        return
    tag = tokens[found.verb].tag
    for at in range(found.after + 1, sentence.stop - 2):
        if (
            words[at] != "and"
            or tokens[at + 1].tag != tag
            or tag not in ("VVZ", "VBZ", "VHZ", "VBB")
        ):
            continue
        if any(tokens[i].tag in _FINITE or words[i] in ("that", "which", ",", ":", "who", "and")
               for i in range(found.after, at)):  # fmt: skip
            continue
        subject = sentence.between(0, found.subject.last)
        yield claim(f"{subject} {sentence.between(at + 1, sentence.stop)}", source)
        yield claim(sentence.between(0, at), source)
        return


def adjunct_dropped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A purpose, a means or a relative clause at the end left out."""
    sentence = source.tagged
    words, tokens = sentence.words, sentence.tokens
    found = main_clause(sentence)
    if found is None or found.object is None or _LIMITING & set(words[: found.object.last]):
        return
    base = bare_verb(words[found.verb], tokens[found.verb].tag) or words[found.main]
    end = found.object.last
    determiner = words[found.object.first]
    opening, tail = words[end : end + 1], words[end : sentence.stop]
    if end >= sentence.stop or _LIMITING & set(tail[:1]) or words[0] == "there":
        return
    is_plain = determiner not in ("the", "this", "those", "these", "one", "two", "only", "way")
    if opening == ("to",) and tokens[end + 1].tag == "VVI" and base not in _TAKES_INFINITIVE:
        if words[found.verb] not in ("is", "are", "was", "were", "has", "have"):
            yield claim(sentence.between(0, end), source)
    elif tail[:2] == ("by", "default"):
        return
    elif opening in (("by",), ("using",), ("through",)) and words[found.verb] not in ("is", "are"):
        yield claim(sentence.between(0, end), source)
    elif opening == ("that",) and is_plain and tokens[end + 1].tag in _FINITE:
        if words[found.object.head] not in ("thing", "way", "kind", "type", "one", "term", "name"):
            yield claim(sentence.between(0, end), source)
    elif opening in (("in",), ("during",), ("at",)) and words[found.verb] not in ("is", "are"):
        place = noun_phrase(sentence, end + 1)
        if place and place.last == sentence.stop and is_plain and base not in ("result", "have"):
            yield claim(sentence.between(0, end), source)
    elif opening == (":",):
        yield claim(sentence.between(0, end), source)


def possessive(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """KaTeX's fonts as the fonts of KaTeX, and the reverse for names."""
    sentence = source.tagged
    for at in range(1, sentence.stop - 1):
        if sentence.words[at] == "'s":
            text = _as_of_phrase(sentence, at, book)
        else:
            text = _as_possessive(sentence, at) if sentence.words[at] == "of" else None
        if text:
            yield claim(text, source)


def _as_of_phrase(sentence: TaggedSentence, at: int, book: Book) -> str | None:
    words, tokens = sentence.words, sentence.tokens
    end = _bare_phrase(sentence, at + 1)
    owner = at - 1
    if end is None or words[end] == "of" or words[at + 1] == "own":
        return None
    if tokens[owner].tag == NAME:
        if owner > 0 and (tokens[owner - 1].is_noun or words[owner - 1] == "and"):
            return None
    else:
        while owner > 0 and (tokens[owner].is_noun or tokens[owner].tag == "AJ0"):
            owner -= 1
        if words[owner] not in ("the", "a", "an"):
            return None
    if owner > 0 and tokens[owner - 1].tag in ("DPS", "DT0"):
        return None
    name = sentence.between(owner, at)
    the, name = ("The", book.lowered(name)) if owner == 0 else ("the", name)
    return sentence.replaced(owner, end, f"{the} {sentence.between(at + 1, end)} of {name}")


def _as_possessive(sentence: TaggedSentence, at: int) -> str | None:
    words, tokens = sentence.words, sentence.tokens
    name, after = tokens[at + 1], tokens[at + 2]
    if name.tag != NAME or after.is_noun or after.lower in ("and", "'s"):
        return None
    start = next((i for i in (at - 2, at - 3) if i >= 0 and words[i] == "the"), None)
    if start is None or not name.text[0].isalpha():
        return None
    if any(token.tag not in ("NN1", "NN2", "AJ0") for token in tokens[start + 1 : at]):
        return None
    return sentence.replaced(start, at + 2, f"{name.text}’s {sentence.between(start + 1, at)}")


def _bare_phrase(sentence: TaggedSentence, at: int) -> int | None:
    """Where the nouns and adjectives from a position end, if what follows ends the phrase."""
    end = at
    while end < sentence.stop and (
        sentence.tokens[end].is_noun or sentence.tokens[end].tag == "AJ0"
    ):
        end += 1
    if end == at or not sentence.tokens[end - 1].is_noun:
        return None
    after = sentence.tokens[end]
    return end if after.is_mark or after.tag in (
        "VBZ", "VBB", "VVZ", "VM0", "PRP", "CJS", "VHZ", "VDZ", "TO0", "VBD",
    ) else None  # fmt: skip


def reworded(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A turn of phrase replaced by another."""
    for pattern, other in _PATTERNS:
        text = pattern.sub(other, source.text, count=1)
        if text != source.text and not (" if " in text and text.startswith("To ")):
            yield claim(text, source)
    if with_means := _with_means(source.tagged, book):
        yield claim(with_means, source)


def _with_means(sentence: TaggedSentence, book: Book) -> str | None:
    """ "X allows Y to do Z" as "With X, Y can do Z"."""
    found = main_clause(sentence)
    if found is None or found.object is None or not found.is_simple():
        return None
    base = bare_verb(sentence.words[found.verb], sentence.tokens[found.verb].tag)
    end = found.object.last
    if base not in _LETS or is_pronoun(sentence, found.subject) or "," in sentence.words:
        return None
    if sentence.words[end : end + 1] != ("to",) or sentence.words[0] in ("this", "these", "no"):
        return None
    if "and" in sentence.words[found.object.last :]:
        return None
    subject = book.lowered(sentence.between(found.subject.first, found.subject.last))
    able = sentence.between(found.object.first, end)
    return f"With {subject}, {able} can {sentence.between(end + 1, sentence.stop)}"


def tense(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """What will happen said of the present: "will ignore" as "ignores"."""
    sentence = source.tagged
    found = main_clause(sentence)
    if found is None or sentence.words[found.verb] != "will" or is_pronoun(sentence, found.subject):
        return
    after = sentence.tokens[found.verb + 1]
    if after.tag in ("VVI", "VBI", "VHI") and not {"then", "now", "soon"} & set(sentence.words):
        joined = range(found.after, sentence.stop - 1)
        if any(
            sentence.words[i] in (",", "and", "or") and sentence.tokens[i + 1].tag in ("VVI", "VVB")
            for i in joined
        ):
            return
        form = agreed(after.lower, is_plural(sentence, found.subject))
        yield claim(sentence.replaced(found.verb, found.verb + 2, form), source)


def combined(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A true claim of another transformation, transformed again."""
    for made in _changed_once(source, book, draw):
        again = replace(source, text=made.text)
        for make in (possessive, parenthesis_dropped, reworded, tense, list_shortened):
            for other in make(again, book, draw):
                yield claim(other.text, *made.cited)


def combined_with_synonym(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A true claim of another transformation, with a synonym too."""
    for made in _changed_once(source, book, draw):
        for text in with_synonym(TaggedSentence(made.text)):
            yield claim(text, *made.cited)


def _changed_once(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    for make in (clause, relative, adjunct_dropped, list_shortened, passive, moved, predicate,
                 marker_dropped, tense, reworded, parenthesis_dropped, possessive):  # fmt: skip
        yield from make(source, book, draw)


def two_synonyms(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """Two words replaced by synonyms."""
    for first in with_synonym(source.tagged):
        for text in with_synonym(TaggedSentence(first)):
            if sum(word not in source.tagged.words for word in TaggedSentence(text).words) > 1:
                yield claim(text, source)
                break


def two_entries(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """Two entries of a list said in one sentence."""
    mine = entry(source)
    for other in source.neighbours if mine else ():
        theirs = entry(other)
        if mine and theirs:
            first, second = (f"{name} {involve(name)} {what}" for name, what in (theirs, mine))
            yield claim(f"{first}, and {second}", other, source)
            return


def two_sentences(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """Two sentences that stand side by side said in one."""
    before = source.before
    if before is None:
        return
    if not (before.is_statement and before.stands_alone and source.is_statement):
        return
    fine = all(
        main_clause(each.tagged) and "," not in each.text and ":" not in each.text
        for each in (before, source)
    )
    if fine and len(before.text.split()) + len(source.text.split()) <= 30:
        yield claim(f"{before.text.rstrip('.')}, and {book.lowered(source.text)}", before, source)
