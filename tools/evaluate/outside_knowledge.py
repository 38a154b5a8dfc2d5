"""A model that answers from what it knows: does any word of it get past the check?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.adapters.postgres.query_records import Begun
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.refusals import REFUSALS
from functions.answer.write.writer import Draft, DraftClaim
from functions.lifecycle.reply import Reply, SelectionReading, answered
from functions.selected.answer_selection import EXCERPT
from functions.web.build_response import selected_response
from quoth.calibrate.local_index import open_stage
from quoth.json_lines import read_rows
from tools.evaluate.selected import ask_selection

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
                    writer = OutsideWriter(given, form, agrees)
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
                    leaks += _leaks(said, row)
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
    """Every text in a response; the names of its fields say nothing."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _leaks(said: str, row: dict[str, Any]) -> bool:
    return any(
        answer in said
        for answer in row["book_answers"]
        if len(answer) > 2 and answer not in row["passage"] and answer not in row["question"]
    )
