"""Names that a question asks after and the book never mentions, in any spelling. English. Pure.

A book cannot say how fast Cassie runs when it never mentions Cassie, however close its sentences on
other robots are: other words have synonyms, a name hardly ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from functions.answer.check.entity_names import SourceWords, names_are_given
from functions.answer.check.facts import read_statement
from functions.answer.context import Context
from functions.answer.text.words import (
    STOP_WORDS,
    common_stems,
    fold,
    is_misspelt,
    is_ordinary,
    kindred,
    match_each,
    stem,
)

SHORTEST = 4
"""Letters of a rare word in small letters; shorter ones are abbreviations of all kinds."""
_ENGLISH = re.compile(
    r"\b(?:what|who|whose|when|where|why|how|which|does|did|the)\b", re.IGNORECASE
)
"""Other languages have capitals where English has none."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")
_CODE = re.compile(r"```.*?(?:```|$)|`[^`]*`", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_AROUND = re.compile(r"^\d+|\d+$")


def rare_words(question: str) -> tuple[str, ...]:
    """The words of a question that are not ordinary English, folded: to be looked up in the book.

    Digits around a word are left out ("ROS2" is about "ROS"), and so is code, where readers name
    things as they like.
    """
    return tuple(dict.fromkeys(word for word, _ in _rare(question)))


def unknown_names(question: str, context: Context) -> tuple[tuple[str, ...], ...]:
    """The words of each name that a question asks after and nothing in the context mentions, and
    its rare words that are nowhere in the book. Empty in other languages."""
    asked, told = _asked_and_told(question)
    if not _ENGLISH.search(asked):
        return ()
    introduced = {word for name in read_statement(told).names for word in name}
    found = dict.fromkeys((*_missing_names(asked, context), *_absent_words(asked, context)))
    unknown = [name for name in found if not introduced & set(name)]
    if not unknown:
        return ()
    texts = (sentence.text for sentence in context.sentences)
    words = SourceWords([*texts, *context.headings, *context.languages])
    return tuple(name for name in unknown if not names_are_given([name], words))


def _asked_and_told(question: str) -> tuple[str, str]:
    """The sentences that ask, and those before in which the reader may introduce a name."""
    sentences = _SENTENCE_ENDS.split(question.strip())
    asking = [each for each in sentences if each.endswith("?")] or sentences[-1:]
    return " ".join(asking), " ".join(each for each in sentences if each not in asking)


def _missing_names(asked: str, context: Context) -> Iterator[tuple[str, ...]]:
    """The words that the context lacks, of each name in capitals."""
    first, *later = re.findall(r"[^\W\d_]{2,}", asked) or [""]
    if any(word[0].isupper() and word.lower() in STOP_WORDS for word in later):
        return  # in title case
    if is_ordinary(fold(first)) and first.istitle():
        asked = asked.replace(first, first.lower(), 1)
    for name in read_statement(asked).names:
        terms = tuple(stem(word) for word in name)
        kin = kindred(terms, context.vocabulary)
        given = (
            match_each(*each, [context.vocabulary])[0] for each in zip(terms, kin, strict=True)
        )
        if missing := tuple(word for word, hit in zip(name, given, strict=True) if not hit):
            yield missing


def _absent_words(asked: str, context: Context) -> Iterator[tuple[str, ...]]:
    """The rare words that the book lacks, without misspellings of common words and of the book's
    own; a word in capitals is no misspelt common one."""
    for word, is_name in _rare(asked):
        known = context.vocabulary if is_name else context.vocabulary | common_stems()
        if word in context.absent and not is_misspelt(word, known):
            yield (word,)


def _rare(question: str) -> Iterator[tuple[str, bool]]:
    """Each rare word of a question, and whether it is written as a name."""
    for written in _WORD.findall(_CODE.sub(" ", question)):
        bare = _AROUND.sub("", written)
        word = fold(bare)
        is_name = not bare.islower()
        if word.isalpha() and len(word) >= (2 if is_name else SHORTEST) and not is_ordinary(word):
            yield word, is_name
