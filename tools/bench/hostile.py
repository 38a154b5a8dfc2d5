"""`python -m tools.bench.hostile`: how long hostile text takes to read, and what it holds up."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import math
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import _lru_cache_wrapper, cache, partial
from statistics import quantiles
from typing import Any
from uuid import uuid4

import httpx

from functions.adapters.postgres.query_records import FoldedDocument
from functions.analytics.feedback import FeedbackRequest
from functions.answer.chain import answer_from
from functions.answer.context import context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import TASK
from functions.answer.languages import language_of
from functions.answer.moderation.misconduct import find_misconduct
from functions.answer.question import read_question
from functions.answer.relevance import score_sentences
from functions.answer.selection_task import read_task
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.selection_quotes import SelectionQuotes
from functions.book.fold import fold_text
from functions.book.markdown.parse import UnreadableDocument
from functions.ingest.prepare import BookLayout, prepare_document
from functions.lifecycle.begin_finish import key_of
from functions.lifecycle.not_served import NotServed
from functions.query.cache_keys import question_key
from functions.query.intents.classify import read_intent
from functions.query.requests import QueryRequest
from functions.query.retrieval.locate_highlight import find_blocks
from functions.runtime.privacy.personal_data import mask_personal_data
from functions.runtime.settings import Settings
from functions.selected.answer_selection import split_bounded
from functions.selected.requests import SelectedRequest
from functions.selected.selection import cut_context, split_selection
from functions.web.fields import MAX_SELECTION, clean
from tools.bench.hostile_forms import FORMS, Form
from tools.tables import markdown_table

SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 10
"""The least of them counts: on some machines the clock of processor time ticks every 4 ms."""
LONGEST_QUESTION, LONGEST_COMMENT, LONGEST_PAGE = 1_000, 2_000, 200_000
LEAD = (
    "The quick brown fox jumps over the lazy dog because it is a small animal that lives in the "
    "forest and eats mice. "
)
"""Words enough for a selection to be answered."""
QUESTIONS = ("How does the fox jump over the dog?", "Summarise this.", "Why is that?")
READERS = 20
SENT = (
    "words", "dots", "small letters", "telephone numbers", "sections", "wide tables", "images",
    "fences", "columns", "spans",
)  # fmt: skip
"""The forms that are sent while `/health` is looked at."""


def read_file(text: str) -> None:
    """All that ingest does to a file before its passages are embedded."""
    prepare_document("docs/page.md", text.encode(), BookLayout(), "")


def answer_selection(text: str, question: str) -> None:
    """All that is computed for a question to a selection, but for the embeddings."""
    body = json.dumps({"question": question, "session_id": "s", "selected_text": text})
    asked = SelectedRequest.model_validate_json(body)
    key_of(asked.question, asked.selected_text)
    find_misconduct(asked.question)
    parts = split_bounded(asked.selected_text, Settings())
    task = read_task(asked.question, any(part.kind == "code" for part in parts))
    context = context_of_selection(parts, (), asked.selected_text)
    context, _ = cut_context(context, score_sentences(read_question(asked.question), context))
    writer = SelectionQuotes(task=task) if task else QuoteWriter()
    deadline = Deadline.after(60)
    asyncio.run(answer_from(asked.question, context, writer, TASK, "selection", deadline))
    mask_personal_data(asked.selected_text)


def answer_question(text: str) -> None:
    """All that is computed for a question to the book, but for embeddings and search."""
    body = json.dumps({"question": text, "session_id": "s", "user_id": text[:300]})
    asked = QueryRequest.model_validate_json(body)
    intent = read_intent(asked.question)
    question_key(asked, intent)
    find_misconduct(asked.question)
    language_of(asked.question)
    context = context_of_selection(split_selection(LEAD * 20), (), LEAD)
    deadline = Deadline.after(60)
    asyncio.run(answer_from(asked.question, context, QuoteWriter(), TASK, "book", deadline))
    mask_personal_data(asked.question)


def read_highlight(text: str, page: FoldedDocument) -> None:
    """All that is computed to find a highlight in its page."""
    marked = {"text": text, "source_path": "docs/page.md", "prefix": text[:300]}
    found = _read({"highlight": marked}).highlight
    if found:
        find_blocks(page, found.text, found.prefix or "")


def read_ranking(text: str) -> None:
    """All that is computed of a selection that ranks what is searched."""
    _read({"selected_text": text})


def _read(given: dict[str, object]) -> QueryRequest:
    body = json.dumps({"question": "What is it?", "session_id": "s", **given})
    asked = QueryRequest.model_validate_json(body)
    _ = asked.position, asked.holds_personal_data
    return asked


def read_comment(text: str) -> None:
    """All that is computed for a reader's comment on an answer."""
    body = {"response_id": str(uuid4()), "session_id": "s", "rating": "helpful", "comment": text}
    mask_personal_data(FeedbackRequest.model_validate(body).comment or "")


