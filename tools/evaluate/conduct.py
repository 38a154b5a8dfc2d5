"""Are profanity and abuse told from the subjects of books?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from functions.answer.moderation.misconduct import find_misconduct
from functions.answer.moderation.obscenities import find_obscenities, plain
from quoth.calibrate.local_index import chunks_of_book
from quoth.json_lines import BadRow, read_rows
from quoth.statistics import share

FRAMES = (
    "What is {term}?",
    "What does the book say about {term}?",
    "Can you explain {term} to me?",
    "How do I {term}?",
    "Why is this book so {term}?",
    "Is the author a {term}?",
    "What the {term} is a robot?",
    "You are a {term}.",
    "Shut up, you {term}!",
    "{term} you",
)
"""Plain questions and insults. A word that books are about passes the plain ones."""


def evaluate_conduct(terms: Path, book: Path, most: int) -> dict[str, Any]:
    """The share of frames with a listed term that are flagged, by frame too; and of a book's own
    sentences that hold such a term, how many are."""
    listed = [row["term"] for row in read_rows(terms, {"term": str})]
    if not listed:
        raise BadRow(terms, 0, "holds no terms")
    by_frame = {
        frame: sum(find_misconduct(frame.format(term=term)) is not None for term in listed)
        for frame in FRAMES
    }
    told = _sentences_with_terms(book, most)
    flagged = [sentence for sentence in told if find_misconduct(sentence)]
    return {
        "n_terms": len(listed),
        "n_questions": len(listed) * len(FRAMES),
        "flagged": share(sum(by_frame.values()), len(listed) * len(FRAMES)),
        "by_frame": {frame: share(count, len(listed)) for frame, count in by_frame.items()},
        "n_sentences": len(told),
        "sentences_flagged": len(flagged),
        "flagged_sentences": flagged[:10],
    }


def _sentences_with_terms(book: Path, most: int) -> list[str]:
    """At most so many sentences of a book with a listed word, from all over it."""
    found = list(
        dict.fromkeys(
            sentence.text
            for each in chunks_of_book(book)
            for part in each.chunk.parts
            if part.kind not in ("heading", "code", "mermaid", "math")
            for sentence in part.sentences
            if find_obscenities(plain(sentence.text))
        )
    )
    step = max(1.0, len(found) / most)
    return [found[int(at * step)] for at in range(min(most, len(found)))]
