"""Training rows from question and passage pairs: `qa.jsonl.xz` (encyclopedic and news text, with
the answer's characters) and `docs_qa.jsonl.xz` (sections of documentation and textbooks)."""

from __future__ import annotations

import json
import lzma
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Encoding, Tokenizer

from functions.answer.text.words import term_set
from functions.book.markdown.parse import read_document
from functions.book.sentences.block_sentences import sentences_of
from quoth.model_files import TOKENIZER, checked_path
from tools.reader.rows import Row, Rows

MOST_TOKENS = 192
QUESTION_CHARACTERS = 300
WINDOW_WORDS = (40, 105)
"""A window of documentation is cut at a random length between these."""
KEPT = {"positive": 0.8, "near": 0.5, "cut": 0.8, "far": 0.5, "adversarial": 1.0, "glossary": 0.25}
KEPT_OTHERS, KEPT_STORIES = 0.8, 0.6
TITLED, NEGATIVES = 0.7, 2
HELD_OUT_SHARE = 0.02
HELD_OUT_SOURCES = frozenset(
    {
        "withastro/docs",
        "denoland/docs",
        "etcd-io/website",
        "huggingface/course",
        "philschatz/physics-book",
    }
)
SHINGLE = 10
SEPARATOR = 102


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, a passage, and the characters of the answer in it (-1 without)."""

    question: str
    passage: str
    answerable: bool
    source: str
    held_out: bool
    start: int = -1
    end: int = -1
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence of prose, a list item, a line of code or a row of a table, and its block."""

    text: str
    block: int
    kind: str
    words: frozenset[str]


def prepare(data: Path, evaluation: Path | None, out: Path) -> None:
    """Write the rows; those that share ten words in a row with a file of `evaluation` stop it."""
    rng = random.Random(1)
    pairs = [*_question_pairs(data / "qa.jsonl.xz", rng)]
    pairs += _documentation_pairs(data / "docs_qa.jsonl.xz", rng)
    if evaluation:
        _assert_unseen(pairs, evaluation)
    rng.shuffle(pairs)
    rows = list(_tokenised(pairs))
    Rows.save(rows, out)
    counts = Counter((row.source, row.answerable, row.held_out) for row in rows)
    for (source, answerable, held_out), count in sorted(counts.items()):
        print(f"{count:7} {source}{' answerable' * answerable}{' held out' * held_out}")
    print(f"{np.mean([len(row.ids) for row in rows]):.0f} tokens a row")


def _lines(path: Path) -> Iterator[Any]:
    with lzma.open(path, "rt") as file:
        for line in file:
            yield json.loads(line)


def _question_pairs(path: Path, rng: random.Random) -> Iterator[Pair]:
    """Held out: a share of the passages, with every question that is asked of them."""
    rows = list(_lines(path))
    held = {row["q"] for row in rows if row["kind"] == "positive" and _is_held(row["p"])}
    for row in rows:
        share = KEPT.get(row["kind"], KEPT_OTHERS)
        if row["src"] == "fairy":
            share *= KEPT_STORIES
        held_out = row["q"] in held
        if rng.random() < share and (held_out or not _is_held(row["p"])):
            yield Pair(
                row["q"],
                row["p"],
                bool(row["y"]),
                "questions " + row["kind"].split("-")[0],
                held_out,
                row["s"],
                row["e"],
                bool(row["wide"]),
            )


def _is_held(passage: str) -> bool:
    """By the passage's end: its beginning may be a title."""
    digest = sha256(passage[-80:].encode()).digest()
    return int.from_bytes(digest[:4]) < HELD_OUT_SHARE * 2**32


def _documentation_pairs(path: Path, rng: random.Random) -> Iterator[Pair]:
    for row in _lines(path):
        if rng.random() >= KEPT.get(row["kind"], 1.0):
            continue
        title = row.get("title") or ""
        question, held_out = row["q"], row["src"] in HELD_OUT_SOURCES
        negatives = rng.sample(row["negatives"], min(NEGATIVES, len(row["negatives"])))
        texts = [row["p"], *negatives]
        sections = [_units(text) for text in texts]
        asked = term_set(question)
        weights = _weights(asked, [unit for units in sections for unit in units])
        for at, units in enumerate(sections):
            if not units:
                continue
            window = _nearest_window(units, weights, rng.randint(*WINDOW_WORDS))
            head = f"{title}. " if title and rng.random() < TITLED else ""
            first, last = _nearest_units(window, weights, row["kind"])
            texts = [unit.text for unit in window]
            start = len(head) + len(" ".join([*texts[:first], ""])) if first else len(head)
            end = len(head) + len(" ".join(texts[: last + 1]))
            source = "documentation " + row["kind"]
            passage = head + " ".join(texts)
            if at:
                yield Pair(question, passage, False, source, held_out)
            else:
                yield Pair(question, passage, True, source, held_out, start, end, True)


