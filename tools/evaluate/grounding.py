"""Does the checker keep what the evidence says, and nothing else?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from operator import mul
from pathlib import Path
from typing import Any

from functions.answer.check.check_claims import Check, check_claims
from functions.answer.check.facts import claims_something
from functions.answer.check.verbatim import flat
from functions.answer.context import Context, Sentence, context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.judge import Judge, judge_paraphrases
from functions.answer.overlap import keyword_overlap
from functions.answer.text.synonyms import counterparts
from functions.answer.text.words import term_set, terms_of, weight
from functions.answer.write.writer import DraftClaim
from functions.book.chunks.chunk import ChunkPart, ChunkSentence
from functions.book.sentences.block_sentences import sentences_of
from quoth.embeddings.minilm import MiniLM
from quoth.json_lines import read_rows
from quoth.statistics import Timer, share
from tools.evaluate.claims.generate import claims_of_book, random_swaps_of_book

LONGEST_RUN = 3
MOST_SENTENCES = 5
GAIN = 0.08
"""Share of a text's content that a sentence from elsewhere must add to be taken with the run."""
SPAN_COVERED = 0.5
"""A span of the sentences has all its content there; less than this, and it need not be sought."""
PER_SENTENCE = 0.04
"""What a longer run must add per sentence to be preferred."""


def support_for(text: str, context: Context) -> tuple[str, ...]:
    """The ids of the sentences that carry a text best, in the context's order; at most five.

    They are the best run of up to three sentences of one source, and sentences of the same source
    that say what the run leaves open: a text often joins what stands apart.
    """
    if not context.sentences:
        return ()
    terms = tuple(dict.fromkeys(terms_of(text)))
    weights = [weight(term) for term in terms]
    total = sum(weights) or 1.0
    found = _found(terms, context.sentences)
    first, size = _best_run(text, context.sentences, found, [value / total for value in weights])
    chosen = list(range(first, first + size))
    have = [max(found[at][t] for at in chosen) for t in range(len(terms))]
    source = context.sentences[first].source
    while len(chosen) < MOST_SENTENCES:
        gains = {
            at: sum(value * max(0.0, row[t] - have[t]) for t, value in enumerate(weights))
            for at, row in enumerate(found)
            if context.sentences[at].source == source and at not in chosen
        }
        best = max(gains, key=lambda at: gains[at], default=None)
        if best is None or gains[best] < GAIN * total:
            break
        chosen.append(best)
        have = [max(old, new) for old, new in zip(have, found[best], strict=True)]
    return tuple(context.sentences[at].id for at in sorted(chosen))


def _found(terms: Sequence[str], sentences: Sequence[Sentence]) -> list[list[float]]:
    """How far each sentence contains each term (0 to 1). Each term is looked up once."""
    sets = [term_set(sentence.text) for sentence in sentences]
    everything = frozenset[str]().union(*sets)
    rows = [[0.0] * len(terms) for _ in sentences]
    for t, term in enumerate(terms):
        alike = counterparts(term, everything)
        for row, given in zip(rows, sets, strict=True) if alike else ():
            row[t] = max((alike[other] for other in alike.keys() & given), default=0.0)
    return rows


def _best_run(
    text: str,
    sentences: Sequence[Sentence],
    found: Sequence[Sequence[float]],
    shares: Sequence[float],
) -> tuple[int, int]:
    """Where the best run starts, and its length. A run that holds the text as it is wins."""
    wanted = flat(text)
    best, chosen = -1.0, (0, 1)
    reached = list(found)
    for size in range(1, min(LONGEST_RUN, len(sentences)) + 1):
        if size > 1:
            reached = [
                list(map(max, row, found[at + size - 1])) for at, row in enumerate(reached[:-1])
            ]
        for at, row in enumerate(reached):
            if sentences[at].source != sentences[at + size - 1].source:
                continue
            covered = sum(map(mul, shares, row))
            score = covered - PER_SENTENCE * size
            if wanted and covered > SPAN_COVERED and score + 1.0 > best:
                joined = " ".join(flat(sentence.text) for sentence in sentences[at : at + size])
                score += 1.0 if f" {wanted} " in f" {joined} " else 0.0
            if score > best:
                best, chosen = score, (at, size)
    return chosen


LEAST_COSINE = 0.7
LEAST_OVERLAP = 0.5


def is_similar(model: MiniLM, response: str, context: str) -> bool:
    """Whether a response's vector is like its context's, or it shares half its keywords."""
    said, given = model.encode([response])[0], model.encode([context])[0]
    overlap = keyword_overlap(response, context)
    return float(said @ given) >= LEAST_COSINE or overlap >= LEAST_OVERLAP


@dataclass(frozen=True, slots=True)
class Outcome:
    """One row: whether it is supported, and whether its response was accepted."""

    row: dict[str, Any]
    accepted: bool

    @property
    def supported(self) -> bool:
        return bool(self.row["supported"])


SaysYes = Callable[[dict[str, Any]], bool]
"""Whether a judge says yes to the claims of a row that are put to it."""
JUDGES: dict[str, SaysYes] = {
    "with_yes_sayer": lambda row: True,
    "with_perfect_entailment": lambda row: bool(row["supported"]),
}


