"""Questions to calibrate with, made from the book and foreign ones, and what asking them gives.

Made questions carry the book's words; readers' carry fewer of them. `fit` corrects for it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Literal

from functions.answer.gate.calibration import Signals, read_signals
from functions.answer.text.words import is_common, terms_of, words_of
from functions.book.chunks.chunk import StoredChunk
from functions.runtime.plural import plural
from quoth.calibrate.local_index import BookIndex

MOST_PER_CHAPTER = 24
SENTENCE_WORDS = (9, 35)
FRAGMENT_WORDS = 7
HEADING_WORDS = 9
_ASKS = re.compile(r"^(?:how|why|what|which|who|when|where|is|are|can|does|do|should)\b", re.I)
_APPARATUS = re.compile(
    r"^(?:introduction|overview|summary|conclusion|references?|bibliography|exercises?|glossary|"
    r"key terms|(?:review|critical thinking|personal application) questions|further reading|"
    r"next steps|see also|contents|index|preface|foreword|acknowledge?ments|about\b.*)$",
    re.IGNORECASE,
)
_PROSE = re.compile(r"[A-Z“\"'][^=<>{}\[\]$|\\]*[.!]")
_ORDINARY = re.compile(r"[“\"'(]?[A-Za-z][\w'’-]*[,.;:!)”\"']{0,2}")
_EDGES = " \t*_`#|:;,.!?()[]“”\"'"


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question made from the book, and the chapter that answers it."""

    question: str
    chapter_id: str


def make_questions(chunks: Iterable[StoredChunk]) -> list[MadeQuestion]:
    """At most MOST_PER_CHAPTER of each chapter, spread over its headings and sentences.

    The same book gives the same questions.
    """
    by_chapter: dict[str, dict[str, None]] = {}
    for chunk in chunks:
        found = by_chapter.setdefault(chunk.chapter.id, {})
        found.update(dict.fromkeys(_from_headings(chunk)))
        found.update(dict.fromkeys(_from_sentences(chunk)))
    return [
        MadeQuestion(question, chapter)
        for chapter, questions in by_chapter.items()
        for question in sorted(questions, key=_drawn)[:MOST_PER_CHAPTER]
    ]


@cache
def foreign_questions() -> dict[str, tuple[str, ...]]:
    """The packaged questions from elsewhere, by topic."""
    topics: dict[str, list[str]] = {}
    topic = ""
    text = Path(__file__).with_name("foreign_questions.txt").read_text("utf-8")
    for line in filter(None, text.split("\n\n", 1)[1].splitlines()):
        if line.startswith("# "):
            topic = line[2:]
        else:
            topics.setdefault(topic, []).append(line)
    return {name: tuple(questions) for name, questions in topics.items()}


def _drawn(question: str) -> str:
    """An order that has nothing to do with the book's."""
    return hashlib.sha256(question.encode()).hexdigest()


def _from_headings(chunk: StoredChunk) -> Iterator[str]:
    title = chunk.titles[-1].strip(_EDGES) if chunk.titles else ""
    if _APPARATUS.match(title) or not 1 <= len(title.split()) <= HEADING_WORDS:
        return
    if _ASKS.match(title):
        yield f"{title}?"
    elif any(not is_common(word) for word in words_of(title)):
        yield f"What is {title[0].lower() + title[1:] if title[1:].islower() else title}?"


def _from_sentences(chunk: StoredChunk) -> Iterator[str]:
    if any(_APPARATUS.match(title) for title in chunk.titles[1:]):
        return
    for part in chunk.parts:
        if part.kind not in ("paragraph", "list"):
            continue
        for sentence in part.sentences:
            words = sentence.text.split()
            if not SENTENCE_WORDS[0] <= len(words) <= SENTENCE_WORDS[1] or not _is_prose(words):
                continue
            telling = [at for at, word in enumerate(words) if _tells(word)]
            if len(telling) < 4:
                continue
            # Half of them leave a word out, half ask about a piece: by the sentence, not by chance.
            if int(_drawn(sentence.text)[:2], 16) % 2:
                yield _with_a_gap(words, telling)
            else:
                yield f"What is meant by {_piece(words, telling)}?"


