"""The sentences of a book that claims are made from, with the text around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from functions.book.chunks.chunk import Chunk, ChunkPart
from functions.book.chunks.split_into_chunks import split_into_chunks
from functions.book.sentences.block_sentences import sentences_of
from quoth.calibrate.local_index import documents_of_book
from tools.evaluate.claims.tagged_sentence import FINITE, TaggedSentence

LEAST_WORDS, MOST_WORDS = 5, 42
_PROSE = ("paragraph", "list", "quote")
_POINTS_ELSEWHERE = re.compile(
    r"(?i)\b(?:below|above|as follows|following|here['’]?s|listings?|figures?|tables? \d"
    r"|chapters? \d|chapters|appendix|section|previous|earlier|later on|next|so far|already"
    r"|let['’]s|you['’]ll see|i|my"
    r"|our example|this example|this code|see also|read on|mentioned|discussed)\b"
)
_DANGLING = frozenset(
    "it they this these those that such both he she him his her their its then there here one "
    "another others the-former what how why when-this".split()
)
_ODD = re.compile(r"[a-z)]{3}\. \S|[|^~]|\$|\.\.\.|https?:|^\W*\d+[.)]|[?!]\s")


@dataclass(frozen=True)
class BookSentence:
    """A sentence of a book and the paragraph it stands in."""

    text: str
    paragraph: Paragraph
    position: int

    @cached_property
    def tagged(self) -> TaggedSentence:
        return TaggedSentence(self.text)

    @property
    def before(self) -> BookSentence | None:
        """The sentence before it in its paragraph."""
        return self.paragraph.sentences[self.position - 1] if self.position else None

    @property
    def neighbours(self) -> list[BookSentence]:
        """The other sentences of its paragraph, the nearest first."""
        others = [each for each in self.paragraph.sentences if each is not self]
        return sorted(others, key=lambda each: (abs(each.position - self.position), each.position))

    @cached_property
    def is_statement(self) -> bool:
        """Whether it is a whole sentence that asserts something."""
        text, tokens = self.text, self.tagged.tokens
        words = len(text.split())
        return (
            text.endswith(".")
            and not text.endswith("..")
            and LEAST_WORDS <= words <= MOST_WORDS
            and (text[0].isupper() or tokens[0].tag == "NP0")
            and not _ODD.search(text)
            and text.count("(") == text.count(")")
            and text.count("“") == text.count("”")
            and text.count('"') % 2 == 0
            and any(token.tag in FINITE for token in tokens)
            and tokens[0].tag not in ("VVB", "VVI", "VVD", "VVN", "VDB", "CJC", "XX0")
        )

    @cached_property
    def stands_alone(self) -> bool:
        """Whether it can be read without the text around it."""
        words = self.tagged.words
        is_of_document = words[0] == "this" and words[1] in ("chapter", "book", "guide", "document")
        dangles = words[0] in _DANGLING and not is_of_document
        return not _POINTS_ELSEWHERE.search(self.text) and not dangles


@dataclass
class Paragraph:
    """A block of prose. `context` is its Markdown, with what stands around it."""

    path: str
    block: int
    kind: str
    context: str
    sentences: list[BookSentence] = field(default_factory=list)
    readable: frozenset[str] = frozenset()
    """The sentences found in `context` when it is read again."""


@dataclass(frozen=True)
class Book:
    """A book's paragraphs, and how its words are written."""

    name: str
    paragraphs: tuple[Paragraph, ...]

    @property
    def sentences(self) -> Iterator[BookSentence]:
        for paragraph in self.paragraphs:
            yield from paragraph.sentences

    @cached_property
    def capitalised(self) -> frozenset[str]:
        """Words that are names: written with a capital inside sentences, mostly."""
        inside: Counter[str] = Counter()
        lower: Counter[str] = Counter()
        for sentence in self.sentences:
            for word in re.findall(r"(?<![.“\"(] )(?<!^)\b[A-Za-z]\w*", sentence.text):
                (inside if word[0].isupper() else lower)[word.lower()] += 1
        return frozenset(word for word, count in inside.items() if count > lower[word])

    def lowered(self, text: str) -> str:
        """The text as it is written inside a sentence."""
        first = re.match(r"[^\s,.;:()]+", text)
        if first is None or (len(first[0]) > 1 and not first[0][1:].islower()):
            return text
        word = re.sub(r"['’]s$", "", first[0]).lower()
        if word in self.capitalised or (word.endswith("s") and word[:-1] in self.capitalised):
            return text
        return text[0].lower() + text[1:]


def read_book(folder: Path) -> Book:
    """The prose of a book, paragraph by paragraph. Raises as `documents_of_book` does."""
    paragraphs: list[Paragraph] = []
    for prepared in documents_of_book(folder):
        path = prepared.document.source_path
        seen: set[int] = set()
        for chunk in split_into_chunks(prepared.document):
            paragraphs.extend(_paragraphs(chunk, path, seen))
    return Book(folder.name, tuple(paragraphs))


def _paragraphs(chunk: Chunk, path: str, seen: set[int]) -> Iterator[Paragraph]:
    parts = [part for part in chunk.parts if part.kind in _PROSE]
    for at, part in enumerate(parts):
        if part.block in seen:
            continue
        seen.add(part.block)
        context = _context(chunk, parts, at)
        readable = frozenset(each.text for each in sentences_of("paragraph", context))
        paragraph = Paragraph(path, part.block, part.kind, context, readable=readable)
        paragraph.sentences.extend(
            BookSentence(sentence.text, paragraph, position)
            for position, sentence in enumerate(part.sentences)
        )
        yield paragraph


def _context(chunk: Chunk, parts: Sequence[ChunkPart], at: int) -> str:
    """The part's Markdown with the part before and after it, where they are paragraphs too."""
    near = [
        part
        for part in parts[max(0, at - 1) : at + 2]
        if part is parts[at] or (part.kind == "paragraph" and parts[at].kind == "paragraph")
    ]
    return "\n\n".join(chunk.text[part.start : part.end].strip() for part in near)
