"""Quoth's own way from a question to an answer, with what is outside of it answering at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from functions.adapters.postgres.admission import BeginRequest, Begun
from functions.adapters.postgres.query_records import QueryRecord, QueryRecords
from functions.adapters.qdrant.chunk_search import ChunkSearch, SearchFilters
from functions.answer.context import Context, Sentence
from functions.answer.deadline import Deadline
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Draft, DraftClaim
from functions.lifecycle.begin_finish import Caller
from functions.lifecycle.choose_writer import ChosenWriter, Writers
from functions.query.answer_query import BookAnswers
from functions.query.overviews.load import Overviews
from functions.query.requests import QueryRequest
from functions.query.retrieval.index_model import IndexModel
from functions.query.retrieval.rerank import ranked_hits
from functions.runtime.prices import shipped_prices
from functions.runtime.settings import Settings
from functions.web.responses import QueryResponse
from tools.bench.indexes import OURS, Vector
from tools.bench.peer_chains import CLAIMS

LEAST_WORDS = 8
_OTHERWISE = {
    "you": "we", "we": "you", "your": "our", "our": "your", "that": "which", "which": "that",
    "the": "this", "this": "the", "these": "those", "those": "these", "a": "some", "also": "too",
    "will": "shall",
}  # fmt: skip


class KnownVectors:
    """Replaces the embeddings: the vectors are known."""

    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        self._vectors = vectors

    async def embed(self, texts: Sequence[str], timeout_s: float) -> list[Vector]:
        return [self._vectors[text] for text in texts]


class NoRecords:
    """Replaces the database: every query is admitted, none is recorded."""

    async def begin(self, request: BeginRequest, *, seconds: float) -> Begun:
        return Begun(verdict="run", query_id=request.query_id, content_version="1")

    async def finish(self, record: QueryRecord, *, seconds: float) -> None:
        return None


class ReadyWriter:
    """Replaces the model: claims from the first sentences, reworded, and all of them confirmed."""

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        claims: list[DraftClaim] = []
        for sentence in context.sentences:
            if claim := say_otherwise(sentence):
                claims.append(DraftClaim(claim, (sentence.id,)))
            if len(claims) == CLAIMS:
                break
        return Draft("full", tuple(claims))

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        return [True] * len(pairs)


READY = ReadyWriter()


def say_otherwise(sentence: Sentence) -> str | None:
    """The sentence with other small words: nowhere word for word in the book, so that the claim
    goes through the whole check, where near copies take longest. None where it cannot be."""
    text = sentence.text
    telling = sentence.kind == "paragraph" and not text.endswith("?") and " than " not in text
    if not telling or len(text.split()) < LEAST_WORDS:
        return None
    said = " ".join([_OTHERWISE.get(word, word) for word in text.split(" ")])
    return said if said != text else None


class OurChain:
    """The query function without its HTTP edge. `asked` and `supported` count its answers, and
    those of them that have all claims, each judged by the whole check."""

    def __init__(self, url: str, vectors: Mapping[str, Vector]) -> None:
        self._vectors = vectors
        self.asked = self.supported = 0
        self._search = ChunkSearch(url, None, OURS, 30.0)
        self._answers = BookAnswers(
            settings=Settings(),
            records=cast(QueryRecords, NoRecords()),
            embeddings=cast(Any, KnownVectors(vectors)),
            search=self._search,
            writers=Writers(QuoteWriter(), shipped_prices(), ChosenWriter(READY, "ready", READY)),
            index_model=IndexModel(Settings()),
            overviews=Overviews(cast(Any, None)),  # no question here asks for one
        )

    async def retrieve(self, question: str) -> Any:
        return ranked_hits(question, await self.call_qdrant(question))

    async def call_qdrant(self, question: str) -> Any:
        """The same search and nothing else: what cannot be saved of a retrieval."""
        vector = self._vectors[question]
        return await self._search.search(question, vector, SearchFilters(), 10, timeout_s=30.0)

    async def answer(self, question: str) -> QueryResponse:
        asked = QueryRequest(question=question, session_id="bench")
        answer = await self._answers.answer(asked, Caller(None, None))
        judged = [claim for claim in answer.claims if claim.verification != "verbatim"]
        self.asked += 1
        self.supported += len(judged) == CLAIMS
        return answer

    async def close(self) -> None:
        with suppress(RuntimeError):
            await self._search.aclose()
