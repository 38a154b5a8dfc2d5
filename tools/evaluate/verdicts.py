"""What becomes of a false claim under each verdict of the judge: true, false, late, broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from functions.answer.check.check_claims import Check
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.judge import Judge, JudgeFailed, judge_paraphrases
from functions.answer.quote_claims import show_claims
from tools.evaluate.grounding import check_response, context_of, rows_of

Pairs = Sequence[tuple[str, str]]


class ScriptedJudge:
    """A judge with one verdict for all, or one that is late or answers too much."""

    def __init__(self, verdict: str) -> None:
        self._verdict = verdict

    async def entails(self, pairs: Pairs, deadline: Deadline) -> list[bool]:
        if self._verdict == "late":
            raise TimeoutError
        if self._verdict == "broken":
            return [True] * (len(pairs) + 1)
        return [self._verdict == "true"] * len(pairs)


VERDICTS = ("true", "false", "late", "broken")
NOTHING: dict[str, int] = {"n": 0, "proven": 0, "objected": 0, **dict.fromkeys(VERDICTS, 0)}


async def evaluate_verdicts(
    sources: Sequence[Path], say: Callable[[str], None]
) -> dict[str, dict[str, int]]:
    """By kind of unsupported claim: how many there are, how many are proven, objected to, and shown
    as they are under each verdict. In place of every other claim stand the sentences it cites, or
    nothing. Prints a table."""
    kinds: dict[str, dict[str, int]] = {}
    for row in (row for source in sources for row in rows_of(source) if not row["supported"]):
        context = context_of(row["context"])
        checks = check_response(row["response"], context, row.get("cited", ()))
        figures = kinds.setdefault(str(row.get("kind") or "all"), dict(NOTHING))
        figures["n"] += 1
        figures["proven"] += all(check.passed for check in checks)
        figures["objected"] += any(check.objections for check in checks)
        for verdict in VERDICTS:
            shown = await _shown(row, checks, context, ScriptedJudge(verdict))
            figures[verdict] += shown
    kinds = dict(sorted(kinds.items()))
    total = Counter[str]()
    for figures in kinds.values():
        total.update(figures)
    kinds["all"] = {name: total[name] for name in NOTHING}
    say("| kind | claims | proven | objected to | shown: true | false | late | broken |")
    say("|---|---|---|---|---|---|---|---|")
    for kind, figures in kinds.items():
        say(f"| {kind} | {' | '.join(map(str, figures.values()))} |")
    return kinds


async def _shown(
    row: dict[str, Any], checks: Sequence[Check], context: Context, judge: Judge
) -> bool:
    """Whether all of a response is shown as it was written."""
    try:
        judged = await judge_paraphrases(checks, context, judge, Deadline.after(60.0))
    except (JudgeFailed, TimeoutError):
        judged = list(checks)
    shown = show_claims(row.get("question") or row["response"], judged, context)
    written = {check.claim.text for check in judged}
    texts = [check.claim.text for check in shown.claims]
    return not shown.quoted and bool(texts) and written == set(texts)
