"""Contexts for tests of the chain: the sample book's own sentences, and small ones by hand."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from functions.answer.check.check_claims import Check, check_claims
from functions.answer.context import Context, Sentence, context_of_chunks, context_of_selection
from functions.answer.deadline import Deadline
from functions.answer.write.writer import Draft, DraftClaim, WriterFailed
from functions.book.chunks.chunk import Chapter, ChunkPart, ChunkSentence, StoredChunk
from functions.book.document import BlockKind, Policy
from quoth.calibrate.local_index import chunks_of_book

BOOK = Path(__file__).parents[3] / "examples" / "book"
SOON = Deadline.after(86_400)  # from when all tests are collected

STANDING = (
    "The ankle strategy corrects small pushes without a step.",
    "It moves the centre of pressure by at most 12 cm.",
    "The hip strategy does not need a large foot.",
)
WALKING = (
    "A capture step may end a fall that the ankles cannot stop.",
    "Honda showed the humanoid P2 in 1996.",
)


def chunk(
    *paragraphs: Sequence[str],
    titles: Sequence[str] = ("Balance", "Strategies"),
    path: str = "docs/balance.md",
    first_block: int = 1,
    number: int | None = 1,
    kind: BlockKind = "paragraph",
    policy: Policy = "",
) -> StoredChunk:
    """A chunk of one block for each paragraph, a sentence on each line of the file."""
    parts = tuple(
        ChunkPart(
            first_block + at, kind, 0, 0, at + 1, "",
            tuple(ChunkSentence(text, 10 * (first_block + at) + n, 10 * (first_block + at) + n)
                  for n, text in enumerate(sentences)),
        )
        for at, sentences in enumerate(paragraphs)
    )  # fmt: skip
    text = "\n\n".join(" ".join(sentences) for sentences in paragraphs)
    return StoredChunk(
        chunk_id=str(uuid.uuid5(uuid.NAMESPACE_URL, path + text)),
        document_id=str(uuid.uuid5(uuid.NAMESPACE_URL, path)),
        source_path=path,
        version="",
        locale="",
        generation=1,
        ordinal=0,
        text=text,
        hash=text,
        titles=tuple(titles),
        chapter=Chapter(str(number or ""), number, titles[0]),
        section=titles[-1],
        subsection="",
        place=f"Chapter {number}" if number else titles[0],
        url=f"/{path.split('/')[-1].removesuffix('.md')}#{titles[-1].lower()}",
        policy=policy,
        updated_at="",
        parts=parts,
    )


def context(*paragraphs: Sequence[str]) -> Context:
    """One chunk; by default of two paragraphs, S1.1 to S1.3 and S1.4 to S1.5."""
    return context_of_chunks([(chunk(*(paragraphs or (STANDING, WALKING))), 1.0)], 0.9)


def selection(*paragraphs: Sequence[str], similarities: tuple[float, ...] = ()) -> Context:
    parts = chunk(*(paragraphs or (STANDING, WALKING))).parts
    return context_of_selection(parts, similarities)


@cache
def sample_context() -> Context:
    """The whole sample book as one context: every sentence has a number."""
    return context_of_chunks([(each.chunk, 1.0) for each in chunks_of_book(BOOK)], 0.9)


@cache
def sample_prose() -> tuple[Sentence, ...]:
    """Its sentences in running text, long enough to say something."""
    return tuple(
        sentence
        for sentence in sample_context().sentences
        if sentence.kind in ("paragraph", "list") and len(sentence.text.split()) >= 5
    )


class Scripted:
    """A writer that hands out one draft (or fails), and counts what it is asked.

    It is its own judge where a test gives it verdicts: of each pair, or one for all of them.
    """

    def __init__(
        self,
        *claims: tuple[str, tuple[str, ...]],
        status: str = "full",
        verdicts: Sequence[bool] | bool | Exception = False,
        fails: bool = False,
    ) -> None:
        self._draft = Draft(status, tuple(DraftClaim(*claim) for claim in claims))  # type: ignore[arg-type]
        self._verdicts = verdicts
        self._fails = fails
        self.asked = 0
        self.judged: list[tuple[str, str]] = []

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        self.asked += 1
        if self._fails:
            raise WriterFailed
        return self._draft

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        self.judged += pairs
        if isinstance(self._verdicts, Exception):
            raise self._verdicts
        if isinstance(self._verdicts, bool):
            return [self._verdicts] * len(pairs)
        return list(self._verdicts)


def check_claim(claim: DraftClaim, context: Context) -> Check:
    """What the chain's check says of one claim."""
    (check,) = check_claims([claim], context)
    return check
