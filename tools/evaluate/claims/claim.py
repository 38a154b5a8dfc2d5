"""A claim made from sentences of a book."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tools.evaluate.claims.book_sentences import Book, BookSentence


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim's text and the sentences it cites."""

    text: str
    cited: tuple[BookSentence, ...]


Transformation = Callable[[BookSentence, Book, random.Random], Iterator[Claim]]
"""Yields the claims it can make from a sentence; none when it is not certain."""


def sentence_from(text: str) -> str:
    """A text as a sentence: with a capital, single spaces and a full stop."""
    text = " ".join(text.split()).strip(" ,;:—–-")
    text = re.sub(r"\s+([,;:]|\.(?=\s|\Z))", r"\1", text)
    text = re.sub(r",+([,.;])", r"\1", text)
    first = re.match(r"[a-z]+(?=[\s,'’]|$)", text)
    if first:
        text = text[0].upper() + text[1:]
    return text if text.endswith(".") else text + "."


def claim(text: str, *cited: BookSentence) -> Claim:
    return Claim(sentence_from(text), cited)
