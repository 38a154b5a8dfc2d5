"""Unsupported claims: one word or operator of a sentence changed, added or dropped."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tools.evaluate.claims.book_sentences import Book, BookSentence
from tools.evaluate.claims.claim import Claim, claim
from tools.evaluate.claims.inflection import agreed, bare_verb, verb
from tools.evaluate.claims.lexicon import (
    ADDED_FACTS,
    COMPARISONS,
    NUMBERS,
    OPPOSITES,
    QUANTIFIERS,
    UNITS,
)
from tools.evaluate.claims.phrases import (
    Clause,
    clause_at,
    is_plural,
    is_pronoun,
    main_clause,
    noun_phrase,
)
from tools.evaluate.claims.tagged_sentence import NAME, TaggedSentence

_NEGATIONS = frozenset(
    "not n't no never none nothing nobody neither nor without cannot unless hardly rarely "
    "only except".split()
)
_GENERAL = frozenset("all every each any both most some many few several no only either".split())
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?\Z")
_LABELS = frozenset(
    "chapter section listing figure table version step edition line rust es".split()
)
_BEFORE_DEGREES = frozenset(
    "the a how so too as not n't these those for more less most very".split()
)
_STATIVE = frozenset("want think wonder notice be have know seem find like recall remember".split())


def opposite(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """One word replaced by its opposite."""
    sentence = source.tagged
    for at, word in enumerate(sentence.words):
        other = OPPOSITES.get(word)
        if other is None or other in sentence.words or _is_part_of_name(sentence, at):
            continue
        if word in ("with", "without", "single", "first", "left", "right", "end", "read", "top"):
            continue
        if word in ("before", "after", "start", "write", "always") and at == 0:
            continue
        yield claim(sentence.replaced(at, at + 1, _cased(other, sentence.tokens[at].text)), source)


def comparison(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A comparison turned: "larger than" as "smaller than"."""
    sentence = source.tagged
    for at, word in enumerate(sentence.words):
        other = COMPARISONS.get(word)
        near = sentence.words[at + 1 : at + 5]
        if other is None or other in sentence.words or ("than" not in near and word == "later"):
            continue
        before = sentence.words[at - 1] if at else ""
        if before in ("no", "any", "once", "the") or near[:1] in (("or",), ("information",)):
            continue
        if "than" in near or (sentence.tokens[at].tag in ("AJC", "AV0") and word != "later"):
            text = _cased(other, sentence.tokens[at].text)
            yield claim(sentence.replaced(at, at + 1, text), source)
    for low, high in (("at least", "at most"), ("at most", "at least"), ("up to", "at least")):
        if re.search(rf"\b{low} (?:\d|an?\b|{'|'.join(NUMBERS)}|one)", source.text):
            yield claim(source.text.replace(low, high, 1), source)


