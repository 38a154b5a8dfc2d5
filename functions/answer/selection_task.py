"""What a reader wants of a selection whose question names nothing of its own: "explain this",
"tl;dr", "why did this happen?". Pure; English."""

from __future__ import annotations

import re
from typing import Literal

from functions.answer.text.words import stem, terms_of

Task = Literal[
    "explain", "summarise", "code",
    "reason", "drawback", "benefit", "comparison", "example",
    "person", "date",
]  # fmt: skip
WHOLE: tuple[Task, ...] = ("explain", "summarise", "code")
"""Tasks of the selection as a whole. The others ask for one thing in it, which it may lack."""


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_SUMMARISE = _stems(
    "summarise summarize summary tl dr tldr key main major central points ideas message takeaways "
    "gist essence overview short shorter shorten brief briefly recap condense nutshell bottom "
    "conclusion essential important topic"
)
_CODE = _stems(
    "code function snippet script program command method class macro line listing block "
    "implementation output print return run"
)
_ASIDE = _stems(
    "explain explanation mean meaning clarify elaborate understand interpret unpack rephrase "
    "paraphrase reword break eli5 simple simpler simplify plain easy words terms language "
    "text passage paragraph section selection selected highlighted part piece bit sentence excerpt "
    "quote said statement option concept please help give show say talk read go thing stuff work "
    "happen 5 five year old child kid beginner layman detail step like try want need know got "
    "confused idea point sense make exactly basically mention describe do did walk "
    "author book one huh"
)
"""Words that name a task or the selection itself, not what it is about."""
_ONE_THING: dict[Task, frozenset[str]] = {
    "drawback": _stems(
        "downside drawback disadvantage con limit limitation weakness problem risk danger catch "
        "price cost tradeoff trade shortcoming pitfall caveat issue wrong bad"
    ),
    "benefit": _stems("advantage benefit upside pro strength merit good gain"),
    "comparison": _stems(
        "difference different differ compare comparison contrast versus vs distinguish distinction"
    ),
    "example": _stems("example instance illustrate illustration concrete"),
}
_ANY_THING = _stems("two both three kind type sort way option approach variant case important")
"""Words that count or grade what the selection has."""
_WHY = re.compile(
    r"\W*(?:(?:but|and|so)\W+)?(?:why|how come|what (?:caused|causes|led to))\b", re.I
)
_REASON = _stems("cause reason lead matter important useful necessary need")
_WHO = re.compile(r"\W*(?:who|whom|whose|by whom)\b", re.IGNORECASE)
_WHEN = re.compile(r"\W*(?:when|(?:in )?what year|since when)\b", re.IGNORECASE)
_DONE = _stems(
    "invent discover introduce write wrote written develop create make made build built publish "
    "propose find found"
)
_OTHER = re.compile(
    r"\W*(?:which|where|how (?:many|much|long|far|fast|often|old|big|large)|"
    r"is|are|was|were|does|do|did|has|have|should|will)\b",
    re.IGNORECASE,
)
"""Questions for one fact, or for a yes or no: they are never a task."""
_ABOUT = re.compile(r"\babout\W*$", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:explain|describe|tell|what|how|this|that|it|these|those|here)\b", re.IGNORECASE
)


def read_task(question: str, has_code: bool = False) -> Task | None:
    """The task of a question to a selection; None when it names something that is to be found in
    it. `has_code`: whether the selection has code."""
    terms = frozenset(terms_of(question))
    if _WHO.match(question):
        return "person" if terms <= _ASIDE | _DONE else None
    if _WHEN.match(question):
        return "date" if terms <= _ASIDE | _DONE else None
    if _WHY.match(question) or terms & {stem("reason"), stem("cause")}:
        return "reason" if terms <= _ASIDE | _ANY_THING | _REASON else None
    for task, words in _ONE_THING.items():
        if terms & words:
            return task if terms <= _ASIDE | _ANY_THING | words else None
    if not terms <= _ASIDE | _CODE | _SUMMARISE | _ANY_THING or _OTHER.match(question):
        return None
    if not terms and not _ASKS.search(question):
        return None
    if terms & _SUMMARISE or _ABOUT.search(question):
        return "summarise"
    return "code" if terms & _CODE and has_code else "explain"
