"""Does a question need more than quoting? Pure; English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from functions.answer.relevance import covered, read_question
from functions.answer.text.words import term_set

TOGETHER = 0.7
"""Share of a comparison's words that one quote must hold to be the comparison itself."""

_WORKED_OUT = re.compile(
    r"^\W*(?:(?:please|can you|could you|now)\W+)?(?:calculate|compute|work out|add up|convert)\b"
    r"|\b(?:in total|altogether|how much (?:more|less)|how many (?:more|fewer)|"
    r"what (?:is|was) the (?:sum|average|product|ratio) of)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:compare[ds]?|comparing|contrast|differ(?:s|ences?)?(?= between| from|\b.{0,40}\bfrom\b)|"
    r"versus|vs|advantages? of .{1,60} over|(?:better|worse|faster|slower|larger|smaller|older|"
    r"younger|cheaper|safer|easier|harder|stronger|weaker|more \w+|less \w+) than)\b",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"^\W*(?:why\b|(?:explain|tell me) why\b|what (?:caused|causes)\b|how come\b)", re.I
)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|reasons?|causes?|caused|so that|in order to|as a result|"
    r"results? (?:in|from)|leads? to|led to|therefore|thus|hence|consequently|thanks to|"
    r"makes? it|allows?|prevents?|to (?:avoid|keep|make|prevent|protect|reduce|save|ensure))\b",
    re.IGNORECASE,
)


def needs_more_than_quotes(question: str, quotes: Sequence[str]) -> bool:
    """Whether what was asked has to be worked out from the quotes, which do not say it as such.

    A sum or a conversion always has to; a comparison unless one quote holds both sides; a reason
    unless a quote gives one.
    """
    if not quotes:
        return False
    if _WORKED_OUT.search(question):
        return True
    if _COMPARED.search(question):
        asked = read_question(question)
        return all(covered(asked, term_set(quote)) < TOGETHER for quote in quotes)
    return _WHY.search(question) is not None and not any(map(_REASON.search, quotes))
