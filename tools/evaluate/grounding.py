"""Does the checker keep what the evidence says, and drop what it does not?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.answer.chain import judge_flagged
from functions.answer.check.check_claims import NO_CLAIM, Check, check_claims
from functions.answer.check.facts import claims_something
from functions.answer.context import Context, context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.text.words import terms_of
from functions.answer.write.writer import DraftClaim, Writer
from functions.book.chunks.chunk import ChunkPart, ChunkSentence
from functions.book.sentences.block_sentences import sentences_of
from quoth.embeddings.minilm import MiniLM
from quoth.json_lines import read_rows
from quoth.statistics import Timer, share
from tools.evaluate.similarity_recipe import is_similar
from tools.evaluate.support import support_for


@dataclass(frozen=True, slots=True)
class Outcome:
    """One row: what it is, whether it is supported, and what became of its response."""

    row: dict[str, Any]
    accepted: bool

    @property
    def supported(self) -> bool:
        return bool(self.row["supported"])


async def evaluate_grounding(
    file: Path, writer: Writer | None = None, *, peer: bool = True
) -> dict[str, Any]:
    """fpr (unsupported accepted), fnr (supported rejected), by kind and source, ms per answer.

    A row is accepted when every sentence of its response is kept as a claim on the sentences of
    the context that support it best. With a writer, it judges the claims that the rules flag.
    `flagged` counts the rows of which a claim goes to that judge, `with_perfect_entailment` is
    what would be left if it never erred; `…_all_flags` the same if everything the rules flag went
    there. It does not, because the model that judges is the one that wrote. `similarity_recipe`
    is the check by cosine or keywords, on the same rows, unless `peer` is False. `ms` are of
    processor time, which others on the machine change little; `wall_ms_p95` is what passed.
    """
    rows = read_rows(file, {"context": str, "response": str, "supported": bool})
    outcomes: list[Outcome] = []
    settled, all_settled = _Settled(lambda check: check.is_paraphrase), _Settled(_could_be_judged)
    took = Timer()
    for row in rows:
        context = _context(row["context"])
        with took:
            checks = check_response(row["response"], context)
        settled.add(row, checks)
        all_settled.add(row, checks)
        if writer is not None:
            checks = await judge_flagged(checks, context, writer, Deadline.after(60.0))
        outcomes.append(Outcome(row, all(check.passed for check in checks)))
    return {
        **_shares(outcomes),
        "by_kind": _wrong_by("kind", outcomes),
        "by_source": _wrong_by("source", outcomes),
        **took.figures(),
        **settled.figures(""),
        **all_settled.figures("_all_flags"),
        **({"similarity_recipe": _measure_recipe(rows)} if peer else {}),
    }


class _Settled:
    """What a judge that never errs would settle, of the claims it is given."""

    def __init__(self, is_given: Callable[[Check], bool]) -> None:
        self._is_given = is_given
        self._outcomes: list[Outcome] = []
        self._flagged = {True: 0, False: 0}

    def add(self, row: dict[str, Any], checks: Sequence[Check]) -> None:
        given = [self._is_given(check) for check in checks]
        self._flagged[row["supported"]] += any(given)
        kept = (c.passed or (row["supported"] and g) for c, g in zip(checks, given, strict=True))
        self._outcomes.append(Outcome(row, all(kept)))

    def figures(self, suffix: str) -> dict[str, Any]:
        return {
            f"flagged{suffix}": sum(self._flagged.values()),
            f"flagged_supported{suffix}": self._flagged[True],
            f"flagged_unsupported{suffix}": self._flagged[False],
            f"with_perfect_entailment{suffix}": _shares(self._outcomes),
        }


def _could_be_judged(check: Check) -> bool:
    return not check.passed and not set(check.failed) & NO_CLAIM


def check_response(response: str, context: Context) -> list[Check]:
    """The checks of a whole response, each sentence of it a claim. Never empty.

    Bare answers ("1907") are judged by what they say: the sets hold them for questions, an answer
    that is shown does not.
    """
    claims = [DraftClaim(text, support_for(text, context)) for text in _statements(response)]
    return check_claims(claims, context, bare=True)


def _measure_recipe(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    outcomes: list[Outcome] = []
    took = Timer()
    with closing(MiniLM()) as model:
        model.encode(["The first call is slower than the others."])
        for row in rows:
            with took:
                accepted = is_similar(model, row["response"], row["context"])
            outcomes.append(Outcome(row, accepted))
    return {
        **_shares(outcomes),
        "by_kind": _wrong_by("kind", outcomes),
        "by_source": _wrong_by("source", outcomes),
        **took.figures(),
    }


def _statements(response: str) -> list[str]:
    """The sentences of a response that say something; one without a content word of its own ("It
    is so.") goes with the next. The response itself when none does."""
    statements: list[str] = []
    opening = ""
    for each in sentences_of("paragraph", response):
        opening = f"{opening} {each.text}".strip()
        if claims_something(opening):
            statements.append(opening)
            opening = ""
        elif terms_of(opening):
            opening = ""
    return statements or [response]


def _context(text: str) -> Context:
    sentences = tuple(ChunkSentence(each.text, 1, 1) for each in sentences_of("paragraph", text))
    return context_of_selection((ChunkPart(0, "paragraph", 0, len(text), 1, "", sentences),))


def _shares(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    unsupported = [each.accepted for each in outcomes if not each.supported]
    supported = [each.accepted for each in outcomes if each.supported]
    fpr = share(sum(unsupported), len(unsupported))
    fnr = share(len(supported) - sum(supported), len(supported))
    return {
        "n": len(outcomes),
        "fpr": fpr,
        "fnr": fnr,
        "balanced_accuracy": round(1 - (fpr + fnr) / 2, 4),
    }


def _wrong_by(field: str, outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The share of wrong verdicts per value of a field; both sides of one value counted apart."""
    groups: dict[str, list[bool]] = {}
    for outcome in outcomes:
        if name := outcome.row.get(field):
            side = "supported" if outcome.supported else "unsupported"
            groups.setdefault(f"{name} {side}" if field == "source" else name, []).append(
                outcome.accepted != outcome.supported
            )
    return {name: share(sum(wrong), len(wrong)) for name, wrong in sorted(groups.items())}
