"""Judges what a golden question was answered. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from functions.answer.answers import Citation
from functions.book.chunks.chunk import StoredChunk
from functions.book.fold import fold_text
from functions.web.responses import QueryResponse
from quoth.golden.questions import GoldenQuestion, Place
from quoth.statistics import share

_MARKS = re.compile(r"[*_`]|\[\d+\]")
SHOWN = 160


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its result. `why` is empty where the author's demands are met.

    `in_place` and `has_phrases` are None where nothing is asked of them.
    """

    asked: GoldenQuestion
    answered: bool
    in_place: bool | None
    has_phrases: bool | None
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether readers get what they should; phrases, whose wording may differ, do not count."""
        if self.asked.wanted == "refusal":
            return not self.answered
        return self.answered and self.in_place is not False


def judge(asked: GoldenQuestion, places: Sequence[Place], response: QueryResponse) -> Judged:
    """Compare a response with what its question wants. Any one of `places` will do."""
    answered = response.status in ("answered", "partial")
    if asked.wanted == "refusal":
        why = f"answered, and should be refused: {_told(response)}" if answered else ""
        return Judged(asked, answered, None, None, why)
    if not answered:
        return Judged(asked, False, False if places else None, None, _why_not(response))
    in_place = None
    if places:
        in_place = any(is_in(place, each) for place in places for each in response.citations)
    missing = missing_phrases(asked.phrases, response)
    why = ""
    if places and not in_place:
        names = " or ".join(place.name for place in places)
        cited = ", ".join(f"{each.source_path} › {each.section}" for each in response.citations)
        why = f"answered from {cited or 'nowhere'}, not from {names}: {_told(response)}"
    elif missing:
        why = f"lacks “{missing[0]}”: {_told(response)}"
    return Judged(asked, True, in_place, not missing if asked.phrases else None, why)


def missing_phrases(phrases: Sequence[str], response: QueryResponse) -> list[str]:
    """The phrases that neither the text nor a quote of the response has."""
    quotes = [quote.exact for each in response.citations for quote in each.quotes]
    text = "\n".join(_folded(each) for each in (response.response, " ".join(quotes), *quotes))
    return [phrase for phrase in phrases if _folded(phrase) not in text]


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """Counts, and shares of 0 to 1; a share of nothing is left out."""

    def of(wanted: str, kind: str = "") -> list[Judged]:
        return [
            each for each in judged if each.asked.wanted == wanted and kind in ("", each.asked.kind)
        ]

    answers, overviews = of("answer"), of("overview")
    near, outside = of("refusal", "near-scope"), of("refusal", "out-of-book")
    phrased = [each for each in answers if each.asked.phrases]
    found: dict[str, Any] = {
        "n": len(judged),
        "n_answer": len(answers),
        "n_near_scope": len(near),
        "n_out_of_book": len(outside),
        "n_overview": len(overviews),
    }
    for name, group, counted in (
        ("answered", answers, [each for each in answers if each.answered]),
        ("answered_in_place", answers, [each for each in answers if each.holds]),
        ("phrases_present", phrased, [each for each in phrased if each.has_phrases]),
        ("near_scope_answered", near, [each for each in near if each.answered]),
        ("out_of_book_answered", outside, [each for each in outside if each.answered]),
        ("overview_answered", overviews, [each for each in overviews if each.holds]),
    ):
        if group:
            found[name] = share(len(counted), len(group))
    return found | {"failed": sum(not each.holds for each in judged)}


def newly_failing(before: Iterable[tuple[str, bool]], judged: Iterable[Judged]) -> list[Judged]:
    """The questions that held before, (question, held), and fail now."""
    held = {question for question, holds in before if holds}
    return [
        each
        for each in judged
        if each.asked.wanted != "refusal" and not each.holds and each.asked.question in held
    ]


def is_in(place: Place, citation: Citation) -> bool:
    """Whether a citation lies in a section or under it. It may begin above its first line."""
    return (
        citation.source_path == place.source_path
        and place.first_line <= citation.lines[1]
        and citation.lines[0] <= place.last_line
    )


def holds_chunk(place: Place, chunk: StoredChunk) -> bool:
    """Whether a chunk, or a part of it, lies in a section or under it."""
    return chunk.source_path == place.source_path and any(
        place.first_line <= sentence.last_line and sentence.first_line <= place.last_line
        for part in chunk.parts
        for sentence in part.sentences
    )


def _why_not(response: QueryResponse) -> str:
    confidence = response.metadata.confidence
    closest = response.refusal.closest if response.refusal else []
    near = f"; closest: {closest[0].title} ({closest[0].url})" if closest else ""
    return f"{response.status} at confidence {confidence:.2f}{near}"


def _told(response: QueryResponse) -> str:
    text = " ".join(response.response.split())
    return f"“{text[:SHOWN]}{'…' if len(text) > SHOWN else ''}”"


def _folded(text: str) -> str:
    return fold_text(_MARKS.sub("", text)).casefold()
