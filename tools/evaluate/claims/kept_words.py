"""Supported claims: a sentence with a word left out or replaced, and its meaning kept."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tools.evaluate.claims.book_sentences import Book, BookSentence
from tools.evaluate.claims.changed_clauses import entry, involve
from tools.evaluate.claims.claim import Claim, claim
from tools.evaluate.claims.inflection import Verb, verb
from tools.evaluate.claims.lexicon import MARKERS, PHRASES, SYNONYMS
from tools.evaluate.claims.phrases import is_plural, is_pronoun, main_clause, noun_phrase
from tools.evaluate.claims.tagged_sentence import TaggedSentence

_FORMS = {
    form: (base, at) for base, kind in SYNONYMS if kind == "V" for at, form in enumerate(verb(base))
}
_BEFORE_VERBS = frozenset("TO0 VM0 XX0 AV0 PNP CJC PUN VDB VDZ VDD NN1 NN2 NP0".split())
_UNLIKE = {
    ("change",): ("", ".", ":", ","),
    ("allow", "permit"): ("for",),
    ("need",): ("to",),
    ("use", "employ", "using"): ("-", "up", "out", "to", "in", "on", "at"),
}
"""Words before which a verb has another meaning than its synonym."""
_FILLERS = frozenset("also very simply actually basically essentially".split())
_AT = {"VVZ": 1, "VVB": 0, "VVI": 0, "VVD": 2, "VVN": 3}
_COLLECTIVE = frozenset(
    "between combine combines combining both three four five six seven two all only namely consist "
    "consists respectively together into among not no never without except same different merge "
    "than either neither unless divided".split()
)
_EXPLETIVE = re.compile(
    r"^It(?:['’]s| is| was| can be| may be| might be| turns| seems| appears| takes| follows"
    r"| happens| looks| would| should be| makes sense| doesn['’]t matter)\b"
)
_PARENTHESIS = re.compile(r" \((?!s\))[^()]{3,120}\)")


def synonym(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A common word replaced by another of the same meaning."""
    for text in with_synonym(source.tagged):
        yield claim(text, source)
    for phrase, text in PHRASES.items():
        if found := re.search(rf"(?i)(?<![\w-]){phrase}(?![\w-])", source.text):
            other = _cased(text, found[0])
            replaced = source.text[: found.start()] + other + source.text[found.end() :]
            yield claim(replaced, source)


def with_synonym(sentence: TaggedSentence) -> Iterator[str]:
    """The text with one word replaced, once for each word that can be."""
    for at, token in enumerate(sentence.tokens):
        text = _verb_synonym(token.lower, token.tag) or SYNONYMS.get((token.lower, token.tag))
        if not text or text == token.lower or text in sentence.words or _in_name(sentence, at):
            continue
        if not _may_replace(sentence, at, text):
            continue
        replaced = sentence.replaced(at, at + 1, _cased(text, token.text))
        yield _articles(replaced)


def _may_replace(sentence: TaggedSentence, at: int, text: str) -> bool:
    """Whether the synonym is one in this construction."""
    token = sentence.tokens[at]
    after = sentence.words[at + 1] if at + 1 < len(sentence.words) else ""
    if token.tag == "VVI" and at and sentence.tokens[at - 1].tag not in _BEFORE_VERBS:
        return False
    before = sentence.tokens[at - 1] if at else None
    following = sentence.tokens[at + 1] if at + 1 < len(sentence.tokens) else None
    near = [each for each in (before, following) if each is not None]
    if token.tag.startswith("NN") and any(each.is_noun for each in near):
        return False  # part of a term: "web components"
    if before is not None and before.lower in ("more", "most", "less", "least"):
        return False
    if " " in text and token.tag == "AV0":
        return after == "."
    return not any(
        token.lower.startswith(stems) and after in marks for stems, marks in _UNLIKE.items()
    )


