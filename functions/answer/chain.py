"""The answer chain: gate, write, check, cite. Start reading here.

`answer_from` turns a question and the context gathered for it into an answer in which every
claim is tied to sentences of the context. It touches no outside system but the writer it is
given, and does the same for the whole book, a highlighted range and a selection.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Literal

from functions.answer.answers import Answer, Status
from functions.answer.check.check_claims import (
    EMPTY,
    Check,
    check_claims,
    drop_dangling_claims,
)
from functions.answer.cite import cite, marked_text
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import Calibration, Signals, read_signals
from functions.answer.gate.thresholds import GATE
from functions.answer.moderation.prompt_injection import without_orders
from functions.answer.refusals import REFUSALS, RefusalReason
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, Writer, WriterFailed

Scope = Literal["book", "selection"]


async def answer_from(
    question: str,
    context: Context,
    writer: Writer,
    calibration: Calibration,
    scope: Scope,
    deadline: Deadline,
) -> Answer:
    """Answer from the context or refuse. Never raises for what a writer did wrong."""
    no_answer: RefusalReason = "out_of_scope" if scope == "book" else "insufficient_selection"
    started = time.perf_counter()
    if not isinstance(writer, QuoteWriter):
        context = without_orders(context)
    signals = read_signals(question, context)
    confidence = calibration.confidence(signals)
    timings = {"gate": _since(started)}
    refused = Answer("refused", "", confidence, signals, timings_ms=timings)
    if confidence < GATE or not context.sentences:
        return _refuse(refused, no_answer)

    started = time.perf_counter()
    draft, judge, failed = await _write(question, context, writer, deadline)
    timings["write"] = _since(started)
    quotes_only = isinstance(judge, QuoteWriter)
    refused = replace(refused, draft=draft, quotes_only=quotes_only, writer_failed=failed)
    if draft.status == "none":
        return _refuse(refused, no_answer)

    started = time.perf_counter()
    checks = await judge_flagged(check_claims(draft.claims, context), context, judge, deadline)
    checks = drop_dangling_claims(checks)
    kept = [check for check in checks if check.passed]
    timings["check"] = _since(started)
    refused = replace(refused, checks=tuple(checks))
    if not kept:
        return _refuse(refused, "out_of_scope" if scope == "book" else "not_grounded")

    claims, citations = cite(kept, context)
    status: Status = "answered" if _is_whole(draft, checks) else "partial"
    text = marked_text(claims)
    return replace(refused, status=status, text=text, claims=claims, citations=citations)


def _is_whole(draft: Draft, checks: list[Check]) -> bool:
    """Whether nothing is missing: "That is right." is dropped too, but says nothing."""
    return draft.status == "full" and all(c.passed or c.objections == (EMPTY,) for c in checks)


async def _write(
    question: str, context: Context, writer: Writer, deadline: Deadline
) -> tuple[Draft, Writer, bool]:
    """The draft, who wrote it, and whether the writer asked for failed."""
    quotes = writer if isinstance(writer, QuoteWriter) else QuoteWriter()
    if any(s.chunk is not None and s.chunk.policy == "quote-only" for s in context.sources):
        return await quotes.write(question, context, deadline), quotes, False
    try:
        return await writer.write(question, context, deadline), writer, False
    except WriterFailed:
        return await quotes.write(question, context, deadline), quotes, True


async def judge_flagged(
    checks: list[Check], context: Context, judge: Writer, deadline: Deadline
) -> list[Check]:
    """Put the flagged claims to the writer in one call; what it does not confirm stays failed."""
    flagged = [at for at, check in enumerate(checks) if check.is_for_judge]
    if not flagged or isinstance(judge, QuoteWriter):
        return checks
    pairs = [
        (
            checks[at].claim.text,
            " ".join(context.by_id[i].text for i in checks[at].claim.sentence_ids),
        )
        for at in flagged
    ]
    try:
        verdicts = await judge.entails(pairs, deadline)
    except WriterFailed:
        return checks
    judged = list(checks)
    for at, verdict in zip(flagged, verdicts, strict=False):
        if verdict:
            judged[at] = replace(judged[at], confirmed=True)
    return judged


def _refuse(answer: Answer, reason: RefusalReason) -> Answer:
    return replace(answer, refusal=reason, text=REFUSALS[reason])


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)


__all__ = ["Answer", "Scope", "Signals", "answer_from"]
