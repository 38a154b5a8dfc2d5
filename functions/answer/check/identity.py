"""Sentences that only give a thing its name: "That is steam turbines.", "It was a treaty." Pure.

What such a sentence points at stands elsewhere, so that its few words prove nothing: they may stand
anywhere in the evidence. The name must stand there as it is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from functions.answer.text.words import terms_of

MOST_TERMS = 4
"""Content words of a name; longer predicates are judged by their words."""
_IDENTITY = re.compile(
    r"(?:^|[.!?][\"”’)]*\s+)(?:(?:so|thus|hence|therefore|in short),?\s+)?"
    r"(?:that|this|it|these|those|they|he|she|the answer)\s+(?:is|are|was|were)\s+"
    r"(?:(?:also|simply|called|named|known as)\s+)*(?P<name>[^.!?;:]+)",
    re.IGNORECASE,
)


def names_another(text: str, evidence: Sequence[str]) -> bool:
    """Whether a sentence of a text names a thing by words that stand nowhere together."""
    given = [terms_of(each) for each in evidence]
    return any(
        0 < len(name) <= MOST_TERMS and not any(_holds(each, name) for each in given)
        for found in _IDENTITY.finditer(text)
        if (name := terms_of(found.group("name")))
    )


def _holds(terms: Sequence[str], name: Sequence[str]) -> bool:
    size = len(name)
    return any(tuple(terms[at : at + size]) == tuple(name) for at in range(len(terms) - size + 1))