def quantifier(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A quantifier made stronger: "all" for "most", "always" for "usually"."""
    sentence = source.tagged
    for at, word in enumerate(sentence.words):
        other = QUANTIFIERS.get(word)
        if other is None or at + 1 >= len(sentence.tokens):
            continue
        before = sentence.words[at - 1] if at else ""
        if before in _BEFORE_DEGREES:
            continue
        token, after = sentence.tokens[at], sentence.tokens[at + 1]
        if word in ("most", "many", "several", "some", "few"):
            found = noun_phrase(sentence, at)
            plural = found is not None and sentence.tokens[found.head].tag == "NN2"
            if not plural or token.tag == "AV0" or after.tag == "AV0":
                continue
        if word in ("almost", "nearly") and after.lower not in ("all", "every", "always", "never"):
            continue
        text = _cased(other, token.text) if other else ""
        yield claim(sentence.replaced(at, at + 1, text), source)
    if sentence.words[0] in ("all", "every", "each") and not _negated(sentence):
        found = noun_phrase(sentence, 0)
        if found and sentence.words[1] not in ("of", "the", "these", "this", "three", "time"):
            yield claim(sentence.replaced(0, 1, "No"), source)


def number_of_neighbour(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A number replaced by that of another thing nearby."""
    sentence = source.tagged
    own = set(sentence.words)
    here = list(_numbers(sentence))
    for other in source.neighbours[:4]:
        values = [value for _, value in _numbers(other.tagged) if value.lower() not in own]
        for at, value in here:
            fitting = [each for each in values if each[0].isdigit() == value[0].isdigit()]
            if fitting:
                text = _cased(fitting[0], value)
                yield claim(sentence.replaced(at, at + 1, text), source)
                return
    for at, value in here:
        if value.lower() in NUMBERS[:10]:
            others = [each for each in NUMBERS[:8] if each not in own]
            text = _cased(draw.choice(others), value)
        elif _NUMBER.match(value) and value not in ("0", "1"):
            text = str(int(float(value.replace(",", ""))) + draw.choice((2, 3, 5, 10)))
        else:
            continue
        yield claim(sentence.replaced(at, at + 1, text), source)


def unit(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A unit of measure replaced by another."""
    sentence = source.tagged
    for pair in UNITS:
        for one, other in (pair.split(), pair.split()[::-1]):
            for at, token in enumerate(sentence.tokens):
                after_number = at > 0 and sentence.tokens[at - 1].tag == "CRD"
                if token.text == one and after_number and other not in sentence.words:
                    yield claim(sentence.replaced(at, at + 1, other), source)
                elif re.fullmatch(rf"\d{{1,3}}(?:\.\d+)?-?{one}", token.text):
                    text = token.text[: -len(one)] + other
                    yield claim(sentence.replaced(at, at + 1, text), source)


def hedge_dropped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A hedge left out: "may restart" as "restarts"."""
    sentence = source.tagged
    for at, word in enumerate(sentence.words):
        if word in (
            "probably",
            "possibly",
            "perhaps",
            "presumably",
            "apparently",
            "supposedly",
        ) and not {"not", "n't"} & set(sentence.words[max(0, at - 2) : at]):
            yield claim(sentence.replaced(at, at + 1, ""), source)
        if (
            word == "likely"
            and sentence.words[at + 1 : at + 2] == ("to",)
            and sentence.words[at - 1] not in ("more", "less", "most", "not")
        ):
            yield claim(sentence.replaced(at, at + 1, "certain"), source)
    for found in _clauses(sentence):
        hedge = sentence.words[found.verb]
        generic = sentence.words[found.subject.head] in ("you", "we")
        if hedge in ("may", "might", "could") and found.main > found.verb and not generic:
            text = _without_modal(sentence, found)
            if text:
                yield claim(text, source)
        base = bare_verb(hedge, sentence.tokens[found.verb].tag)
        if base in ("seem", "appear", "tend") and sentence.words[found.after : found.after + 1] == (
            "to",
        ):
            follows = sentence.tokens[found.after + 1]
            if follows.tag in ("VVI", "VBI", "VVB"):
                text = agreed(follows.lower, _is_many(sentence, found))
                yield claim(sentence.replaced(found.verb, found.after + 2, text), source)


def modal_changed(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """What can be done said to be a duty, and a duty said to be none."""
    sentence = source.tagged
    for found in _clauses(sentence):
        word = sentence.words[found.verb]
        after = sentence.tokens[found.verb + 1]
        if after.tag == "XX0" or (after.tag == "AV0" and after.lower in ("only", "never")):
            continue
        if found.main > found.verb and sentence.words[found.main] in _STATIVE - {"be", "have"}:
            continue
        if word in ("can", "should"):
            yield claim(sentence.replaced(found.verb, found.verb + 1, "must"), source)
        elif word == "must":
            yield claim(sentence.replaced(found.verb, found.verb + 1, "need not"), source)


def negation_added(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """The main verb negated."""
    sentence = source.tagged
    found = main_clause(sentence)
    if found is None or _negated(sentence) or sentence.words[0] in _GENERAL:
        return
    word, tag = sentence.words[found.verb], sentence.tokens[found.verb].tag
    if found.is_simple() and tag in ("VVZ", "VVB"):
        base = bare_verb(word, tag)
        helper = "does not" if tag == "VVZ" else "do not"
        yield claim(sentence.replaced(found.verb, found.verb + 1, f"{helper} {base}"), source)
    elif word in ("is", "are", "can", "must", "will", "should", "was", "were"):
        yield claim(sentence.replaced(found.verb, found.verb + 1, f"{word} not"), source)


def negation_dropped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A negation left out."""
    sentence = source.tagged
    words, tokens = sentence.words, sentence.tokens
    for at, token in enumerate(tokens):
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        if after in ("only", "just", "necessarily", "so", "yet", "even", "all", "every"):
            continue
        if token.tag == "XX0" and before in ("do", "does", "did"):
            follows = tokens[at + 1]
            if follows.tag in ("VVI", "VVB", "VHI", "VBI"):
                base = follows.lower
                forms = {"do": base, "does": verb(base).third, "did": verb(base).past}
                yield claim(sentence.replaced(at - 1, at + 2, forms[before]), source)
        elif token.tag == "XX0" and before in (
            "is", "are", "was", "were", "can", "ca", "will", "wo", "should", "must", "would",
        ):  # fmt: skip
            full = {"ca": "can", "wo": "will"}.get(before, before)
            yield claim(sentence.replaced(at - 1, at + 1, full), source)
        elif token.lower == "no" and after == "longer":
            yield claim(sentence.replaced(at, at + 2, ""), source)


def only_added(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """What is said of a thing said of it only."""
    sentence = source.tagged
    found = main_clause(sentence)
    if found is None or is_pronoun(sentence, found.subject) or _negated(sentence):
        return
    if sentence.words[0] in _GENERAL | {"the", "this", "these", "there", "another", "other"}:
        return
    if sentence.words[found.verb] in ("can", "will", "may", "is", "are") or found.is_simple():
        yield claim("Only " + book.lowered(source.text), source)


def fact_added(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A fact added that the book does not have."""
    sentence = source.tagged
    if main_clause(sentence) is None or len(sentence.words) > 25 or _negated(sentence):
        return
    yield claim(f"{source.text.rstrip('.')}, {draw.choice(ADDED_FACTS)}", source)


def neighbour_name(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A name replaced by another of a sentence nearby."""
    sentence = source.tagged
    here = [at for at, token in enumerate(sentence.tokens) if _is_name(token.text, token.tag, book)]
    for other in source.neighbours[:3]:
        names = [
            token.text
            for token in other.tagged.tokens
            if _is_name(token.text, token.tag, book) and token.text not in source.text
        ]
        for at in here:
            kind = _shape(sentence.tokens[at].text)
            fitting = [name for name in names if _shape(name) == kind]
            alone = not any(
                0 <= near < len(sentence.tokens) and sentence.tokens[near].tag == NAME
                for near in (at - 1, at + 1)
            )
            if fitting and alone and sentence.words.count(sentence.words[at]) == 1:
                yield claim(sentence.replaced(at, at + 1, draw.choice(fitting)), source)


def _clauses(sentence: TaggedSentence) -> Iterator[Clause]:
    """The clauses that can be read: the sentence's, and those after a comma or conjunction."""
    for at in range(sentence.stop):
        opens = at == 0 or sentence.words[at - 1] in (",", ";", "and", "but", "because", "so")
        if opens and (found := clause_at(sentence, at, sentence.stop)):
            yield found


def _is_many(sentence: TaggedSentence, found: Clause) -> bool:
    """Whether the subject takes a plural verb."""
    head = sentence.words[found.subject.head]
    return is_plural(sentence, found.subject) or head in ("you", "we", "they")


def _without_modal(sentence: TaggedSentence, found: Clause) -> str | None:
    words, tokens = sentence.words, sentence.tokens
    plural = _is_many(sentence, found)
    at = found.verb + 1
    helper = ""
    if tokens[at].tag == "XX0":
        if words[found.verb] == "could":
            return None
        helper = "do not" if plural else "does not"
        at += 1
    while tokens[at].tag == "AV0":
        if words[at] in ("also", "even", "well", "just", "only"):
            return None
        at += 1
    first = tokens[at]
    if first.tag not in ("VVI", "VBI", "VHI", "VVB") or words[at] in _STATIVE - {"be", "have"}:
        return None
    if helper:
        form = ("are not" if plural else "is not") if words[at] == "be" else f"{helper} {words[at]}"
    else:
        form = agreed(words[at], plural)
    return sentence.replaced(found.verb, at + 1, form)


def _numbers(sentence: TaggedSentence) -> Iterator[tuple[int, str]]:
    """Numbers that count or measure, with their positions."""
    for at, token in enumerate(sentence.tokens):
        before = sentence.words[at - 1] if at else ""
        after = sentence.words[at + 1] if at + 1 < len(sentence.words) else ""
        if before in _LABELS or before in ("between", "from", "the") or after in ("and", "to"):
            continue
        if (_NUMBER.match(token.text) or token.lower in NUMBERS) and before not in ("and", "to"):
            yield at, token.text


def _negated(sentence: TaggedSentence) -> bool:
    return bool(_NEGATIONS.intersection(sentence.words))


def _cased(text: str, like: str) -> str:
    return text[0].upper() + text[1:] if like[:1].isupper() and text else text


def _is_part_of_name(sentence: TaggedSentence, at: int) -> bool:
    token = sentence.tokens[at]
    return at > 0 and token.text[0].isupper()


def _is_name(text: str, tag: str, book: Book) -> bool:
    return (
        tag == NAME and len(text) > 1 and (text.lower() in book.capitalised or not text.isalpha())
    )


def _shape(name: str) -> str:
    """Names of one shape can stand for each other: \\gdef and \\def, parse() and split()."""
    if name.isalpha():
        return "word"
    return re.sub(r"\w+", "a", name)
