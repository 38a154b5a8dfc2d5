"""Does the checker keep what the evidence says, and drop what it does not?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from functions.answer.chain import judge_flagged
from functions.answer.checking import check_claims, support_for
from functions.answer.context import Context, context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.words import terms_of
from functions.answer.writing import DraftClaim, Writer
from functions.book.block_sentences import sentences_of
from functions.book.chunks import ChunkPart, ChunkSentence
from quoth.evaluate.figures import percentile, share
from quoth.evaluate.rows import read_rows


async def evaluate_grounding(file: Path, writer: Writer | None = None) -> dict[str, Any]:
    """fpr (unsupported accepted), fnr (supported rejected), by kind and source, ms per answer.

    A row is accepted when every sentence of its response is kept as a claim on the sentences of
    the context that support it best. With a writer, it judges the claims that the rules flag.
    """
    rows = read_rows(file, {"context": str, "response": str, "supported": bool})
    outcomes: list[tuple[dict[str, Any], bool]] = []
    took: list[float] = []
    for row in rows:
        context = _context(row["context"])
        started = time.perf_counter()
        accepted = await accepts(row["response"], context, writer)
        took.append((time.perf_counter() - started) * 1000)
        outcomes.append((row, accepted))
    unsupported = [accepted for row, accepted in outcomes if not row["supported"]]
    supported = [accepted for row, accepted in outcomes if row["supported"]]
    fpr, fnr = (
        share(sum(unsupported), len(unsupported)),
        share(sum(not accepted for accepted in supported), len(supported)),
    )
    return {
        "n": len(rows),
        "fpr": fpr,
        "fnr": fnr,
        "balanced_accuracy": round(1 - (fpr + fnr) / 2, 4),
        "by_kind": _wrong_by("kind", outcomes),
        "by_source": _wrong_by("source", outcomes),
        "ms_p50": round(percentile(took, 0.5), 2),
        "ms_p95": round(percentile(took, 0.95), 2),
    }


async def accepts(response: str, context: Context, writer: Writer | None) -> bool:
    """Whether the checker keeps a whole response as claims on a context."""
    claims = [DraftClaim(text, support_for(text, context)) for text in _statements(response)]
    checks = check_claims(claims, context)
    if writer is not None:
        checks = await judge_flagged(checks, context, writer, Deadline.after(60.0))
    return bool(checks) and all(check.passed for check in checks)


def _statements(response: str) -> list[str]:
    """The sentences of a response; one without a content word ("Yes.") goes with the next."""
    statements: list[str] = []
    opening = ""
    for each in sentences_of("paragraph", response):
        opening = f"{opening} {each.text}".strip()
        if terms_of(opening):
            statements.append(opening)
            opening = ""
    if opening:
        statements = [*statements[:-1], f"{statements[-1]} {opening}"] if statements else [opening]
    return statements


def _context(text: str) -> Context:
    sentences = tuple(ChunkSentence(each.text, 1, 1) for each in sentences_of("paragraph", text))
    return context_of_selection((ChunkPart(0, "paragraph", 0, len(text), 1, "", sentences),))


def _wrong_by(field: str, outcomes: list[tuple[dict[str, Any], bool]]) -> dict[str, float]:
    """The share of wrong verdicts per value of a field; both sides of one value counted apart."""
    groups: dict[str, list[bool]] = {}
    for row, accepted in outcomes:
        if name := row.get(field):
            side = "supported" if row["supported"] else "unsupported"
            groups.setdefault(f"{name} {side}" if field == "source" else name, []).append(
                accepted != row["supported"]
            )
    return {name: share(sum(wrong), len(wrong)) for name, wrong in sorted(groups.items())}
