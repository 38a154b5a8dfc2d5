"""The expected answer type of a question: who asks for a person, when for a time, how many for a
number. A sentence close to the question that names none does not answer it. English; pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from functions.answer.context import Context
from functions.answer.question import read_question
from functions.answer.relevance import score_words
from functions.answer.text.words import LazyPattern, stem

WITHOUT_TYPE = 0.05
"""The most that a selection's confidence is where no sentence is of the type."""
CLOSE = 0.7
"""Sentences are looked at that fit the question at least this share as well as the best one."""
WORDS_SHARE = 0.6
"""What a sentence's words count beside its cosine."""

_LEAD = r"\W*(?:(?:in|at|on|to|for|by|with|from|of|since|until) )?"
_WHO = LazyPattern(rf"{_LEAD}(?:who|whom|whose)\b", re.IGNORECASE)
_WHEN = LazyPattern(
    rf"{_LEAD}(?:when|(?:what|which) (?:year|date|century|decade|month|day))\b", re.IGNORECASE
)
_HOW_MANY = LazyPattern(
    rf"{_LEAD}how (?:many|much|long|old|far|often|tall|fast|big|large|high|deep|heavy)\b",
    re.IGNORECASE,
)
_TIME = LazyPattern(
    r"\b\d{3,4}s?\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:january|february|march|april|may|june|july|"
    r"august|september|october|november|december|centur\w+|decades?|years?|bc|ad|days?|weeks?|"
    r"months?|winter|summer|spring|autumn|war|age|era|period|after|before|during|once|when|"
    r"as soon|since|until|now|today|early|late|times?|beginning|start\w*|end)\b",
    re.IGNORECASE,
)
_NUMBER = LazyPattern(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|"
    r"fifty|dozens?|hundreds?|thousands?|millions?|billions?|half|third|quarter|both|several|few|"
    r"many|most|single|once|twice|no|none|all|long|short|every|daily|always|never)\b",
    re.IGNORECASE,
)
_ROLE = LazyPattern(
    r"\b(?:\w+(?:ists?|[tc]ians?)|(?:engineer|research|teach|farm|work|lead|mak|own|develop|read|"
    r"writ|design|play|us)ers?|(?:auth|invent|act|edit|profess|doct|invest|govern|operat)ors?|"
    r"men|man|women|woman|people|persons?|king|queen|pope|emperor|president|son|wife|husband|"
    r"daughter|father|mother|brother|sister|lawyers?|students?|members?|group|company|companies|"
    r"government|army|family|children|church|team|university|institute)\b",
    re.IGNORECASE,
)
_PRONOUN_SOON = LazyPattern(r"(?:\W*\w+,? ){0,3}(?:he|she|his|her|they|their|it|this)\b", re.I)
_ADDRESS = LazyPattern(r"\S@\w")
_CAPITAL = LazyPattern(r"(?<![.!?:\"“] )(?<!^)\b[A-Z][a-z][\w'’-]*|\b[A-Z][a-z]+ [A-Z][a-z]+")


def has_answer_type(question: str, context: Context) -> bool:
    """Whether a sentence that is close to the question, or one that it goes on from, names what the
    question asks for; True where it asks for nothing of a type."""
    fits = _type_of(question, context)
    if fits is None or not context.sentences:
        return True
    words = score_words(read_question(question), context)
    scores = [
        WORDS_SHARE * share + (sentence.similarity or 0.0)
        for sentence, share in zip(context.sentences, words, strict=True)
    ]
    least = CLOSE * max(scores)
    texts = [sentence.text for sentence in context.sentences]
    return any(
        fits(text) or (at > 0 and _PRONOUN_SOON.match(text) and fits(texts[at - 1]))
        for at, (text, score) in enumerate(zip(texts, scores, strict=True))
        if score >= least
    )


def _type_of(question: str, context: Context) -> Callable[[str], bool] | None:
    """Whether a text names what the question asks for, as a function."""
    if _WHO.match(question):
        return _persons(question, context)
    if _WHEN.match(question):
        return lambda text: _TIME.search(text) is not None
    if _HOW_MANY.match(question):
        return lambda text: _NUMBER.search(text) is not None
    return None


def _persons(question: str, context: Context) -> Callable[[str], bool]:
    """Names are words with a capital inside a sentence that are not asked about; elsewhere in the
    context they are known again at the start of one. An abbreviation names no person."""
    asked = {stem(word.lower()) for word in re.findall(r"\w+", question)}
    given = {
        word
        for sentence in context.sentences
        for name in _CAPITAL.finditer(sentence.text)
        for word in re.findall(r"[A-Z][a-z]\w*", name[0])
        if stem(word.lower()) not in asked
    }
    return lambda text: (
        not given.isdisjoint(re.findall(r"[A-Z]\w+", text))
        or _ROLE.search(text) is not None
        or _ADDRESS.search(text) is not None
    )
