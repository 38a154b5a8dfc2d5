"""Does a selection answer only what it contains, even with a model that knows more?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.adapters.postgres.admission import Begun
from functions.answer.answers import Answer
from functions.answer.chain import answer_from
from functions.answer.context import Context, context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import SELECTION
from functions.answer.refusals import REFUSALS
from functions.answer.text.vectors import cosines
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, DraftClaim
from functions.lifecycle.choose_writer import ChosenWriter
from functions.lifecycle.reply import Reply, SelectionReading, answered
from functions.selected.answer_selection import EXCERPT
from functions.selected.selection import split_selection
from functions.web.build_response import selected_response
from quoth.calibrate.local_index import Stage, open_stage
from quoth.json_lines import read_rows
from quoth.statistics import auroc, share

_MARK = re.compile(r"\[\d+\]")


async def evaluate_selected(
    file: Path, max_quotes: int, writer: ChosenWriter | None = None
) -> dict[str, Any]:
    """Counts over answerable and unanswerable rows, all at the shipped threshold."""
    rows = read_rows(file, {"passage": str, "question": str, "answerable": bool})
    async with open_stage() as stage:
        chosen = writer or ChosenWriter(QuoteWriter(max_quotes), "")
        answers = [
            await ask_selection(stage, row["passage"], row["question"], chosen) for row in rows
        ]
    pairs = list(zip(rows, answers, strict=True))
    answerable = [(row, answer) for row, answer in pairs if row["answerable"]]
    others = [(row, answer) for row, answer in pairs if not row["answerable"]]
    answered = [(row, answer) for row, answer in answerable if answer.status != "refused"]
    refused = sum(answer.status == "refused" for _, answer in others)
    sides = [share(len(answered), len(answerable))] if answerable else []
    sides += [share(refused, len(others))] if others else []
    return {
        "n_answerable": len(answerable),
        "answered": len(answered),
        "gold_in_quotes": sum(_holds_gold(row, answer) for row, answer in answered),
        "n_unanswerable": len(others),
        "refused": refused,
        "leaks": sum(_leaks(row, answer) for row, answer in pairs),
        "balanced_accuracy": round(sum(sides) / len(sides), 4) if sides else 0.0,
        "auroc": auroc(
            [answer.confidence for _, answer in answerable],
            [answer.confidence for _, answer in others],
        ),
    }


async def ask_selection(stage: Stage, passage: str, question: str, writer: ChosenWriter) -> Answer:
    """The chain's answer from a passage alone, at the shipped threshold."""
    parts = split_selection(passage)
    texts = [sentence.text for part in parts for sentence in part.sentences]
    asked, *given = await stage.embeddings.embed([question, *texts], 120.0)
    context = context_of_selection(parts, tuple(cosines(asked, given)))
    until = Deadline.after(60.0)
    return await answer_from(
        question, context, writer.writer, SELECTION, "selection", until, writer.judge
    )


def _holds_gold(row: dict[str, Any], answer: Answer) -> bool:
    quotes = [quote.exact for citation in answer.citations for quote in citation.quotes]
    return any(gold in quote for gold in row.get("gold_answers", []) for quote in quotes)


def _leaks(row: dict[str, Any], answer: Answer) -> bool:
    """Whether the response says something of the book that the passage does not."""
    said = _MARK.sub("", answer.text)
    return any(
        gold in said and gold not in row["passage"] for gold in row.get("book_answers", []) if gold
    )


FORMS = ("{answer}", "The answer is {answer}.", "{said} That is {answer}.")
"""How the model puts it: bare, as a sentence, after a sentence of the selection."""


@dataclass(frozen=True, slots=True)
class OutsideWriter:
    """Answers `answer`, and gives the id of the selection's first sentence for it.

    `agrees`: what it says when asked whether the sentence says so. A model that is honest there
    does not agree.
    """

    answer: str
    form: str
    agrees: bool

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        first = context.sentences[0]
        text = self.form.format(answer=self.answer, said=first.text)
        return Draft("full", (DraftClaim(text, (first.id,)),))

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        return [self.agrees for _ in pairs]


async def evaluate_outside_knowledge(file: Path) -> dict[str, Any]:
    """Ask every row that the passage does not answer, with a model that knows `book_answers`.

    `leaks` counts responses with such an answer in a text of theirs (words of the question or the
    passage aside); `agreeing_judge` are the same with a model that also vouches for itself.
    """
    needed = {"passage": str, "question": str, "answerable": bool, "book_answers": list}
    rows = [row for row in read_rows(file, needed) if not row["answerable"]]
    figures: dict[str, Any] = {"n": len(rows), "forms": len(FORMS)}
    async with open_stage() as stage:
        for agrees in (False, True):
            asked = refused = exact = leaks = by_gate = 0
            for row in rows:
                given = next(iter(row["book_answers"]), "")
                for form in FORMS:
                    model = OutsideWriter(given, form, agrees)
                    writer = ChosenWriter(model, "", model)
                    answer = await ask_selection(stage, row["passage"], row["question"], writer)
                    asked += 1
                    refused += answer.status == "refused"
                    by_gate += answer.refusal == "insufficient_selection"
                    exact += answer.refusal is not None and answer.text == REFUSALS[answer.refusal]
                    asked_of = Reply(
                        query_id="evaluation",
                        session_id="evaluation",
                        mode="selected-text",
                        selection=SelectionReading(row["passage"][:EXCERPT]),
                    )
                    reply = answered(asked_of, answer, Begun(verdict="run"), {})
                    said = " ".join(_texts(selected_response(reply).model_dump(mode="json")))
                    leaks += _repeats_outside(said, row)
            counts = {
                "asked": asked,
                "refused": refused,
                "refused_by_the_gate": by_gate,
                "exact_sentence": exact,
                "leaks": leaks,
            }
            figures |= {"agreeing_judge": counts} if agrees else counts
    return figures


def _texts(value: object) -> Iterator[str]:
    """Every text in a response, without the field names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _repeats_outside(said: str, row: dict[str, Any]) -> bool:
    return any(
        answer in said
        for answer in row["book_answers"]
        if len(answer) > 2 and answer not in row["passage"] and answer not in row["question"]
    )