def _units(markdown: str) -> list[Unit]:
    """The text as Quoth cuts it: sentences, lines of code, rows of tables."""
    document = read_document("section.md", markdown.encode())
    return [
        Unit(sentence.text, block.index, block.kind, term_set(sentence.text))
        for block in document.blocks
        if block.kind != "heading"
        for sentence in sentences_of(
            block.kind, "".join(document.source[span.start : span.end] for span in block.spans)
        )
    ]


def _weights(asked: frozenset[str], units: Sequence[Unit]) -> dict[str, float]:
    """The weight of each word of the question: the rarer among these units, the more."""
    return {
        word: math.log(1 + len(units) / (1 + sum(word in unit.words for unit in units)))
        for word in asked
    }


def _score(words: Iterable[str], weights: dict[str, float]) -> float:
    return sum(weights.get(word, 0.0) for word in words)


def _nearest_window(units: list[Unit], weights: dict[str, float], words: int) -> list[Unit]:
    """Of the runs of so many words, the one nearest to the question; the first of equals."""
    windows: list[list[Unit]] = [[]]
    size = 0
    for unit in units:
        length = len(unit.text.split())
        if windows[-1] and size + length > words:
            windows.append([])
            size = 0
        windows[-1].append(unit)
        size += length
    return max(
        windows,
        key=lambda window: _score(frozenset().union(*(unit.words for unit in window)), weights),
    )


def _nearest_units(window: list[Unit], weights: dict[str, float], kind: str) -> tuple[int, int]:
    """The first and last unit of the answer: the unit nearest to the question's words and, unless
    a term is asked for, its whole block and the block that it introduces with a colon."""
    nearest = max(range(len(window)), key=lambda at: _score(window[at].words, weights))
    if kind in ("definition", "glossary"):
        return nearest, nearest
    runs = [list(run) for _, run in groupby(range(len(window)), lambda at: window[at].block)]
    at = next(at for at, run in enumerate(runs) if nearest in run)
    introduces = window[runs[at][-1]].text.endswith(":") and at + 1 < len(runs)
    return runs[at][0], runs[at + introduces][-1]


def _assert_unseen(pairs: Sequence[Pair], evaluation: Path) -> None:
    """A sample of the passages against every text of the evaluation files."""
    known: set[tuple[str, ...]] = set()
    for path in (*evaluation.rglob("*.jsonl"), *evaluation.rglob("*.md")):
        if "adversarial" not in path.parts and "reader" not in path.parts:
            known |= _shingles(path.read_text(errors="replace").replace("\\n", " "))
    sample = random.Random(2).sample(list(pairs), 5000)
    shared = [pair for pair in sample if known & _shingles(pair.passage)]
    print(f"{len(shared)} of {len(sample)} sampled passages share {SHINGLE} words in a row")
    for pair in shared[:10]:
        print("  ", pair.source, pair.passage[:100])


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    return set(zip(*(words[at:] for at in range(SHINGLE)), strict=False))


def _tokenised(pairs: Sequence[Pair]) -> Iterator[Row]:
    """Rows; left out are those whose answer is lost where the passage is cut."""
    tokenizer = Tokenizer.from_file(str(checked_path(TOKENIZER)))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS, strategy="only_second")
    for low in range(0, len(pairs), 2000):
        part = pairs[low : low + 2000]
        texts = [(pair.question[:QUESTION_CHARACTERS], pair.passage) for pair in part]
        for pair, encoding in zip(part, tokenizer.encode_batch(texts), strict=True):
            passage = encoding.ids.index(SEPARATOR) + 1
            first, last = _token_span(pair, encoding, passage)
            if pair.start >= 0 and (first < 0 or len(encoding.ids) > MOST_TOKENS):
                continue
            ids = np.asarray(encoding.ids[:MOST_TOKENS], np.uint16)
            answer = (pair.answerable, first, last, pair.wide)
            yield Row(ids, passage, *answer, pair.held_out, pair.source)


def _token_span(pair: Pair, encoding: Encoding, passage: int) -> tuple[int, int]:
    offsets = encoding.offsets
    inside = [
        at
        for at in range(passage, len(encoding.ids) - 1)
        if offsets[at][0] < pair.end and offsets[at][1] > pair.start
    ]
    if pair.start < 0 or not inside:
        return -1, -1
    if not pair.wide and offsets[inside[-1]][1] < pair.end - 1:
        return -1, -1
    return inside[0], inside[-1]
