"""Reads a question together with the one before it ("and how is it measured?"). Pure, English.

One principle: the question keeps its words, and the earlier subject is put beside them. Which
subject, and whether one is needed, is measured: the reading that the book answers best is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from functions.adapters.postgres.admission import PreviousQuestion
from functions.answer.context import Context, Sentence
from functions.answer.relevance import sets_a_task
from functions.answer.rewriter import Rewritten
from functions.answer.text.words import (
    STOP_WORDS,
    LazyPattern,
    matches,
    stem,
    term_set,
    terms_of,
    weight,
    words_of,
)
from functions.answer.write.told import Told

Request = Literal["", "more", "example", "reason", "simpler"]

REQUESTS: dict[Request, frozenset[str]] = {
    "simpler": frozenset(
        "simple simpler simply plain plainly easier easy layman clearer mean means meaning get "
        "understand understood sense".split()
    ),
    "example": frozenset("example examples instance instances illustrate illustration".split()),
    "reason": frozenset("why reason reasons".split()),
    "more": frozenset(
        "more else further continue elaborate expand detail details deeper go on additional".split()
    ),
}
"""Words that ask something of what was asked before, by what they ask; the first that fits."""
_NO_SUBJECT = frozenset(
    "please give show let see want like need word words term terms say said info information thing "
    "things something anything bit way another one ones come case sure think know".split()
)
_JOINERS = frozenset("and but or so then also".split())
_ANAPHORS = frozenset(
    "it its itself they them their theirs themselves this that these those he him his she her "
    "hers such there".split()
)
_HERE = LazyPattern(
    r"\b(?:this|that|these|those) (?:\w+ )?(?:book|chapter|page|section|text|passage|lesson|part|"
    r"figure|table|diagram|exercise|document|paragraph|unit|course)s?\b",
    re.IGNORECASE,
)
_EXAMPLE = LazyPattern(r"\b(?:for (?:example|instance)|examples?|e\.g\.|such as)", re.IGNORECASE)
_REASON = LazyPattern(
    r"\b(?:because|since|so that|due to|reasons?|therefore|thus|hence|in order to|as a result|"
    r"to (?:avoid|keep|prevent|protect|reduce|save|ensure)|otherwise)\b",
    re.IGNORECASE,
)
_DEFINES = LazyPattern(
    r"\b(?:is|are|means?|refers? to|denotes?)\b(?= (?:an?|the|any|one|when|how|what|that)\b)"
)
_ALSO = LazyPattern(r", or |\(|, also ")
_MOST = 0.7
"""The share of a subject's words, by weight, that a block must have to be about it."""
_OTHER = LazyPattern(
    r"(?:(?:and|or|but),? (?:(?:what|how) about )?|(?:what|how) about )"
    r"(?P<new>(?!.*\b(?:what|which|who|when|where|why|how|is|are|was|were|do|does|did|can|could|"
    r"will|would|should|it|they|its|their)\b).{2,60})",
    re.IGNORECASE,
)
"""What the earlier question is asked of as well: "And the hip?"."""
_MOST_WORDS = 16
_LONGEST_SUBJECT = 120
_SPECIFIC = 0.5
"""The weight of a heading's words that make a subject."""

REWRITTEN: dict[Request, str] = {
    "more": "Tell me more about {about}",
    "example": "An example of {about}",
    "reason": "Why? ({about})",
    "simpler": "Define {about}",
}
ASK_BACK = (
    "Please say what you mean: this question names nothing that could be looked up in the book."
)
WHICH_PART = "Which part do you want to read more of?"
LINES: dict[Request, str] = {
    "": "I found nothing on this in the book: “{about}”.",
    "more": "I found nothing more in the book on “{about}”.",
    "example": "I found no example in the book of “{about}”.",
    "reason": "I found no reason for this in the book.",
    "simpler": (
        "I can only quote the book, which says nothing simpler on “{about}”. You can ask what a "
        "word means, or for an example."
    ),
}
"""What is said when the book has no more to a request."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that may need the one before it.

    `request`: what it asks of the earlier subject. `alone`: it names something of its own, so that
    it may need nothing.
    """

    question: str
    request: Request
    alone: bool


def read_follow_up(question: str) -> FollowUp | None:
    """What a question may need of an earlier one; None where it names its own subject."""
    words = words_of(_HERE.sub("", question))
    if not words or len(words) > _MOST_WORDS:
        return None
    asked = {name: known & {*words} for name, known in REQUESTS.items()}
    framing = _NO_SUBJECT.union(STOP_WORDS, *REQUESTS.values())
    own = {stem(word) for word in words if word not in framing}
    if own:
        refers = words[0] in _JOINERS or not _ANAPHORS.isdisjoint(words) or len(own) == 1
        return FollowUp(question, "", True) if refers else None
    bare: Request = "more" if {*words} <= _JOINERS else ""
    return FollowUp(question, next((name for name, found in asked.items() if found), bare), False)


