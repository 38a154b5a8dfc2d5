"""Matches the headings of a document with those of its built page, for their ids."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from functions.book.document import Document, Heading
from functions.book.fold import fold_text
from functions.book.site.manifest import PageHeading

MOST_PAIRS = 400_000
"""With more pairs of headings, only equal ids are matched: comparing all would be slow."""

_SHORTCODE = re.compile(r":[a-z0-9_+-]+:")
_NO_LETTER = re.compile(r"[\W_]+")

# A pair's weight: the same letters outweigh all the rest together.
_SAME_LETTERS, _SAME_ID, _SAME_TEXT, _SAME_LEVEL = 8, 4, 2, 1


def with_page_anchors(document: Document, page: Sequence[PageHeading]) -> Document:
    """The document with the anchors that its headings have in the built page.

    A heading that is not on the page, or has no id there, loses its anchor: it links to the page.
    """
    found: dict[int, Heading] = {}
    for block in document.blocks:
        for heading in block.headings:
            found.setdefault(id(heading), heading)
    own = list(found.values())
    anchors = match_headings(own, page)
    joined = {
        key: replace(heading, anchor=anchor)
        for (key, heading), anchor in zip(found.items(), anchors, strict=True)
    }
    return replace(
        document,
        blocks=tuple(
            block._replace(headings=tuple(joined[id(heading)] for heading in block.headings))
            for block in document.blocks
        ),
    )


def match_headings(own: Sequence[Heading], page: Sequence[PageHeading]) -> list[str]:
    """The page's id for each heading, in order; "" where it has none.

    Both lists are in text order. The page may have other headings (of included files) and lack
    some; the alignment that keeps most letters, ids and levels wins.
    """
    keys = [_letters(heading.title) for heading in own]
    there = [_letters(heading.text) for heading in page]
    if keys == there:
        return [heading.id for heading in page]
    if len(own) * len(page) > MOST_PAIRS:
        ids = {heading.id for heading in page}
        return [heading.anchor if heading.anchor in ids else "" for heading in own]
    weights = [
        [_weight(mine, key, built, other) for built, other in zip(page, there, strict=True)]
        for mine, key in zip(own, keys, strict=True)
    ]
    anchors = [""] * len(own)
    for at, built in _pair(weights, len(page)):
        anchors[at] = page[built].id
    return anchors


def _weight(mine: Heading, key: str, built: PageHeading, other: str) -> int:
    same_id = bool(built.id) and built.id == mine.anchor
    if key != other and not same_id:
        return 0
    return (
        _SAME_LETTERS * (key == other)
        + _SAME_ID * same_id
        + _SAME_TEXT * (fold_text(mine.title) == fold_text(built.text))
        + _SAME_LEVEL * (mine.level == built.level)
    )


def _pair(weights: Sequence[Sequence[int]], width: int) -> list[tuple[int, int]]:
    """The pairs (row, column), both ascending, with the greatest sum of weights."""
    best = [[0] * (width + 1) for _ in range(len(weights) + 1)]
    for row in range(len(weights) - 1, -1, -1):
        ours, below, line = weights[row], best[row + 1], best[row]
        for column in range(width - 1, -1, -1):
            skipped = max(below[column], line[column + 1])
            paired = ours[column] + below[column + 1] if ours[column] else 0
            line[column] = max(paired, skipped)
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < len(weights) and column < width:
        weight = weights[row][column]
        if weight and best[row][column] == weight + best[row + 1][column + 1]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _letters(text: str) -> str:
    """The letters and digits of a heading, which no theme or plugin changes."""
    bare = _SHORTCODE.sub("", unicodedata.normalize("NFKC", text).casefold())
    return _NO_LETTER.sub("", bare)
