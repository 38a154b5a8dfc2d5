"""The context of an answer: sources with their numbered sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from functions.answer.text.words import term_set
from functions.book.chunks.chunk import ChunkPart, ChunkSentence, StoredChunk
from functions.book.document import BlockKind
from functions.book.sentences.block_form import language_of

SentenceKey = tuple[str, int, int, str]
"""A sentence of the book: its document, block, first line and text."""

PROSE_KINDS = ("paragraph", "list", "quote")
"""Kinds of blocks whose sentences make statements."""
Mode = Literal["book-wide", "highlight", "selected-text"]
_LANGUAGES = {
    "c++": "cpp",
    "js": "javascript",
    "ts": "typescript",
    "shell": "bash",
    "urdf": "xml",
    "console": "bash",
    "sh": "bash",
    "py": "python",
    "rs": "rust",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A numbered sentence. `id` is `S<source>.<sentence>`, both from 1, as the writer sees it.

    `paragraph` counts within the section (or the selection) from 1; `block` is unique within the
    document (or the selection). Lines are of the source file, or of the selection. `quote` is the
    text as the page shows it, where that is not `text` (a table's row).

    `similarity` is the cosine between the question and the sentence, known in a selection, whose
    sentences are embedded on the spot. `passage_similarity` is the cosine of the passage that holds
    the sentence, where the index returns it.

    `reading` is the reader's share of the answer in the sentence, between 0 and 1, and
    `answer_span` the characters of the answer, where the sentence was read.
    """

    id: str
    text: str
    source: int
    kind: BlockKind
    block: int
    paragraph: int
    first_line: int
    last_line: int
    quote: str = ""
    similarity: float | None = None
    passage_similarity: float | None = None
    reading: float | None = None
    answer_span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The origin of sentences: a chunk of the book, or the reader's selection (no chunk).

    `relevance` is between 0 and 1. `members` are the chunks with their own relevance, in the
    book's order, where `chunk` was merged from several. `selected` is the text of a selection.
    `answerable` is the reader's best logit over its passages, where it was read.
    """

    kind: Literal["book", "selection"]
    relevance: float
    chunk: StoredChunk | None = None
    members: tuple[tuple[StoredChunk, float], ...] = ()
    selected: str = ""
    answerable: float | None = None

    @property
    def chunks(self) -> tuple[tuple[StoredChunk, float], ...]:
        """The chunks as they are stored, with their relevance; none of a selection."""
        return self.members or (((self.chunk, self.relevance),) if self.chunk else ())


@dataclass(frozen=True)
class Context:
    """Everything retrieved for one question, in order of relevance.

    `dense` is the best raw cosine between question and sources, None when embeddings are down.
    `margin` is how far the reader's best span beats "no answer", None where nothing was read.
    `absent` are rare words of the question that are nowhere in the book. `cosines` are those of
    stored chunks by id, where a vector was compared.
    """

    sources: tuple[Source, ...]
    sentences: tuple[Sentence, ...]
    dense: float | None = None
    margin: float | None = None
    absent: frozenset[str] = frozenset()
    cosines: Mapping[str, float] = field(default_factory=dict, hash=False)

    @cached_property
    def answerable(self) -> float | None:
        """The reader's best logit over all passages; None where nothing was read."""
        read = (source.answerable for source in self.sources)
        return max((logit for logit in read if logit is not None), default=None)

    @cached_property
    def is_embedded(self) -> bool:
        """Whether the similarity of each sentence is known."""
        return any(sentence.similarity is not None for sentence in self.sentences)

    @cached_property
    def by_id(self) -> dict[str, Sentence]:
        return {sentence.id: sentence for sentence in self.sentences}

    @cached_property
    def position(self) -> dict[str, int]:
        """The index of each sentence in `sentences`."""
        return {sentence.id: at for at, sentence in enumerate(self.sentences)}

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The heading path over each source, a title a line."""
        return tuple("\n".join(each.chunk.titles) if each.chunk else "" for each in self.sources)

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """The stems of each sentence's content words."""
        return tuple(term_set(sentence.text) for sentence in self.sentences)

    @cached_property
    def heading_words(self) -> tuple[frozenset[str], ...]:
        """The same of the headings over each source."""
        return tuple(map(term_set, self.headings))

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of each source's code blocks, in one line."""
        return tuple(
            " ".join({language_of_code(each.chunk, part) for part in each.chunk.parts})
            if each.chunk
            else ""
            for each in self.sources
        )

    @cached_property
    def words_by_source(self) -> tuple[frozenset[str], ...]:
        """The same of each source whole, its headings and the languages of its code included."""
        languages = map(term_set, self.languages)
        found = [list(words) for words in zip(self.heading_words, languages, strict=True)]
        for sentence, words in zip(self.sentences, self.words, strict=True):
            found[sentence.source].append(words)
        return tuple(frozenset().union(*each) for each in found)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The same of everything."""
        return frozenset().union(*self.words_by_source)

    def titles(self, sentence: Sentence) -> tuple[str, ...]:
        """The heading path over a sentence; empty in a selection."""
        chunk = self.sources[sentence.source].chunk
        return chunk.titles if chunk else ()


def context_of_chunks(
    chunks: Sequence[tuple[StoredChunk, float]],
    dense: float | None = None,
    passages: Mapping[SentenceKey, float] | None = None,
) -> Context:
    """Number the sentences of chunks (with their relevance), leaving out those seen before.

    `passages` has the cosine of each sentence's passage; a missing one counts as the lowest.
    """
    sources: list[Source] = []
    sentences: list[Sentence] = []
    lowest = min(passages.values()) if passages else None
    seen: set[SentenceKey] = set()
    for chunk, relevance in chunks:
        at = len(sources)
        fresh = [
            (key, part, sentence)
            for part in chunk.parts
            if part.kind != "heading"
            for sentence in part.sentences
            if (key := sentence_key(chunk, part, sentence)) not in seen
        ]
        if not fresh:
            continue
        sources.append(Source("book", relevance, chunk))
        for number, (key, part, sentence) in enumerate(fresh, 1):
            similarity = passages.get(key, lowest) if passages else None
            numbered = _numbered(at, number, part, sentence)
            sentences.append(replace(numbered, passage_similarity=similarity))
        seen.update(key for key, _, _ in fresh)
    return Context(tuple(sources), tuple(sentences), dense)


def language_name(name: str) -> str:
    """A programming language by its usual name, in small letters."""
    return _LANGUAGES.get(name.lower(), name.lower())


def language_of_code(chunk: StoredChunk, part: ChunkPart) -> str:
    """The language that a block of code names on its fence or tab; empty if none, and of others."""
    if part.kind != "code":
        return ""
    return language_name(language_of(chunk.text[part.start : part.end]) or part.label)


def sentence_key(chunk: StoredChunk, part: ChunkPart, sentence: ChunkSentence) -> SentenceKey:
    return (chunk.document_id, part.block, sentence.first_line, sentence.text)


def context_of_selection(
    parts: Sequence[ChunkPart], similarities: tuple[float, ...] = (), text: str = ""
) -> Context:
    """Number the sentences of a selection that was cut into parts. `similarities`: one a sentence,
    or none at all. Without its `text`, its tables and code lose their form."""
    rows = [(part, sentence) for part in parts for sentence in part.sentences]
    sentences = [_numbered(0, number, *row) for number, row in enumerate(rows, 1)]
    if similarities:
        sentences = [
            replace(sentence, similarity=similarity)
            for sentence, similarity in zip(sentences, similarities, strict=True)
        ]
    return Context(
        (Source("selection", 1.0, selected=text),),
        tuple(sentences),
        max(similarities, default=None),
    )


def _numbered(source: int, number: int, part: ChunkPart, sentence: ChunkSentence) -> Sentence:
    return Sentence(
        id=f"S{source + 1}.{number}",
        text=sentence.text,
        source=source,
        kind=part.kind,
        block=part.block,
        paragraph=part.paragraph,
        first_line=sentence.first_line,
        last_line=sentence.last_line,
        quote=sentence.quote,
    )
