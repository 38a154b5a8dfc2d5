"""Does an answer from a highlighted range stay inside it, and find what is there?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from functions.adapters.qdrant.schema import SearchFilters
from functions.answer.chain import answer_from
from functions.answer.deadline import Deadline
from functions.answer.gate.calibration import BOOK_BY_WORDS
from functions.answer.text.words import terms_of, words_of
from functions.answer.write.quote_writer import QuoteWriter
from functions.book.chunks.chunk import ChunkPart
from functions.query.retrieval.highlight_range import BlockRange, keep_inside
from functions.query.retrieval.retrieve import SearchRequest, retrieve_chunks
from quoth.calibrate.local_index import Indexable, Stage, chunks_of_book, open_stage
from quoth.statistics import share
from tools.evaluate.chapters import NoFallback

LEAST_WORDS = 8
"""Words a block must have to be asked about."""
ASKED_WORDS = 6
LEAK_CHARACTERS = 30
"""Length from which words of a block outside are known to come from there."""
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Page:
    """A document as its blocks: number to what chunks hold of it, and the blocks of each chunk."""

    source_path: str
    blocks: dict[int, list[ChunkPart]]
    chunks: tuple[tuple[int, int], ...]

    def texts(self, block: int) -> list[str]:
        return [s.quote or s.text for part in self.blocks.get(block, ()) for s in part.sentences]


@dataclass(frozen=True, slots=True)
class Asked:
    """A range with a question about one of its blocks (None where it holds no prose)."""

    page: Page
    first: int
    last: int
    block: int | None
    question: str


async def evaluate_highlight(book: Path, ranges: int, seed: int = 1) -> dict[str, Any]:
    """Ask `ranges` generated ranges of a book's pages about a block inside each.

    `blocks_outside` counts every block outside that reached the context, a citation or the words
    of the answer. `returned` is the share of the ranges of two blocks or more that brought
    anything; `in_top_3` the share of the blocks asked about that were among the chunks found.
    """
    found = chunks_of_book(book)
    asked = generate_ranges(pages_of(found), ranges, random.Random(seed))  # noqa: S311
    outside = returned = wide = in_top = named = answered = across = cut = 0
    async with open_stage() as stage:
        await stage.add(found)
        for each in asked:
            result = await _ask(stage, each)
            outside += result.outside
            cut += result.cut
            if each.last > each.first:
                wide += 1
                returned += bool(result.blocks)
            across += sum(a <= each.last and b >= each.first for a, b in each.page.chunks) > 1
            if each.block is not None:
                named += 1
                in_top += each.block in result.blocks
                answered += result.answered
    return {
        "n": len(asked),
        "n_wide": wide,
        "n_across_chunks": across,
        "n_with_a_cut_chunk": cut,
        "blocks_outside": outside,
        "returned": share(returned, wide),
        "n_asked": named,
        "in_top_3": share(in_top, named),
        "answered": share(answered, named),
    }


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one range: the blocks found, and how many blocks outside it."""

    blocks: frozenset[int]
    outside: int
    answered: bool
    cut: bool


async def _ask(stage: Stage, asked: Asked) -> Result:
    within = BlockRange(asked.page.source_path, asked.first, asked.last)
    (vector,) = await stage.embeddings.embed([asked.question], SECONDS)
    request = SearchRequest(
        asked.question, vector, SearchFilters(), 0, Deadline.after(SECONDS), SECONDS, within
    )
    found = await retrieve_chunks(request, stage.search, NoFallback())
    answer = await answer_from(
        asked.question,
        found.context,
        QuoteWriter(),
        BOOK_BY_WORDS,
        "selection",
        Deadline.after(SECONDS),
    )
    answer = keep_inside(answer, found.context, within)
    chunks = [source.chunk for source in found.context.sources if source.chunk]
    blocks = {
        (chunk.source_path, part.block)
        for chunk in chunks
        for part in chunk.parts
        if part.sentences
    }
    outside = {place for place in blocks if not within.holds(*place)}
    cited = answer.citations
    places = [(body.source_path, int(body.paragraph_id.rpartition(":")[2])) for body in cited]
    said = [*(chunk.text for chunk in chunks), answer.text]
    said += [text for body in cited for q in body.quotes for text in (q.exact, q.prefix, q.suffix)]
    return Result(
        frozenset(block for _, block in blocks),
        answer.blocks_outside
        + len(outside)
        + sum(not within.holds(*place) for place in places)
        + _leaked(asked, said),
        answer.refusal is None,
        any((a < asked.first or b > asked.last) for a, b in asked.page.chunks
            if a <= asked.last and b >= asked.first),
    )  # fmt: skip


