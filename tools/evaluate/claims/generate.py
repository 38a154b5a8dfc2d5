"""The evaluation set of one book: unsupported and supported claims, balanced over their kinds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from tools.evaluate.claims import (
    changed_clauses,
    changed_words,
    kept_clauses,
    kept_words,
    reworded,
)
from tools.evaluate.claims.book_sentences import Book, BookSentence, read_book
from tools.evaluate.claims.claim import Claim, Transformation
from tools.evaluate.claims.random_swap import random_swap

UNSUPPORTED: Mapping[str, Transformation] = {
    "U_roles": changed_clauses.roles_swapped,
    "U_number": changed_words.number_of_neighbour,
    "U_unit": changed_words.unit,
    "U_cause_turned": changed_clauses.cause_turned,
    "U_cause_invented": changed_clauses.cause_invented,
    "U_crossed": changed_clauses.crossed,
    "U_conjuncts": changed_clauses.conjuncts_swapped,
    "U_name": changed_words.neighbour_name,
    "U_quantifier": changed_words.quantifier,
    "U_only_added": changed_words.only_added,
    "U_hedge_dropped": changed_words.hedge_dropped,
    "U_modal": changed_words.modal_changed,
    "U_condition_dropped": changed_clauses.condition_dropped,
    "U_attitude_dropped": changed_clauses.attitude_dropped,
    "U_order": changed_clauses.order_turned,
    "U_comparison": changed_words.comparison,
    "U_opposite": changed_words.opposite,
    "U_negation_added": changed_words.negation_added,
    "U_negation_dropped": changed_words.negation_dropped,
    "U_fact_added": changed_words.fact_added,
    "U_entry_crossed": changed_clauses.entries_crossed,
    "U_random_swap": random_swap,
}
SUPPORTED: Mapping[str, Transformation] = {
    "S_clause": kept_clauses.clause,
    "S_passive": kept_clauses.passive,
    "S_relative": kept_clauses.relative,
    "S_apposition": kept_clauses.apposition,
    "S_moved": kept_clauses.moved,
    "S_list_shortened": kept_words.list_shortened,
    "S_pronoun": kept_words.pronoun_resolved,
    "S_synonym": kept_words.synonym,
    "S_marker_dropped": kept_words.marker_dropped,
    "S_parenthesis_dropped": kept_words.parenthesis_dropped,
    "S_filler_dropped": kept_words.filler_dropped,
    "S_entry": kept_words.entry_as_sentence,
    "S_predicate": reworded.predicate,
    "S_adjunct_dropped": reworded.adjunct_dropped,
    "S_possessive": reworded.possessive,
    "S_reworded": reworded.reworded,
    "S_tense": reworded.tense,
    "S_combined": reworded.combined,
    "S_combined_with_synonym": reworded.combined_with_synonym,
    "S_two_synonyms": reworded.two_synonyms,
    "S_two_entries": reworded.two_entries,
    "S_two_sentences": reworded.two_sentences,
}
MOST_PER_KIND = {False: 30, True: 45}
"""By whether the kind is supported: fewer kinds are."""
MOST_PER_SIDE = 300
MOST_PER_SENTENCE, MOST_OF_A_SHORT_BOOK = 3, 10
ENOUGH = 250
CANDIDATES = 400
"""Claims of one kind that are made, to choose from."""
READ_AT_MOST = 5000
"""Sentences of a book that are looked at, drawn by its name."""
DROPPED = Path(__file__).with_name("dropped.txt")

Row = dict[str, Any]


def claims_of_book(folder: Path) -> list[Row]:
    """The rows of one book, the same at every run."""
    book = read_book(folder)
    sentences = _sentences(book)
    rows: list[Row] = []
    for kinds in (UNSUPPORTED, SUPPORTED):
        found = {
            kind: list(islice(_kept(_rows(kind, make, book, sentences)), CANDIDATES))
            for kind, make in kinds.items()
        }
        rows += _balanced(found)
    return rows


def random_swaps_of_book(folder: Path, count: int) -> list[Row]:
    """Claims from as many sentences of a book, each with two content words exchanged."""
    book = read_book(folder)
    sentences = _sentences(book)
    rows = _rows("U_random_swap", random_swap, book, sentences)
    return list(islice(_kept(rows), count))


def _kept(rows: Iterator[Row]) -> Iterator[Row]:
    return (row for row in rows if row["id"] not in dropped_ids())


def _sentences(book: Book) -> list[BookSentence]:
    sentences = [each for each in book.sentences if _is_candidate(each)]
    random.Random(book.name).shuffle(sentences)  # noqa: S311
    return sentences[:READ_AT_MOST]


def _is_candidate(sentence: BookSentence) -> bool:
    return bool(sentence.text) and sentence.text in sentence.paragraph.readable


def _rows(
    kind: str, make: Transformation, book: Book, sentences: list[BookSentence]
) -> Iterator[Row]:
    draw = random.Random(f"{book.name} {kind}")  # noqa: S311
    of_entries = "entry" in kind or "entries" in kind
    starts_dangling = kind in ("S_pronoun", "S_marker_dropped")
    for sentence in sentences:
        if not of_entries and not sentence.is_statement:
            continue
        if not of_entries and not (starts_dangling or sentence.stands_alone):
            continue
        for claim in make(sentence, book, draw):
            if _is_fit(claim):
                yield _row(kind, claim, book)


def _is_fit(claim: Claim) -> bool:
    texts = {each.text for each in claim.cited}
    readable = all(each.text in each.paragraph.readable for each in claim.cited)
    whole = claim.text.count("(") == claim.text.count(")")
    return readable and whole and claim.text not in texts and len(claim.text.split()) >= 3


def _row(kind: str, claim: Claim, book: Book) -> Row:
    source = claim.cited[0]
    cited = [each.text for each in claim.cited]
    digest = sha256("\n".join([*cited, claim.text]).encode()).hexdigest()[:10]
    return {
        "id": f"{book.name}:{kind}:{digest}",
        "kind": kind,
        "source": book.name,
        "context": source.paragraph.context,
        "question": "",
        "response": claim.text,
        "supported": kind.startswith("S_"),
        "group": f"{book.name}:{source.paragraph.path}:{source.paragraph.block}",
        "cited": cited,
    }


def _balanced(found: Mapping[str, list[Row]]) -> list[Row]:
    """Rows of all kinds in turn, the rare kinds first; few of each sentence unless all are few."""
    chosen: dict[str, Row] = {}
    for most in range(MOST_PER_SENTENCE, MOST_OF_A_SHORT_BOOK + 1):
        chosen = _taken_in_turn(found, most)
        if len(chosen) >= ENOUGH:
            break
    return sorted(chosen.values(), key=lambda row: (row["kind"], row["id"]))


def _taken_in_turn(found: Mapping[str, list[Row]], most_per_sentence: int) -> dict[str, Row]:
    """By their text. A kind uses a sentence twice only where one use of each is not enough."""
    used: Counter[tuple[str, ...]] = Counter()
    chosen: dict[str, Row] = {}
    waiting = {kind: sorted(rows, key=lambda row: row["id"]) for kind, rows in found.items()}
    taken: Counter[str] = Counter()
    while any(waiting.values()) and len(chosen) < MOST_PER_SIDE:
        for kind in sorted(waiting, key=lambda kind: (len(found[kind]), kind)):
            row = next(
                (row for row in waiting[kind] if _may_take(row, used, most_per_sentence)), None
            )
            if row is None or taken[kind] >= MOST_PER_KIND[kind[0] == "S"]:
                waiting[kind] = []
                continue
            waiting[kind].remove(row)
            if row["response"] not in chosen:
                chosen[row["response"]] = row
                taken[kind] += 1
                used.update([(row["cited"][-1],), (kind, row["cited"][-1])])
    return chosen


def _may_take(row: Row, used: Counter[tuple[str, ...]], most: int) -> bool:
    sentence = row["cited"][-1]
    return used[(sentence,)] < most and used[row["kind"], sentence] < max(1, most - 3)


@cache
def dropped_ids() -> frozenset[str]:
    """Rows that were read and found wrong: an id and the reason on each line."""
    lines = DROPPED.read_text("utf-8").splitlines() if DROPPED.is_file() else []
    return frozenset(line.split()[0] for line in lines if line.strip() and line[0] != "#")