async def evaluate_grounding(
    source: Path, judge: Judge | None = None, *, peer: bool = True
) -> dict[str, Any]:
    """What is shown of supported and unsupported responses, without a judge and with two.

    `source` is a file of rows, or the folder of a book, from which true and changed claims are
    made (`tools.evaluate.claims`). A row is shown when every sentence of its response is: proven
    by the sentences it cites, or put to a judge that says yes. `fpr` is the share of unsupported
    rows shown, `fnr` of supported rows not shown, `by_kind` the share of wrong verdicts, all
    without a judge; `with_yes_sayer` and `with_perfect_entailment` the same with a judge that
    always says yes, and with one that never errs. `kinds` counts the verdicts of each kind, and
    `with_judge` is measured with a real one. `similarity_recipe` is the check by cosine or keywords
    on the same rows, unless `peer` is False. `ms` are of processor time, which others on the
    machine change little; `wall_ms_p95` is what passed.
    """
    rows = rows_of(source)
    checked: list[tuple[dict[str, Any], list[Check]]] = []
    judged: list[Outcome] = []
    took = Timer()
    for row in rows:
        context = context_of(row["context"])
        with took:
            checks = check_response(row["response"], context, row.get("cited", ()))
        checked.append((row, checks))
        if judge is not None:
            after = await judge_paraphrases(checks, context, judge, Deadline.after(60.0))
            judged.append(Outcome(row, all(check.passed for check in after)))
    return {
        **_verdicts([Outcome(row, _is_shown(checks, False)) for row, checks in checked]),
        **took.figures(),
        "kinds": _kinds(checked),
        **{
            name: _verdicts([Outcome(row, _is_shown(checks, says(row))) for row, checks in checked])
            for name, says in JUDGES.items()
        },
        **({"with_judge": _verdicts(judged)} if judge is not None else {}),
        **({"similarity_recipe": _measure_recipe(rows)} if peer else {}),
    }


def rows_of(source: Path) -> list[dict[str, Any]]:
    """The rows of a file, or those made from the book in a folder. A JSON file has passages, each
    with the kinds and texts of its claims."""
    if source.is_dir():
        return claims_of_book(source)
    if source.suffix == ".json":
        return [
            {
                "context": each["passage"],
                "response": text,
                "supported": kind.startswith("S_"),
                "kind": kind,
                "source": source.stem,
            }
            for each in json.loads(source.read_text("utf-8"))
            for kind, text in each["claims"]
        ]
    return read_rows(source, {"context": str, "response": str, "supported": bool})


def _is_shown(checks: Sequence[Check], judge_says_yes: bool) -> bool:
    return all(check.passed or (check.is_for_judge and judge_says_yes) for check in checks)


PROOFS = ("objected", "to_judge", "close", "verbatim")
"""What is known of a claim, from the least."""


def _proof(check: Check) -> str:
    if check.objections:
        return "objected"
    return "to_judge" if check.is_for_judge else check.proof


def _kinds(checked: Sequence[tuple[dict[str, Any], list[Check]]]) -> dict[str, dict[str, int]]:
    """By kind: how many rows, how many with each proof, and how many are shown without a judge.

    A response of several sentences counts under the least of their proofs.
    """
    kinds: dict[str, dict[str, int]] = {}
    for row, checks in checked:
        empty = {"n": 0, "verbatim": 0, "close": 0, "to_judge": 0, "objected": 0, "shown": 0}
        figures = kinds.setdefault(str(row.get("kind") or "all"), empty)
        figures["n"] += 1
        figures[min(map(_proof, checks), key=PROOFS.index)] += 1
        figures["shown"] += _is_shown(checks, False)
    return dict(sorted(kinds.items()))


def check_response(response: str, context: Context, cited: Sequence[str] = ()) -> list[Check]:
    """The checks of a whole response, each sentence of it a claim. Never empty.

    A claim cites the sentences of the context with the text of `cited`; without any, those that
    support it best. Bare answers ("1907") are judged by what they say: the sets hold them for
    questions, an answer that is shown does not.
    """
    ids = tuple(sentence.id for sentence in context.sentences if sentence.text in cited)
    claims = [DraftClaim(text, ids or support_for(text, context)) for text in _statements(response)]
    return check_claims(claims, context, bare=True)


async def evaluate_random_swaps(
    books: Sequence[Path], sentences: int, say: Callable[[str], None]
) -> dict[str, Any]:
    """Exchange two random content words in sentences of books, the same number of each, and count
    the claims that are shown. Each one shown is told."""
    rows = [row for book in books for row in random_swaps_of_book(book, sentences // len(books))]
    shown, shown_by_yes = 0, 0
    for row in rows:
        checks = check_response(row["response"], context_of(row["context"]), row["cited"])
        shown += _is_shown(checks, False)
        shown_by_yes += _is_shown(checks, True)
        if _is_shown(checks, True):
            how = min(map(_proof, checks), key=PROOFS.index)
            say(f"{how}: {row['response']}\n    of: {' '.join(row['cited'])}")
    return {"n": len(rows), "shown": shown, "shown_with_yes_sayer": shown_by_yes}


def _measure_recipe(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    outcomes: list[Outcome] = []
    took = Timer()
    with closing(MiniLM()) as model:
        model.encode(["The first call is slower than the others."])
        for row in rows:
            with took:
                accepted = is_similar(model, row["response"], row["context"])
            outcomes.append(Outcome(row, accepted))
    return {**_verdicts(outcomes), **took.figures()}


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


def context_of(text: str) -> Context:
    sentences = tuple(ChunkSentence(each.text, 1, 1) for each in sentences_of("paragraph", text))
    return context_of_selection((ChunkPart(0, "paragraph", 0, len(text), 1, "", sentences),))


def _verdicts(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        **_shares(outcomes),
        "by_kind": _wrong_by("kind", outcomes),
        "by_source": _wrong_by("source", outcomes),
    }


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