def _leaked(asked: Asked, said: Sequence[str]) -> int:
    """The blocks outside whose own words were said, looked for in the words and nothing else."""
    inside = "\n".join(
        text for block in range(asked.first, asked.last + 1) for text in asked.page.texts(block)
    )
    return sum(
        any(
            len(text) >= LEAK_CHARACTERS and text not in inside and any(text in s for s in said)
            for text in asked.page.texts(block)
        )
        for block in asked.page.blocks
        if not asked.first <= block <= asked.last
    )


def pages_of(found: Sequence[Indexable]) -> list[Page]:
    """The documents of a book in order."""
    blocks: dict[str, dict[int, list[ChunkPart]]] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for chunk in (each.chunk for each in found):
        of_page = blocks.setdefault(chunk.source_path, {})
        for part in chunk.parts:
            of_page.setdefault(part.block, []).append(part)
        spans.setdefault(chunk.source_path, []).append(
            (chunk.parts[0].block, chunk.parts[-1].block)
        )
    return [Page(path, of_page, tuple(spans[path])) for path, of_page in blocks.items()]


def generate_ranges(pages: Sequence[Page], count: int, chance: random.Random) -> list[Asked]:
    """Ranges of every kind: single blocks, a few, pages whole and past their end, over the edges
    of chunks and sections. Longer pages get more of them."""
    seen = Counter(term for page in pages for block in page.blocks
                   for term in set(terms_of(" ".join(page.texts(block)))))  # fmt: skip
    weights = [len(page.blocks) for page in pages]
    made: list[Asked] = []
    while len(made) < count:
        page = chance.choices(pages, weights)[0]
        last_block = max(page.blocks)
        match chance.randrange(6):
            case 0:
                first = last = chance.randint(0, last_block)
            case 1:
                first = 0
                last = chance.choice([last_block, last_block + chance.randint(1, 50)])
            case 2:  # over the edge between two chunks
                edge = chance.choice(page.chunks)[1]
                first = max(0, edge - chance.randint(0, 3))
                last = edge + chance.randint(1, 4)
            case 3:
                first = chance.randint(0, last_block)
                last = first + chance.randint(5, 40)
            case _:
                first = chance.randint(0, last_block)
                last = first + chance.randint(1, 5)
        made.append(_with_question(page, first, last, seen, chance))
    return made


def _with_question(
    page: Page, first: int, last: int, seen: Counter[str], chance: random.Random
) -> Asked:
    """The range with a question in the words of one of its blocks: a sentence, or rare words."""
    asked = [
        block
        for block in range(first, last + 1)
        if any(part.kind != "heading" for part in page.blocks.get(block, ()))
        and len(words_of(" ".join(page.texts(block)))) >= LEAST_WORDS
    ]
    if not asked:
        return Asked(page, first, last, None, "What is said here?")
    block = chance.choice(asked)
    sentence = max(page.texts(block), key=lambda text: len(words_of(text)))
    if chance.random() < 0.5:
        question = f"{sentence.rstrip('.!?:; ')}?"
    else:
        words = dict.fromkeys(word for word in words_of(sentence) if terms_of(word))
        rare = sorted(words, key=lambda word: seen[terms_of(word)[0]])[:ASKED_WORDS]
        question = f"What about {' '.join(word for word in words if word in rare)}?"
    return Asked(page, first, last, block, question[:1000])
