"""What the book has nearest to a question that it does not answer, in its own words. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from functions.answer.answers import SectionLink
from functions.answer.context import PROSE_KINDS, Context, Sentence
from functions.answer.question import read_question
from functions.answer.relevance import score_sentences, sets_a_task
from functions.answer.text.anaphora import opens_with_anaphor
from functions.answer.text.words import term_set

LENGTHS = range(30, 301)
"""Characters of a sentence that is quoted."""
FIRST_WORDS = 40
"""Characters in which a sentence names what it is about."""
ABOUT = 0.3
"""What counts, beside its relevance, that a sentence begins with the words of its section's title:
it most likely defines them."""


def quote_nearest(
    sections: Iterable[SectionLink], question: str, context: Context
) -> tuple[SectionLink, ...]:
    """The sections, each with the sentence that is nearest to the question, if it has one."""
    scores = score_sentences(read_question(question), context)
    best: dict[str, tuple[float, str]] = {}
    for sentence, score in zip(context.sentences, scores, strict=True):
        chunk = context.sources[sentence.source].chunk
        if chunk is None or not _stands_alone(sentence, context):
            continue
        score += ABOUT * (
            not term_set(sentence.text[:FIRST_WORDS]).isdisjoint(term_set(chunk.section))
        )
        best[chunk.url] = max(
            (score, sentence.quote or sentence.text),
            best.get(chunk.url, (-1.0, "")),
            key=lambda each: each[0],
        )
    return tuple(replace(each, text=best.get(each.url, (0.0, ""))[1]) for each in sections)


def _stands_alone(sentence: Sentence, context: Context) -> bool:
    """Whether a sentence is a statement that can be read without its neighbours."""
    return (
        sentence.kind in PROSE_KINDS
        and len(sentence.text) in LENGTHS
        and sentence.text.rstrip().endswith(".")
        and not opens_with_anaphor(sentence.text)
        and not sets_a_task(sentence, context)
    )
