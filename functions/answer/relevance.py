"""How well each sentence answers a question, from words, headings and, where known, cosines."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Literal

from functions.answer.context import PROSE_KINDS, Context, Sentence
from functions.answer.question import Question, fits
from functions.answer.text.words import kindred, match_each, term_set, weight

_TASK = re.compile(
    r"^\W*(?:name|list|explain|describe|compute|calculate|discuss|compare|show|prove|derive|find|"
    r"give|say|state|sketch|draw|write|suppose|consider|choose|identify|define|implement|design|"
    r"create|build|develop|set up|configure|modify|extend|test|train|evaluate|analy[sz]e|measure|"
    r"plot|simulate|program|which|what|why|how|"
    r"who|when|where|true or false)\b",
    re.IGNORECASE,
)
EXERCISE_TITLES = (
    r"exercises?|(?:review|discussion|critical thinking|practice) questions|problems|quiz|"
    r"self[- ]check"
)
"""Headings over exercises, as a part of a pattern."""
_TASKS_ABOVE = re.compile(rf"\b(?:{EXERCISE_TITLES})\b", re.IGNORECASE)
_TASKS_ALONE = re.compile(rf"\W*(?:{EXERCISE_TITLES})\W*", re.IGNORECASE)
COSINE_SHARE = 0.5
TYPE_SHARE = 0.2
READING_SHARE = 0.4
"""Weight of the reader's share of the answer in a sentence."""
TITLE_SHARE = 0.5
RELEVANCE_SHARE = 0.3
PASSAGE_SHARE = 1.0
"""Weight of a passage's cosine, above the lowest one in the context, beside the sentence's own
words."""
CODE_SHARE = 0.6
"""Factor on the score of a line of code when the question does not ask for code."""
TASK_SHARE = 0.3
"""Factor on the score of a question or an exercise."""
SIGNPOST_SHARE = 0.7
"""Factor on the score of a sentence that says what the text will do ("Next, we'll look at …")."""
_SIGNPOST = re.compile(
    r"\b(?:(?:we|you)(?:['’]ll| will)|along the way|"
    r"in this (?:chapter|section|tutorial|guide|page)|"
    r"this (?:chapter|section|tutorial|guide|page|document|part|lesson|module) "
    r"(?:will|is about|(?:\w+ly |also |then )?\w{3,}s\b)|"
    r"let['’]s (?:look|see|take|start|begin|explore|discuss|examine)|"
    r"(?:as|is|are) (?:shown|described|discussed|explained|covered) (?:in|below|later))\b",
    re.IGNORECASE,
)


def score_sentences(question: Question, context: Context) -> list[float]:
    """A score per sentence of the context: higher answers better."""
    scores = []
    known = [s.passage_similarity for s in context.sentences if s.passage_similarity is not None]
    lowest = min(known, default=0.0)
    for sentence, score in zip(context.sentences, score_words(question, context), strict=True):
        titles = context.titles(sentence)
        if sentence.similarity is not None:
            score += COSINE_SHARE * sentence.similarity
        else:
            score += RELEVANCE_SHARE * context.sources[sentence.source].relevance
            if sentence.passage_similarity is not None:
                score += PASSAGE_SHARE * (sentence.passage_similarity - lowest)
        score += READING_SHARE * (sentence.reading or 0.0)
        above = term_set(titles[-1]) if titles else frozenset()
        score += TYPE_SHARE * fits(question, sentence.text, above)
        if sets_a_task(sentence, context):
            score *= TASK_SHARE
        elif sentence.kind in PROSE_KINDS and is_signpost(sentence):
            score *= SIGNPOST_SHARE
        elif sentence.kind in ("code", "mermaid") and not question.of_code:
            score *= CODE_SHARE
        scores.append(score)
    return scores


def is_signpost(sentence: Sentence) -> bool:
    """Whether a sentence tells of the text and not of its subject ("This chapter argues …")."""
    return _SIGNPOST.search(sentence.text) is not None


def sets_a_task(sentence: Sentence, context: Context) -> bool:
    """Whether a sentence is a question or an exercise for the reader."""
    if sentence.kind not in PROSE_KINDS:
        return False
    if sentence.text.rstrip(' "”’)').endswith("?"):
        return True
    under = _under_tasks(context.titles(sentence))
    return under == "alone" or (under == "above" and _TASK.match(sentence.text) is not None)


@lru_cache(maxsize=1_024)
def _under_tasks(titles: tuple[str, ...]) -> Literal["", "above", "alone"]:
    """Whether the last title names exercises and nothing else, or any title mentions them."""
    if titles and _TASKS_ALONE.fullmatch(titles[-1]):
        return "alone"
    return "above" if any(_TASKS_ABOVE.search(title) for title in titles[1:]) else ""


def score_words(question: Question, context: Context) -> list[float]:
    """The share of the question's words that each sentence of the context has (0 to 1).

    As in TF-IDF, a word counts more the fewer sentences have it. A word in the headings above
    counts by half.
    """
    terms = list(zip(question.terms, kindred(question.terms, context.vocabulary), strict=True))
    found = [match_each(*term, context.words) for term in terms]
    above = [match_each(*term, context.heading_words) for term in terms]
    sources = [sentence.source for sentence in context.sentences]
    scores = [0.0 for _ in sources]
    for share, hits, titles in zip(_shares(question, found), found, above, strict=True):
        if any(titles):
            over = [TITLE_SHARE * titles[source] for source in sources]
            hits = list(map(max, hits, over))
        for at, hit in enumerate(hits):
            if hit:
                scores[at] += share * hit
    return scores


def _shares(question: Question, found: list[list[float]]) -> list[float]:
    """The weight of each term; they sum to 1. `found` has a row for each term, a column for each
    sentence."""
    weights = [
        math.sqrt(weight(term))
        * math.log(1 + (len(hits) + 1) / (len(hits) - hits.count(0.0) + 0.5))
        for term, hits in zip(question.terms, found, strict=True)
    ]
    total = sum(weights) or 1.0
    return [value / total for value in weights]


def covered(question: Question, text_terms: frozenset[str]) -> float:
    """The share of a question's content, by weight, that is among `text_terms` (0 to 1)."""
    return coverages(question, [text_terms], text_terms)[0]


def coverages(
    question: Question, texts: Sequence[Set[str]], vocabulary: frozenset[str]
) -> list[float]:
    """`covered` of each of several texts, whose terms the vocabulary holds."""
    weights = [weight(term) for term in question.terms]
    total = sum(weights)
    if not total:
        return [0.0 for _ in texts]
    kin = kindred(question.terms, vocabulary)
    rows = [match_each(*each, texts) for each in zip(question.terms, kin, strict=True)]
    return [
        sum(w * hit for w, hit in zip(weights, hits, strict=True)) / total
        for hits in zip(*rows, strict=True)
    ]
