"""The answer chain: gate, write, check, judge, quote, cite. Start reading here.

`answer_from` turns a question and the context gathered for it into an answer in which every
claim is tied to sentences of the context, and is replaced by them where it is not proven. It
touches no outside system but the writer and the judge it is given, and does the same for the whole
book, a highlighted range and a selection.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Literal

from functions.answer.answers import Answer
from functions.answer.check.check_claims import check_claims, drop_dangling_claims
from functions.answer.cite import cite, marked_text
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.gate.answer_type import WITHOUT_TYPE, has_answer_type
from functions.answer.gate.calibration import Calibration, Signals, read_signals
from functions.answer.gate.thresholds import GATE
from functions.answer.judge import Judge, JudgeFailed, judge_paraphrases
from functions.answer.moderation.prompt_injection import without_orders
from functions.answer.quote_claims import Shown, show_claims
from functions.answer.refusals import RefusalReason, refusal_sentence
from functions.answer.write.quote_writer import QuoteWriter, needs_more_than_quotes
from functions.answer.write.selection_quotes import SelectionQuotes, TaskWriter
from functions.answer.write.writer import Draft, Writer, WriterFailed

Scope = Literal["book", "selection"]


async def answer_from(
    question: str,
    context: Context,
    writer: Writer,
    calibration: Calibration,
    scope: Scope,
    deadline: Deadline,
    judge: Judge | None = None,
) -> Answer:
    """Answer from the context or refuse. Never raises for what a writer or a judge did wrong.

    A claim that does not pass is replaced by the sentences it cites; without a judge, paraphrases
    do not pass. Where nothing of a draft can be shown, the quote writer answers in its place.
    """
    no_answer: RefusalReason = "out_of_scope" if scope == "book" else "insufficient_selection"
    started = time.perf_counter()
    if not isinstance(writer, QuoteWriter):
        context = without_orders(context)
    is_task = isinstance(_quotes_of(writer), SelectionQuotes)
    signals = read_signals(question, context)
    confidence = calibration.confidence(signals)
    if scope == "selection" and not is_task and not has_answer_type(question, context):
        confidence = min(confidence, WITHOUT_TYPE)
    timings = {"gate": _since(started)}
    refused = Answer("refused", "", confidence, signals, timings_ms=timings)
    if confidence < GATE or not context.sentences:
        return _refuse(refused, no_answer, question)

    started = time.perf_counter()
    draft, quotes_only, failed = await _write(question, context, writer, deadline)
    timings["write"] = _since(started)
    refused = replace(refused, draft=draft, quotes_only=quotes_only, writer_failed=failed)
    if draft.status == "none":
        return _refuse(refused, no_answer, question)

    checked = await _check(refused, context, None if quotes_only else judge, deadline)
    # The words of a task say nothing about which sentences bear on it.
    bearing = "" if is_task else question
    shown = show_claims(bearing, checked.checks, context)
    if not shown.claims and not quotes_only:
        draft = await _quotes_of(writer).write(question, context, deadline)
        quotes = tuple(drop_dangling_claims(check_claims(draft.claims, context)))
        shown = show_claims(bearing, quotes, context)
        checked = replace(checked, quotes_only=bool(quotes), draft_rejected=True)
    if not shown.claims:
        reason: RefusalReason = "out_of_scope" if scope == "book" else "not_grounded"
        return _refuse(checked, reason, question)
    return _answered(checked, draft, question, shown, context)


async def _write(
    question: str, context: Context, writer: Writer, deadline: Deadline
) -> tuple[Draft, bool, bool]:
    """The draft, whether the quote writer wrote it, and whether the writer asked for failed."""
    quotes = _quotes_of(writer)
    if any(s.chunk is not None and s.chunk.policy == "quote-only" for s in context.sources):
        return await quotes.write(question, context, deadline), True, False
    try:
        return await writer.write(question, context, deadline), writer is quotes, False
    except WriterFailed:
        return await quotes.write(question, context, deadline), True, True


def _quotes_of(writer: Writer) -> QuoteWriter:
    """The quote writer that stands in for a writer."""
    if isinstance(writer, TaskWriter):
        return writer.quotes
    return writer if isinstance(writer, QuoteWriter) else QuoteWriter()


async def _check(
    answer: Answer, context: Context, judge: Judge | None, deadline: Deadline
) -> Answer:
    """The answer with the checks of its draft, and whether the judge failed."""
    started = time.perf_counter()
    claims = answer.draft.claims if answer.draft else ()
    checks, failed = check_claims(claims, context), False
    answer.timings_ms["check"] = _since(started)
    if judge is not None and any(check.is_for_judge for check in checks):
        started = time.perf_counter()
        try:
            checks = await judge_paraphrases(checks, context, judge, deadline)
        except (JudgeFailed, TimeoutError):
            failed = True
        answer.timings_ms["judge"] = _since(started)
    return replace(answer, checks=tuple(drop_dangling_claims(checks)), judge_failed=failed)


def _answered(
    answer: Answer, draft: Draft, question: str, shown: Shown, context: Context
) -> Answer:
    claims, citations = cite(shown.claims, context)
    texts = [claim.text for claim in claims if claim.verification == "verbatim"]
    all_quotes = bool(shown.quoted) and len(texts) == len(claims)
    needs_more = all_quotes and needs_more_than_quotes(question, texts)
    is_full = draft.status == "full"
    return replace(
        answer,
        status="answered" if is_full and shown.is_whole and not needs_more else "partial",
        text=marked_text(claims, citations),
        claims=claims,
        citations=citations,
        shown=shown.claims,
        quoted=shown.quoted,
        needs_more=needs_more or (answer.quotes_only and not is_full),
    )


def _refuse(answer: Answer, reason: RefusalReason, question: str) -> Answer:
    return replace(answer, refusal=reason, text=refusal_sentence(reason, question))


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)


__all__ = ["Answer", "Scope", "Signals", "answer_from"]