def marker_dropped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """The word that joins a sentence to the text before it left out."""
    for marker in MARKERS:
        rest = source.text.removeprefix(marker)
        if rest != source.text and main_clause(TaggedSentence(rest)):
            yield claim(rest, source)
    inner = re.sub(r", (?:however|therefore|then|too|though|of course|in fact),", "", source.text)
    if inner != source.text:
        yield claim(inner, source)


def list_shortened(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """A list without one of its members."""
    sentence = source.tagged
    words, tokens = sentence.words, sentence.tokens
    if "respectively" in words:
        return
    for at in range(3, sentence.stop - 1):
        if words[at] not in ("and", "or") or words[at - 1] != ",":
            continue
        examples = re.search(r"(?:such as|like|including|,? e\.g\.)(?: [^;:]*)?$",
                             sentence.text[: tokens[at].start])  # fmt: skip
        if words[at] == "or" and not examples:
            continue
        if (not examples and _COLLECTIVE.intersection(words[:at])) or tokens[at + 1].tag in (
            "PNP", "CJS", "AV0", "EX0",
        ):  # fmt: skip
            continue
        commas = [i for i in range(at - 1) if words[i] == ","]
        if not commas:
            continue
        member = (commas[-1] + 1, at - 1)
        verbs = _is_verb_member(sentence, *member) and tokens[at + 1].tag == tokens[member[0]].tag
        if verbs or (_is_member(sentence, *member) and not clause_after(sentence, at + 1)):
            yield claim(sentence.replaced(commas[-1], at, " "), source)
            if len(commas) > 1 and commas[-1] - commas[-2] == 2 and member[1] - member[0] <= 2:
                yield claim(sentence.replaced(commas[-2], commas[-1], ""), source)
    yield from _pair_shortened(source)


def _is_verb_member(sentence: TaggedSentence, first: int, last: int) -> bool:
    """Whether it is one verb in a row of verbs: "perceive, reason, and act"."""
    tag = sentence.tokens[first].tag
    return last == first + 1 and tag in ("VVI", "VVG") and sentence.tokens[first - 2].tag == tag


def _pair_shortened(source: BookSentence) -> Iterator[Claim]:
    """ "… checks types and lifetimes." without the second."""
    sentence = source.tagged
    words = sentence.words
    found = main_clause(sentence)
    if found is None or found.object is None or _COLLECTIVE.intersection(words) - {"not", "or"}:
        return
    end = found.object.last
    if words[end : end + 1] == ("and",):
        other = noun_phrase(sentence, end + 1)
        single = found.object.last - found.object.first <= 2
        head = sentence.tokens[found.object.head].tag
        if other and other.last - other.first > 1 and head != "NN2":
            return
        if (
            other
            and other.last == sentence.stop
            and "of" not in words[found.object.first : end]
            and (single or sentence.tokens[found.object.first].tag == "AT0")
        ):
            yield claim(sentence.between(0, end), source)
    if words[end : end + 1] == ("or",) and {"not", "n't"} & set(words[: found.after]):
        other = noun_phrase(sentence, end + 1)
        if other and other.last == sentence.stop:
            yield claim(sentence.between(0, end), source)


def pronoun_resolved(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """The pronoun at the start replaced by the subject of the sentence before."""
    sentence, before = source.tagged, source.before
    if sentence.words[0] not in ("it", "they") or before is None or not before.is_statement:
        return
    if sentence.words[1].startswith("'"):
        return
    found = main_clause(before.tagged)
    if found is None or is_pronoun(before.tagged, found.subject) or _EXPLETIVE.match(source.text):
        return
    subject = found.subject
    plural = is_plural(before.tagged, subject)
    nouns = [token for token in before.tagged.tokens if token.is_noun]
    rivals = [token for token in nouns if (token.tag == "NN2") == plural]
    if plural != (sentence.words[0] == "they") or main_clause(sentence) is None:
        return
    if "and" in before.tagged.words[subject.first : subject.last] or len(rivals) > 5:
        return
    text = before.tagged.between(subject.first, subject.last)
    if len(text.split()) <= 6 and not text.startswith(("A ", "An ", "Each ", "Every ", "No ")):
        yield claim(sentence.replaced(0, 1, text), before, source)


def parenthesis_dropped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """What stands in parentheses left out."""
    for found in _PARENTHESIS.finditer(source.text):
        inside = found[0].lower()
        if any(
            word in inside
            for word in (
                "unless",
                "except",
                "only",
                "not ",
                "if ",
                "or ",
                "n't",
                "option",
                "may",
                "usually",
                "respect",
                "sometimes",
                "often",
                "rather",
            )
        ):
            continue
        yield claim(source.text[: found.start()] + source.text[found.end() :], source)


def filler_dropped(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """An adverb that says nothing left out."""
    sentence = source.tagged
    negated = {"not", "n't", "no", "never", "nor"}
    for at, token in enumerate(sentence.tokens[:-1]):
        after, before = sentence.tokens[at + 1], sentence.words[:at]
        if not before or token.lower not in _FILLERS or negated & set(before[-6:]):
            continue
        is_verb = after.tag.startswith("V") or after.tag == "AT0"
        fits = {"also": before[-1] not in ("but", ","), "very": after.tag == "AJ0"}
        if fits.get(token.lower, token.tag == "AV0" and is_verb):
            yield claim(sentence.replaced(at, at + 1, ""), source)


def entry_as_sentence(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """An entry of a list said as a sentence, whole or without its second half."""
    if found := entry(source):
        name, what = found
        yield claim(f"{name} {involve(name)} {what}", source)
        first, _, second = what.partition(" and ")
        if re.match(r"[a-z]+ing [a-z]", second) and len(first.split()) > 1 and "," not in what:
            yield claim(f"{name} {involve(name)} {first}", source)
            yield claim(f"{name} {involve(name)} {second}", source)


def clause_after(sentence: TaggedSentence, at: int) -> bool:
    """Whether what starts here has a finite verb: a clause, or a verb phrase."""
    end = next(
        (i for i in range(at, sentence.stop) if sentence.words[i] in (",", ";")), sentence.stop
    )
    first = sentence.tokens[at].tag
    return first in ("VVZ", "VVB", "VVI", "VVG", "VVN", "VVD", "VM0", "TO0") or any(
        sentence.tokens[i].tag in ("VVZ", "VVD", "VBZ", "VBB", "VM0", "VHZ", "VDZ", "VVB")
        for i in range(at, end)
    )


def _is_member(sentence: TaggedSentence, first: int, last: int) -> bool:
    """Whether tokens are a bare member of a list: a noun phrase, and nothing else."""
    found = noun_phrase(sentence, first)
    before = sentence.tokens[first - 2] if first > 1 else None
    return found is not None and found.last == last and before is not None and before.is_noun


def _verb_synonym(word: str, tag: str) -> str | None:
    found = _FORMS.get(word)
    if found is None or tag not in _AT:
        return None
    base, _ = found
    other = SYNONYMS[base, "V"]
    first, *rest = other.split()
    forms: Verb = verb(first)
    return " ".join([forms[_AT[tag]], *rest])


def _articles(text: str) -> str:
    text = re.sub(r"\b([Aa])n (?=(?:[bcdfgjklmnpqrstvwxyz]|use|us[a-z]))", r"\1 ", text)
    return re.sub(r"\b([Aa]) (?=(?:[aeio][a-z]|ess))(?!one\b|once\b)", r"\1n ", text)


def _cased(text: str, like: str) -> str:
    return text[0].upper() + text[1:] if like[:1].isupper() else text


def _in_name(sentence: TaggedSentence, at: int) -> bool:
    return at > 0 and sentence.tokens[at].text[:1].isupper()
