"""Passages: the short texts that are embedded for a chunk."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from functions.book.chunks.chunk import ChunkPart, ChunkSentence

_TITLE_WORDS = 20


def pack_passages(title: str, parts: Iterable[ChunkPart], max_words: int) -> tuple[str, ...]:
    """Sentences packed into passages of at most `max_words` words, each after the title.

    A chunk with nothing but headings has one passage, its headings.
    """
    front = title.split()[: min(_TITLE_WORDS, max_words // 3)]
    room = max(max_words - len(front), 1)
    passages: list[list[str]] = []
    words = 0
    titles: list[str] = []
    for part in parts:
        if _is_title(part):
            titles.extend(sentence.text for sentence in part.sentences)
            continue
        for sentence in part.sentences:
            for piece, count in _packed(sentence.text.split(), room):
                if not passages or words + count > room:
                    passages.append([])
                    words = 0
                passages[-1].append(piece)
                words += count
    if not passages:
        return (" ".join(": ".join(titles).split()[:max_words]) or title,)
    heading = f"{' '.join(front)}: " if front else ""
    return tuple(heading + " ".join(passage) for passage in passages)


def sentences_in_passages(parts: Iterable[ChunkPart]) -> Iterator[tuple[ChunkPart, ChunkSentence]]:
    """The sentences that passages are packed from, in order: all except headings."""
    for part in parts:
        if not _is_title(part):
            for sentence in part.sentences:
                yield part, sentence


def passage_starts(parts: Iterable[ChunkPart], passages: Sequence[str]) -> tuple[int, ...]:
    """For each passage the number, from 0, of the sentence that it begins with or within.

    Empty if the one passage is made of headings.
    """
    ends: list[int] = []
    words = 0
    for _, sentence in sentences_in_passages(parts):
        words += len(sentence.text.split())
        ends.append(words)
    lengths = [len(passage.split()) for passage in passages]
    front, rest = divmod(sum(lengths) - words, len(passages) or 1)
    if not ends or rest or front < 0:
        return ()
    starts = []
    before = 0
    for length in lengths:
        starts.append(bisect_right(ends, before))
        before += length - front
    return tuple(starts)


def _is_title(part: ChunkPart) -> bool:
    return part.kind == "heading" and not part.label


def _packed(words: list[str], room: int) -> Iterable[tuple[str, int]]:
    return (
        (" ".join(words[at : at + room]), len(words[at : at + room]))
        for at in range(0, len(words), room)
    )