def readings(follow_up: FollowUp, previous: PreviousQuestion) -> list[Rewritten]:
    """How the question may be meant, the likeliest first: with the earlier subject, with all that
    was asked, as it stands."""
    subject, whole = subject_of(previous), phrase_of(previous.question)
    if not subject:
        return []
    question = follow_up.question.strip(" .!?…")
    if request := follow_up.request:
        beside = whole if request == "reason" else subject
        return [Rewritten(REWRITTEN[request].format(about=beside), subject)]
    # Of a follow-up all that was asked is its subject with words of another question.
    other = subject if previous.about and follow_up.alone else whole
    found = [
        Rewritten(f"{question}? ({each})", subject) for each in dict.fromkeys((subject, other))
    ]
    if not follow_up.alone:
        return found
    if (asked := _OTHER.fullmatch(question)) and subject in previous.question:
        named = re.compile(rf"(?:(?:the|an?) )?{re.escape(subject)}", re.IGNORECASE)
        found = [Rewritten(named.sub(lambda _: asked.group("new"), previous.question, count=1))]
    return [*found, Rewritten(follow_up.question)]


def subject_of(previous: PreviousQuestion) -> str:
    """What was asked about: its subject if it had none of its own, the words that a heading over
    its answer has too, else all it names."""
    if previous.about:
        return previous.about
    words = _bare_words(previous.question)
    best: tuple[float, int, int] = (0.0, 0, 0)
    for heading in previous.headings:
        terms = term_set(heading)
        for first in range(len(words)):
            total = 0.0
            for last in range(first, len(words)):
                own = term_set(words[last])
                if any(not matches(term, terms) for term in own):
                    break
                total += sum(map(weight, own))
                if own and term_set(words[first]):
                    best = max(best, (total, -last, first))
    total, last, first = best
    if total < _SPECIFIC:
        return phrase_of(previous.question)
    while first and term_set(words[first - 1]) and words[first - 1].lower() not in STOP_WORDS:
        first -= 1  # "ankle" before "strategy"
    return " ".join(words[first : 1 - last])[:_LONGEST_SUBJECT]


def phrase_of(question: str) -> str:
    """A question from its first content word to its last, without its pronouns."""
    words = _bare_words(question)
    if words and words[0].lower() == "how" and words[1:2] != ["to"]:
        words = words[2:]  # "how long", "how does"
    words = [word for word in words if word.lower() not in _ANAPHORS]
    named = [at for at, word in enumerate(words) if term_set(word)]
    return " ".join(words[named[0] : named[-1] + 1])[:_LONGEST_SUBJECT] if named else ""


def _bare_words(question: str) -> list[str]:
    return [bare for word in question.split() if (bare := word.strip(" .,;:!?…()\"'“”‘’«»"))]


def fresh(context: Context, told: Told, request: Request, about: str) -> Context:
    """The context of a request: blocks that name the subject, without exercises and what was told,
    of a list or a table not even the rest. For an example or a reason the blocks with one, for
    simpler words the sentences that say what the subject is."""
    seen = {_block(each) for each in context.sentences if told.has(each)}
    sentences = [
        each
        for each in context.sentences
        if not (told.has(each) or sets_a_task(each, context))
        and (each.kind == "paragraph" or _block(each) not in seen)
    ]
    if request == "simpler":
        sentences = [each for each in sentences if _defines(each.text, term_set(about))]
    else:
        wanted = {"example": _EXAMPLE, "reason": _REASON}.get(request)
        blocks: set[tuple[int, int]] = set()
        for each in sentences:
            own = {_block(each)}
            if request == "example" and each.kind == "code":
                own.add((each.source, each.block - 1))
            elif own <= blocks or (wanted and not wanted.search(each.text)):
                continue
            said = [other.text for other in sentences if _block(other) in own]
            if names(about, " ".join((*said, context.headings[each.source]))):
                blocks |= own
        sentences = [each for each in sentences if _block(each) in blocks]
    return replace(context, sentences=tuple(sentences))


def names(about: str, text: str) -> bool:
    """Whether a text has most of a subject's words, by weight."""
    terms, given = term_set(about), term_set(text)
    total = sum(map(weight, terms))
    return sum(weight(term) * matches(term, given) for term in terms) >= _MOST * total


def _block(sentence: Sentence) -> tuple[int, int]:
    return sentence.source, sentence.block


def _defines(text: str, subject: frozenset[str]) -> bool:
    """Whether a sentence says what its own subject is, with at most another name for it."""
    verb = _DEFINES.search(text)
    if verb is None:
        return False
    before = text[: verb.start()]
    named = terms_of(before)
    return subject <= {*named} and (len(named) == len(subject) or _ALSO.search(before) is not None)