def selection_of(form: Form) -> str:
    """The longest selection of a form that is answered."""

    def make(size: int) -> str:
        return (LEAD + form(size))[:MAX_SELECTION]

    low, high = 10, MAX_SELECTION
    while high - low > 50:
        middle = (low + high) // 2
        low, high = (middle, high) if _is_answered(make(middle)) else (low, middle)
    return make(low)


def _is_answered(text: str) -> bool:
    try:
        split_bounded(clean(text), Settings())
    except NotServed:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds of processor time, or why there are none."""

    seconds: float = math.nan
    refused: str = ""

    def __str__(self) -> str:
        return self.refused or f"{self.seconds:.3f}"


def measure(work: Callable[[], None], most: float, rounds: int = 1) -> Taken:
    """The least processor time of some rounds, in a process of its own that ends after `most`."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        limit = math.ceil(time.process_time() + rounds * most)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        os.write(writing, _least(work, rounds).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    os.waitpid(child, 0)
    if not said:
        return Taken(refused=f"more than {most:g} s")
    seconds, _, refused = said.partition(" ")
    return Taken(float(seconds), refused)


def forget_texts() -> None:
    """Clear every bounded cache, so that no round is answered from the one before."""
    for each in _bounded_caches():
        each.cache_clear()


@cache
def _bounded_caches() -> list[Any]:
    made = (each for each in gc.get_objects() if type(each) is _lru_cache_wrapper)
    return [each for each in made if each.cache_parameters()["maxsize"]]


def _least(work: Callable[[], None], rounds: int) -> str:
    least, refused = math.inf, ""
    for _ in range(rounds):
        forget_texts()
        started = time.process_time()
        try:
            work()
        except UnreadableDocument as error:
            refused = f"refused: {error.reason}"
        least = min(least, time.process_time() - started)
    return f"{least} {refused}"


