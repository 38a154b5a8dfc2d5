"""How much of what a question asks for is found, character by character."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from functions.book.chunks.split_into_chunks import MAX_WORDS, OVERLAP_WORDS, split_into_chunks
from functions.book.document import Span
from functions.book.markdown.parse import UnreadableDocument, read_document
from quoth.embeddings.minilm import DIMENSIONS, MiniLM
from quoth.json_lines import BadRow, read_rows

PREFETCH = 100
RANKED = 120
_REFERENCE_FIELDS = ("start_index", "end_index")


@dataclass(frozen=True, slots=True)
class Indexed:
    """A chunk of a corpus, as much of it as scoring needs."""

    corpus: str
    spans: tuple[Span, ...]
    length: int


def evaluate_chunk_recall(
    corpus_dir: Path,
    questions_path: Path,
    k: int | None = None,
    budget_chars: int | None = None,
    max_words: int = MAX_WORDS,
    overlap_words: int = OVERLAP_WORDS,
) -> dict[str, int | float]:
    """Index every corpus in one collection, ask every question, compare ranges of characters.

    Found are the first `k` chunks (5 unless told), or the first chunks up to `budget_chars`
    characters, the last one cut there. `recall`, `precision` and `iou` are means over questions.
    Raises BadRow.
    """
    questions = read_questions(questions_path)
    documents = {row["corpus"] for row in questions}
    model = MiniLM()
    folder = Path(tempfile.mkdtemp(prefix="quoth-recall-"))
    try:
        index = _Index(folder, model)
        for corpus in sorted(documents):
            index.add(corpus, corpus_dir / f"{corpus}.md", max_words, overlap_words)
        if k is None and budget_chars is None:
            k = 5
        scores = [score(row, index.rank(row["question"]), k, budget_chars) for row in questions]
    finally:
        model.close()
        shutil.rmtree(folder, ignore_errors=True)
    recall, precision, iou = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    return {
        "n": len(scores),
        "chunks": len(index.chunks),
        "recall": round(recall, 4),
        "precision": round(precision, 4),
        "iou": round(iou, 4),
    }


def read_questions(path: Path) -> list[dict[str, Any]]:
    """Questions with the corpus and the ranges that answer them. Raises BadRow."""
    rows = read_rows(path, {"question": str, "corpus": str, "references": list})
    for number, row in enumerate(rows, 1):
        for reference in row["references"]:
            bounds = [reference.get(name) for name in _REFERENCE_FIELDS]
            if not all(isinstance(bound, int) for bound in bounds):
                raise BadRow(path, number, "a reference has no start_index and end_index")
        if not row["references"]:
            raise BadRow(path, number, "has no references")
    return rows


def score(
    row: dict[str, Any], ranked: Sequence[Indexed], k: int | None, budget_chars: int | None
) -> tuple[float, float, float]:
    """Recall, precision and intersection over union of one question's ranges."""
    wanted = {
        (row["corpus"], at)
        for reference in row["references"]
        for at in range(reference["start_index"], reference["end_index"])
    }
    found: set[tuple[str, int]] = set()
    room = budget_chars if budget_chars is not None else 1 << 60
    for chunk in ranked[:k]:
        for span in chunk.spans:
            end = min(span.end, span.start + room)
            found.update((chunk.corpus, at) for at in range(span.start, end))
            room -= end - span.start
        if room <= 0:
            break
    both = len(wanted & found)
    return both / len(wanted), both / max(len(found), 1), both / len(wanted | found)


class _Index:
    """Qdrant's own engine with the shipped recipe: MaxSim over passages and BM25, fused."""

    def __init__(self, folder: Path, model: MiniLM) -> None:
        self.chunks: list[Indexed] = []
        self._model = model
        dense = edge.EdgeVectorParams(
            size=DIMENSIONS,
            distance=edge.Distance.Cosine,
            multivector_config=edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim),
        )
        self._shard = edge.EdgeShard.create(str(folder), edge.EdgeConfig(vectors={"dense": dense}))
        text = edge.TextIndexParams(
            tokenizer=edge.TokenizerType.Word,
            lowercase=True,
            ascii_folding=True,
            stopwords=edge.Language.English,
            stemmer=edge.SnowballParams(edge.SnowballLanguage.English),
            scoring=True,
        )
        self._shard.update(edge.UpdateOperation.create_field_index("text", text))

    def add(self, corpus: str, path: Path, max_words: int, overlap_words: int) -> None:
        try:
            document = read_document(path.name, path.read_bytes())
        except OSError as error:
            raise BadRow(path, 0, error.strerror or "cannot be read") from error
        except UnreadableDocument as error:
            raise BadRow(path, 0, error.reason) from error
        chunks = split_into_chunks(document, max_words, overlap_words)
        vectors = self._model.encode([each for chunk in chunks for each in chunk.passages])
        points, at = [], 0
        for chunk in chunks:
            rows = vectors[at : at + len(chunk.passages)].tolist()
            at += len(chunk.passages)
            titles = " ".join(heading.title for heading in chunk.headings)
            number = len(self.chunks)
            points.append(edge.Point(number, {"dense": rows}, {"text": f"{titles} {chunk.text}"}))
            self.chunks.append(Indexed(corpus, chunk.spans, len(chunk.text)))
        self._shard.update(edge.UpdateOperation.upsert_points(points))

    def rank(self, question: str) -> list[Indexed]:
        fused: Any = edge.Fusion.Dbsf()
        [vector] = self._model.encode([question]).tolist()
        found = self._shard.query(
            edge.QueryRequest(
                limit=RANKED,
                query=fused,
                prefetches=[
                    edge.Prefetch(PREFETCH, edge.Query.Nearest([vector], using="dense")),
                    edge.Prefetch(PREFETCH, edge.TextQuery("text", question)),
                ],
            )
        )
        return [self.chunks[int(point.id)] for point in found]
