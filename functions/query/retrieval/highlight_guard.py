"""The last look at an answer from a highlighted range, apart from how it was gathered."""

from __future__ import annotations

from dataclasses import replace

from functions.answer.answers import Answer
from functions.answer.cite import cite, marked_text
from functions.answer.context import Context, Sentence
from functions.answer.refusals import REFUSALS
from functions.query.retrieval.highlight_range import BlockRange
from functions.runtime.logs import logger

Place = tuple[str, int]


def keep_inside(answer: Answer, context: Context, within: BlockRange | None) -> Answer:
    """The answer without the claims that rest on a block outside, and with the count of those.

    Blocks outside that the writer saw and nobody cites count as well. The count is 0, unless the
    cutting is broken; else it is logged. Without a range there is no outside.
    """
    if within is None:
        return answer
    places = {sentence.id: _place(sentence, context) for sentence in context.sentences}
    outside = {place for place in places.values() if not within.holds(*place)}
    if not outside:
        return answer
    logger().error("blocks outside the range", blocks_outside=len(outside))
    answer = replace(answer, blocks_outside=len(outside))
    passed = [check for check in answer.checks if check.passed]
    kept = [
        check for check in passed if all(places[i] not in outside for i in check.claim.sentence_ids)
    ]
    if answer.refusal is not None or len(kept) == len(passed):
        return answer
    if not kept:
        return replace(
            answer,
            status="refused",
            refusal="not_grounded",
            text=REFUSALS["not_grounded"],
            claims=(),
            citations=(),
        )
    claims, citations = cite(kept, context)
    return replace(
        answer, status="partial", text=marked_text(claims), claims=claims, citations=citations
    )


def _place(sentence: Sentence, context: Context) -> Place:
    chunk = context.sources[sentence.source].chunk
    return (chunk.source_path if chunk else "", sentence.block)