def measure_files(names: Iterable[str], sizes: Sequence[int], most: float) -> list[list[str]]:
    """A row for each form: its seconds by size, and their ratio for twice the size, between the
    last two sizes."""
    rows = []
    for name in names:
        taken = []
        for size in sizes:
            text = FORMS[name](size)
            taken.append(measure(partial(read_file, text), most, 1 + (size < 200_000)))
        doublings = math.log2(sizes[-1] / sizes[-2])
        ratio = (taken[-1].seconds / taken[-2].seconds) ** (1 / doublings)
        shown = "" if taken[-1].refused or math.isnan(ratio) else f"{ratio:.1f}"
        rows.append([name, *map(str, taken), shown])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def measure_readers(names: Iterable[str], most: float) -> list[list[str]]:
    """A row for each form: milliseconds of a question of it, a comment, a highlight in a page of
    the same, and a selection by question."""
    for text in (LEAD, "What is ROS2, called Quothlike?", "Is it?"):  # compiled on first use
        answer_question(text)
    read_highlight(LEAD, FoldedDocument(LEAD, ((0, 0, len(LEAD)),)))
    read_comment(LEAD)
    for question in QUESTIONS:
        answer_selection(LEAD * 5, question)
    _bounded_caches()
    gc.collect()
    gc.freeze()  # as the functions do when they have started
    rows = []
    for name in names:
        form = FORMS[name]
        asked = f"What is the {form(LONGEST_QUESTION)}"[: LONGEST_QUESTION - 1] + "?"
        selection = selection_of(form)
        text = fold_text(clean(form(LONGEST_PAGE)))
        page = FoldedDocument(text, ((0, 0, len(text)),))
        taken = [
            measure(partial(answer_question, asked), most, ROUNDS),
            measure(partial(read_comment, form(LONGEST_COMMENT)[:LONGEST_COMMENT]), most, ROUNDS),
            measure(
                partial(read_highlight, form(MAX_SELECTION)[:MAX_SELECTION], page), most, ROUNDS
            ),
            measure(partial(read_ranking, form(MAX_SELECTION)[:MAX_SELECTION]), most, ROUNDS),
            *(
                measure(partial(answer_selection, selection, asks), most, ROUNDS)
                for asks in QUESTIONS
            ),
        ]
        rows.append([name, *(each.refused or f"{1000 * each.seconds:.0f}" for each in taken)])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


async def measure_health(url: str, seconds: float) -> tuple[list[float], int]:
    """The seconds that `/health` took while readers sent selections, and how many were answered."""
    texts = [selection_of(FORMS[name]) for name in SENT]
    until = time.monotonic() + seconds
    answered = 0

    async def read(client: httpx.AsyncClient, number: int) -> None:
        nonlocal answered
        while time.monotonic() < until:
            number += READERS
            body = {
                "question": QUESTIONS[number % len(QUESTIONS)],
                "session_id": f"hostile-{number}",
                "selected_text": texts[number % len(texts)],
            }
            reply = await client.post(f"{url}/query-selected-text", json=body)
            answered += reply.status_code == 200

    waited: list[float] = []
    async with httpx.AsyncClient(timeout=120) as client, httpx.AsyncClient(timeout=60) as other:
        readers = [asyncio.create_task(read(client, number)) for number in range(READERS)]
        while time.monotonic() < until:
            started = time.perf_counter()
            (await other.get(f"{url}/health")).raise_for_status()
            waited.append(time.perf_counter() - started)
            await asyncio.sleep(0.05)
        await asyncio.gather(*readers)
    return waited, answered


def main(arguments: list[str] | None = None) -> int:
    """Returns 1 when a doubling takes more than 2.3 times as long."""
    parser = argparse.ArgumentParser(prog="tools.bench.hostile", description=__doc__)
    parser.add_argument("what", choices=["files", "readers", "health"])
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=list(FORMS), metavar="FORM")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--most", type=float, default=60, help="seconds of processor time")
    parser.add_argument("--url", help="a server that answers, for health")
    parser.add_argument("--seconds", type=float, default=30)
    asked = parser.parse_args(arguments)
    if asked.what == "health" and not asked.url:
        parser.error("health: --url of a server is missing")
    if asked.what == "health":
        waited, answered = asyncio.run(measure_health(asked.url, asked.seconds))
        cuts = quantiles(waited, n=100)
        print(
            f"{len(waited)} looks at /health while {answered} selections were answered: median"
            f" {1000 * cuts[49]:.0f} ms, p95 {1000 * cuts[94]:.0f} ms, most"
            f" {1000 * max(waited):.0f} ms"
        )
        return 0
    if asked.what == "readers":
        rows = measure_readers(asked.forms, asked.most)
        head = ["form", "question", "comment", "highlight", "ranking", *QUESTIONS]
    else:
        rows = measure_files(asked.forms, asked.sizes, asked.most)
        head = ["form", *(f"{size // 1000:,} kB" for size in asked.sizes), "ratio"]
    print("\n".join(markdown_table(head, rows)))
    return int(asked.what == "files" and any(float(row[-1] or 0) > 2.3 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
