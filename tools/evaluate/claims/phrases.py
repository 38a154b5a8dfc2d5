"""Noun phrases and simple clauses, found in tagged words; what is not certain is not found."""

from __future__ import annotations

from dataclasses import dataclass

from tools.evaluate.claims.tagged_sentence import BE, FINITE, NOUNS, SINGULAR, TaggedSentence, Token

_DETERMINERS = frozenset({"AT0", "DT0", "DPS"})
_MODIFIERS = frozenset({"AJ0", "AJC", "AJS", "CRD", "ORD", "VVN", "VVG", "POS", *NOUNS})
_LINKS = frozenset("in for from with on at to inside within between".split())
_NOT_SUBJECTS = frozenset(
    "there here way ways case cases reason reasons time times lot lots thing things".split()
)
_AUXILIARIES = frozenset({"VM0", "VBZ", "VBB", "VBD", "VHZ", "VHB", "VHD", "VDZ", "VDB", "VDD"})
_MAIN = frozenset({"VVZ", "VVB", "VVD"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """Tokens `first` to `last` (not included), and the position of the noun that heads it."""

    first: int
    last: int
    head: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: subject, verb group, object and the rest, as positions in the sentence.

    `verb` is the finite verb: the lexical one, or the first auxiliary. `after` is where the verb
    group ends. `object` is a noun phrase right after it.
    """

    first: int
    last: int
    subject: Phrase
    verb: int
    main: int
    after: int
    object: Phrase | None

    def is_simple(self) -> bool:
        """Whether the verb stands alone."""
        return self.verb == self.main


def is_plural(sentence: TaggedSentence, phrase: Phrase) -> bool:
    """Whether a phrase takes a plural verb."""
    words = sentence.words[phrase.first : phrase.last]
    return sentence.tokens[phrase.head].tag == "NN2" or (
        words[0] not in ("a", "an", "each", "every", "this", "that") and "and" in words
    )


def noun_phrase(sentence: TaggedSentence, at: int, *, linked: bool = True) -> Phrase | None:
    """The longest noun phrase that starts at a position; with `linked`, its "of" phrases too."""
    tokens = sentence.tokens
    end, head = at, None
    while end < len(tokens):
        token = tokens[end]
        begins = end == at
        opens = token.tag in _DETERMINERS and begins and token.lower not in ("that", "no")
        counts = token.tag in ("DT0", "CRD", "ORD") and head is None and token.lower != "that"
        if opens or counts:
            end += 1
        elif token.tag in _MODIFIERS and not (begins and token.tag in ("VVN", "VVG", "POS")):
            if token.tag in ("VVN", "VVG") and head is not None:
                break
            if token.is_noun:
                head = end
            end += 1
        elif token.lower in ("more", "very", "most") and head is None and not begins:
            end += 1
        else:
            break
    if head is None:
        return None
    last = head + 2 if head + 1 < end and tokens[head + 1].tag == "CRD" else head + 1
    if linked and last < len(tokens) and tokens[last].lower == "of":
        inner = noun_phrase(sentence, last + 1)
        return Phrase(at, inner.last, head) if inner else None
    return Phrase(at, last, head)


def clause_at(sentence: TaggedSentence, first: int, last: int) -> Clause | None:
    """The clause that fills tokens `first` to `last`, if its subject and verb are plain."""
    tokens = sentence.tokens
    subject = _subject(sentence, first)
    if subject is None:
        return None
    at = subject.last
    while at < last and tokens[at].tag == "AV0" and tokens[at].lower not in ("not", "that"):
        at += 1
    if at >= last:
        return None
    verb = at
    if tokens[at].tag in _AUXILIARIES:
        at += 1
        while at < last and tokens[at].tag in ("XX0", "AV0"):
            at += 1
        if at < last and tokens[at].tag in ("VBI", "VHI", "VDI", "VBN", "VHN"):
            at += 1
            while at < last and tokens[at].tag == "AV0":
                at += 1
        is_verb = at < last and tokens[at].tag in ("VVI", "VVN", "VVG", "VVD", "VVB")
        main = at if is_verb else at - 1
    elif tokens[at].tag in _MAIN:
        main = at
    else:
        return None
    if not _agree(sentence, subject, tokens[verb]):
        return None
    after = main + 1
    found = noun_phrase(sentence, after) if after < last else None
    if found and found.last > last:
        return None
    return Clause(first, last, subject, verb, main, after, found)


def _subject(sentence: TaggedSentence, at: int) -> Phrase | None:
    tokens = sentence.tokens
    if at >= len(tokens):
        return None
    if tokens[at].lower in ("you", "we", "i", "it", "they", "he", "she"):
        return Phrase(at, at + 1, at)
    found = noun_phrase(sentence, at)
    if found is None or tokens[found.head].lower in _NOT_SUBJECTS:
        return None
    if found.last < len(tokens) and tokens[found.last].lower in _LINKS:
        inner = noun_phrase(sentence, found.last + 1)
        return Phrase(at, inner.last, found.head) if inner else None
    if found.last < len(tokens) and tokens[found.last].lower == "and":
        inner = noun_phrase(sentence, found.last + 1)
        return Phrase(at, inner.last, found.head) if inner else None
    return found


def _agree(sentence: TaggedSentence, subject: Phrase, verb: Token) -> bool:
    """Whether a present verb has the number of its subject: what does not is mistagged."""
    head = sentence.tokens[subject.head]
    word = verb.lower
    if head.tag == "PNP":
        singular = head.lower in ("it", "he", "she")
    elif head.tag in SINGULAR and "and" not in sentence.words[subject.first : subject.last]:
        singular = True
    else:
        singular = False
    if verb.tag == "VVZ" or word in ("is", "was", "has", "does"):
        return singular
    if verb.tag == "VVB" or word in ("are", "were", "have", "do"):
        return not singular
    return verb.tag in ("VM0", "VVD") or word in BE


def main_clause(sentence: TaggedSentence) -> Clause | None:
    """The clause that the whole sentence is, when it starts with its subject."""
    return clause_at(sentence, 0, sentence.stop)


def is_pronoun(sentence: TaggedSentence, phrase: Phrase) -> bool:
    return sentence.tokens[phrase.head].tag == "PNP"


def finite_verbs(sentence: TaggedSentence, first: int, last: int) -> list[int]:
    """The positions of finite verbs."""
    return [at for at in range(first, last) if sentence.tokens[at].tag in FINITE]
