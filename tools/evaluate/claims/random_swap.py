"""Two random words of a sentence exchanged: a claim that no rule was written for."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tools.evaluate.claims.book_sentences import Book, BookSentence
from tools.evaluate.claims.claim import Claim, claim
from tools.evaluate.claims.tagged_sentence import TaggedSentence

_CONTENT = frozenset("NN0 NN1 NN2 NP0 AJ0 AJC AJS VVZ VVB VVD VVI VVN VVG CRD".split())
_JOINING = frozenset({",", "and", "or", "&", "/", "as", "well", '"', "“", "”"})


def random_swap(source: BookSentence, book: Book, draw: random.Random) -> Iterator[Claim]:
    """One claim with two content words exchanged, where that changes what is said."""
    sentence = source.tagged
    places = [
        at
        for at, token in enumerate(sentence.tokens)
        if token.tag in _CONTENT and len(token.text) > 2
    ]
    pairs = [
        (one, two)
        for number, one in enumerate(places)
        for two in places[number + 1 :]
        if _differ(sentence, one, two)
    ]
    if pairs:
        one, two = draw.choice(pairs)
        yield claim(swapped(sentence, book, one, two), source)


def swapped(sentence: TaggedSentence, book: Book, one: int, two: int) -> str:
    """The text with the words at two positions exchanged, the first in lower case if it may be."""
    first, second = sentence.tokens[one], sentence.tokens[two]
    left = book.lowered(first.text) if one == 0 else first.text
    text = sentence.text
    right = second.text[0].upper() + second.text[1:] if one == 0 else second.text
    return text[: first.start] + right + text[first.end : second.start] + left + text[second.end :]


def _differ(sentence: TaggedSentence, one: int, two: int) -> bool:
    """Whether the words are neither alike nor next to each other, nor members of one list, which
    has no order."""
    first, second = sentence.words[one], sentence.words[two]
    between = sentence.tokens[one + 1 : two]
    is_list = any(token.lower in _JOINING for token in between) and all(
        token.lower in _JOINING or token.tag in ("AT0", *_CONTENT) for token in between
    )
    return bool(between) and first[:5] != second[:5] and not is_list