def _is_prose(words: Sequence[str]) -> bool:
    """A whole sentence of words: no caption, no entry of a bibliography, no line of symbols."""
    ordinary = sum(_ORDINARY.fullmatch(word) is not None for word in words)
    return ordinary >= 0.9 * len(words) and _PROSE.fullmatch(" ".join(words)) is not None


def _tells(word: str) -> bool:
    return bool(terms_of(word)) and not all(is_common(each) for each in words_of(word))


def _with_a_gap(words: Sequence[str], telling: Sequence[int]) -> str:
    """The sentence with its last telling word left out: what a reader would fill in."""
    gap = telling[-1]
    return " ".join(("________" if at == gap else word) for at, word in enumerate(words))


def _piece(words: Sequence[str], telling: Sequence[int]) -> str:
    """Some words of the sentence's middle, from a telling word on."""
    start = telling[len(telling) // 3]
    end = min(len(words), start + FRAGMENT_WORDS)
    while end > start + 2 and not terms_of(words[end - 1]):
        end -= 1
    return " ".join(words[start:end]).strip(_EDGES)


Kind = Literal["own", "near", "foreign"]
MOST_LEFT_OUT = 12
LEAST_CHAPTERS = 2

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what it is to the book it was asked of, and the signals by both searches.

    `group` is the chapter, or the topic of a foreign question.
    """

    question: str
    kind: Kind
    group: str
    signals: Signals
    by_words: Signals


async def ask_book(
    book: BookIndex, made: Sequence[MadeQuestion], say: Say = lambda _: None
) -> list[Asked]:
    """Ask everything. Chapters without questions are never left out."""
    foreign = [(topic, each) for topic, all_of in foreign_questions().items() for each in all_of]
    await book.learn([each.question for each in made] + [each for _, each in foreign])
    say(f"asking {plural(len(made), 'question')} made from the book, {len(foreign)} from elsewhere")
    asked = [await _ask(book, each.question, "own", each.chapter_id) for each in made]
    asked += [await _ask(book, question, "foreign", topic) for topic, question in foreign]
    for chapter in left_out(book, made):
        say(f"asking without {chapter}")
        async with book.without(chapter):
            asked += [
                await _ask(book, each.question, "near", chapter)
                for each in made
                if each.chapter_id == chapter
            ]
    return asked


def without_known_topics(asked: Sequence[Asked]) -> tuple[list[Asked], list[str]]:
    """Leave out the topics of foreign questions that the book treats after all, and name them.

    It treats a topic when half of its questions come as close as a quarter of the book's own do.
    """
    own = sorted(each.signals.dense for each in asked if each.kind == "own")
    close = own[len(own) // 4] if own else 1.0
    topics: dict[str, list[float]] = {}
    for each in asked:
        if each.kind == "foreign":
            topics.setdefault(each.group, []).append(each.signals.dense)
    known = [topic for topic, cosines in topics.items() if median(cosines) >= close]
    kept = [each for each in asked if each.kind != "foreign" or each.group not in known]
    return kept, known


def left_out(book: BookIndex, made: Sequence[MadeQuestion]) -> list[str]:
    """The chapters that are taken away in turn: those with most questions, in the book's order."""
    counts = dict.fromkeys(book.chapters, 0)
    for each in made:
        counts[each.chapter_id] += 1
    if len(counts) < LEAST_CHAPTERS:
        return []
    chosen = sorted(counts, key=lambda chapter: -counts[chapter])[:MOST_LEFT_OUT]
    return [chapter for chapter in counts if chapter in chosen and counts[chapter]]


async def _ask(book: BookIndex, question: str, kind: Kind, group: str) -> Asked:
    by_meaning = await book.ask(question)
    by_words = await book.ask_by_words(question)
    return Asked(
        question, kind, group, read_signals(question, by_meaning), read_signals(question, by_words)
    )
