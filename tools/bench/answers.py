"""Retrieval, and the whole way to an answer, beside LangChain and LlamaIndex on one server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tools.bench.chunking import book_folders
from tools.bench.indexes import OURS, Shelf, filled_shelf
from tools.bench.our_chain import OurChain
from tools.bench.peer_chains import CLAIMS, TOP, peers
from tools.bench.readers import Taken, Waits, Way, measure_readers, readers_markdown, take_turns

QUESTIONS = 60
"""Of one round."""


@dataclass(frozen=True, slots=True)
class Answering:
    """What each system takes by its name; `answered` is the share of ours
    whose claims all passed, none of them word for word."""

    chunks: int
    calls: dict[str, Taken]
    retrievals: dict[str, Taken]
    answers: dict[str, Taken]
    answered: float
    waits: list[Waits]

    def overhead(self, name: str) -> float:
        """Processor time of an answer in ms, apart from the call of Qdrant (and the model)."""
        return self.answers[name].cpu_ms - self.calls[name].cpu_ms


async def measure_answering(folder: Path, chunks: int, sentences: int, rounds: int) -> Answering:
    """Fill a server with `chunks` chunks of so many sentences of a folder's books, and ask.

    Raises BadRow when the folder has no Markdown.
    """
    books = book_folders(folder)
    # Those of retrieval are not asked again for answers, and none is asked in two rounds.
    async with filled_shelf(books, chunks, sentences, 2 * (rounds + 1) * QUESTIONS) as shelf:
        return await measure_shelf(shelf)


async def measure_shelf(shelf: Shelf) -> Answering:
    ours = OurChain(shelf.url, shelf.vectors)
    others = peers(shelf.url, shelf.vectors)
    asked = [each.text for each in shelf.questions]
    rounds = [asked[at : at + QUESTIONS] for at in range(0, len(asked), QUESTIONS)]
    searched, answered = rounds[: len(rounds) // 2], rounds[len(rounds) // 2 :]
    try:
        calls: dict[str, Way] = {OURS: ours.call_qdrant} | {p.name: p.call_qdrant for p in others}
        retrievals: dict[str, Way] = {OURS: ours.retrieve} | {p.name: p.retrieve for p in others}
        answers: dict[str, Way] = {OURS: ours.answer} | {p.name: p.answer for p in others}
        return Answering(
            shelf.count,
            await take_turns(calls, answered, shelf.pid),
            await take_turns(retrievals, searched, shelf.pid),
            await take_turns(answers, answered, shelf.pid),
            ours.supported / ours.asked,
            await measure_readers(shelf),
        )
    finally:
        await ours.close()


def answering_markdown(run: Answering) -> str:
    """The run as Markdown."""
    names = list(run.retrievals)
    lines = [
        f"**Retrieval** at {run.chunks:,} chunks from the same server, in ms a question. Ours is"
        f" three searches in one call (meaning and words fused, and both scores) with a second"
        f" reading of ten; theirs one search by meaning for {TOP}. Vectors are made up; texts are"
        " real.",
        "",
        "| | median | p95 | processor, client | processor, server | × LangChain (median, client) |",
        "|---|---|---|---|---|---|",
    ]
    base = run.retrievals["LangChain"]
    for name in names:
        each = run.retrievals[name]
        server = "–" if each.server_cpu_ms is None else f"{each.server_cpu_ms:.1f}"
        lines.append(
            f"| {name} | {each.median_ms:.1f} | {each.p95_ms:.1f} | {each.cpu_ms:.1f} | {server} |"
            f" {each.median_ms / base.median_ms:.2f}, {each.cpu_ms / base.cpu_ms:.2f} |"
        )
    lines += [
        "",
        f"**The whole chain** with {CLAIMS} claims and a model that answers at once, in ms of"
        " processor time a question. Apart from Qdrant: less what the system's own bare call of"
        f" its search takes. Ours checks every claim by every rule, none being word for word:"
        f" {run.answered:.0%} of the questions were answered with all of them.",
        "",
        "| | whole | bare call | apart from Qdrant | ours to it | ours to it, whole |",
        "|---|---|---|---|---|---|",
    ]
    for name in names:
        whole = run.answers[name].cpu_ms
        lines.append(
            f"| {name} | {whole:.2f} | {run.calls[name].cpu_ms:.2f} | {run.overhead(name):.2f} |"
            f" {run.overhead(OURS) / run.overhead(name):.2f} |"
            f" {run.answers[OURS].cpu_ms / whole:.2f} |"
        )
    return "\n".join([*lines, "", readers_markdown(run.chunks, run.waits)])
