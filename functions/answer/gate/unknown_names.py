"""Names that a question asks after and that nothing found for it mentions. Pure, English.

A book cannot say how fast Cassie runs when it never speaks of Cassie, however near its sentences on
other robots stand. Other words of a question may be said in other words; a name hardly ever.
"""

from __future__ import annotations

import re

from functions.answer.check.entity_names import SourceWords, names_stand
from functions.answer.check.facts import read_statement
from functions.answer.context import Context
from functions.answer.text.words import STOP_WORDS, kindred, match_each, stem

_ENGLISH = re.compile(
    r"\b(?:what|who|whose|when|where|why|how|which|does|did|the)\b", re.IGNORECASE
)
"""Other languages have capitals where English has none."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")


def unknown_names(question: str, context: Context) -> tuple[tuple[str, ...], ...]:
    """The words of each such name that are unknown, folded; none where capitals tell no names."""
    unknown = []
    for name in _names_asked(question):
        terms = tuple(stem(word) for word in name)
        kin = kindred(terms, context.vocabulary)
        given = (
            match_each(*each, [context.vocabulary])[0] for each in zip(terms, kin, strict=True)
        )
        if missing := tuple(word for word, hit in zip(name, given, strict=True) if not hit):
            unknown.append(missing)
    if not unknown:
        return ()
    words = SourceWords([*(sentence.text for sentence in context.sentences), *context.headings])
    return tuple(name for name in unknown if not names_stand([name], words))


def _names_asked(question: str) -> tuple[tuple[str, ...], ...]:
    """The names in what is asked, without those that a reader speaks of before asking."""
    sentences = _SENTENCE_ENDS.split(question.strip())
    asking = [each for each in sentences if each.endswith("?")] or sentences[-1:]
    asked = " ".join(asking)
    _, *later = re.findall(r"[^\W\d_]{2,}", asked) or [""]
    in_title_case = any(word[0].isupper() and word.lower() in STOP_WORDS for word in later)
    if in_title_case or not _ENGLISH.search(asked):
        return ()
    told = " ".join(each for each in sentences if each not in asking)
    introduced = {word for name in read_statement(told).names for word in name}
    return tuple(name for name in read_statement(asked).names if not introduced & set(name))
