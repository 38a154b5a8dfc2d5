"""What an answer shows: the claims that passed and, in place of each other one, the sentences that
it cites, whole. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from functions.answer.check.check_claims import EMPTY, FRAME, Check
from functions.answer.context import Context, Sentence
from functions.answer.question import read_question
from functions.answer.relevance import score_sentences
from functions.answer.write.excerpts import CODE_KINDS, antecedents_of, joined, unit_of
from functions.answer.write.writer import DraftClaim
from functions.book.sentences.block_sentences import sentences_of

BEARS = 0.3
"""A claim's sentences bear on the question when one, or what it refers to, scores this share of the
context's best for the question or a part of it: in a selection, whose sentences are embedded. Of
the sentences with the answer to one of 200 questions about passages of Wikipedia, 92 % do; of the
others, 51 %."""
BEARS_IN_BOOK = 0.4
"""The same by words and passages: 93 % and 31 % among the chunks found."""
MOST_SENTENCES = 4
"""Cited sentences that are quoted for one claim, best first."""
MOST_QUOTES = 8
"""Claims of one answer that are quoted: as many as a writer is asked for."""
MOST_PARTS = 6
_PART_END = re.compile(r"[,;?.]\s+|\s+(?:and|or)\s+")
_NUMBER = re.compile(r"^\s*(?:[(\[]?\d{1,3}[.):\]]+|[-*•])\s+")
"""The number or mark of a list item."""
_MARKS = ".,;:!?…\"'“”‘’«»()[]"


@dataclass(frozen=True, slots=True)
class Shown:
    """The claims shown, in order. `quoted` are the positions of the checks that quotes stand for;
    `is_whole`: nothing that makes a statement is left out."""

    claims: tuple[Check, ...]
    quoted: frozenset[int] = frozenset()
    is_whole: bool = True


def show_claims(question: str, checks: Sequence[Check], context: Context) -> Shown:
    """Show each claim once: as it is if it passed, else by its sentences if they bear on the
    question, else not at all.

    A claim that says nothing ("That is right.") is quoted only where nothing else is shown.
    """
    once = _without_copies(checks)
    telling = [at for at in once if checks[at].objections != (EMPTY,)]
    shown = _show(question, checks, telling, context)
    return shown if shown.claims or telling == once else _show(question, checks, once, context)


def _show(question: str, checks: Sequence[Check], once: Sequence[int], context: Context) -> Shown:
    rows = [[checks[at]] if checks[at].passed else [] for at in once]
    failed = [(row, at) for row, at in enumerate(once) if not checks[at].passed]
    if not failed:
        return Shown(tuple(check for row in rows for check in row))
    quotes = _Quotes(context, _bearing(question, context), rows)
    quoted = frozenset(at for row, at in failed if quotes.stand_for(checks[at].claim, row))
    claims = tuple(check for row in rows for check in row)
    return Shown(claims, quoted, len(quoted) == len(failed))


def _without_copies(checks: Sequence[Check]) -> list[int]:
    """The positions of the checks without equal claims: of those the first that passed, else the
    first. A number before a claim, or a sentence said twice in it, makes no other claim."""
    first: dict[tuple[str, ...], int] = {}
    for at, check in enumerate(checks):
        text = _said(check.claim.text)
        if text not in first or (check.passed and not checks[first[text]].passed):
            first[text] = at
    return sorted(first.values())


def _said(text: str) -> tuple[str, ...]:
    """The sentences of a claim, folded, each once."""
    bare = FRAME.sub("", _NUMBER.sub("", text).strip())
    sentences = [each.text for each in sentences_of("paragraph", bare)] or [text]
    return tuple(dict.fromkeys(map(folded, sentences)))


@dataclass
class _Quotes:
    """Puts quotes into the rows of an answer, one row a claim. No sentence is quoted that a row
    holds already."""

    context: Context
    bearing: Sequence[float]
    rows: list[list[Check]]
    made: int = 0
    quoted: set[str] = field(default_factory=set)

    def stand_for(self, claim: DraftClaim, row: int) -> bool:
        """Quote what a claim cites; False when that does not bear on the question."""
        ids = set(claim.sentence_ids)
        cited = [each for each in self.context.sentences if each.id in ids]
        least = BEARS if self.context.is_embedded else BEARS_IN_BOOK
        if max(map(self._score, cited), default=0.0) < least:
            return False
        cited = sorted(cited, key=self._score, reverse=True)[:MOST_SENTENCES]
        runs = self._runs(cited)
        if runs and self.made == MOST_QUOTES:
            return False
        self.made += bool(runs)
        for run in runs:
            self._place(run, row)
        return True

    def _score(self, sentence: Sentence) -> float:
        """How a sentence bears on the question, or one that it refers to, if that does more."""
        known = (sentence, *antecedents_of(sentence, self.context))
        return max(self.bearing[self.context.position[each.id]] for each in known)

    def _runs(self, cited: Iterable[Sentence]) -> list[list[Sentence]]:
        """The sentences to show for those cited, in the book's order, as stretches of a source."""
        wanted: set[int] = set()
        for sentence in cited:
            if self._showing(sentence) is not None:
                continue
            unit = self._fresh(unit_of(sentence, self.context))
            before = antecedents_of(unit[0], self.context)
            while any(self._showing(each) is not None for each in before):
                before = before[1:]
            wanted |= {self.context.position[each.id] for each in (*before, *unit)}
        runs: list[list[Sentence]] = []
        for at in sorted(wanted):
            sentence = self.context.sentences[at]
            last = runs[-1][-1] if runs else None
            if last and last.source == sentence.source and self.context.position[last.id] == at - 1:
                runs[-1].append(sentence)
            else:
                runs.append([sentence])
        return runs

    def _fresh(self, unit: Sequence[Sentence]) -> Sequence[Sentence]:
        """A unit without what was quoted of it before at its ends: windows of code overlap."""
        while unit[0].id in self.quoted:
            unit = unit[1:]
        while unit[-1].id in self.quoted:
            unit = unit[:-1]
        return unit

    def _place(self, run: list[Sentence], row: int) -> None:
        """Put a quote in place of what rests on it or is a part of it, else after the sentence
        that it refers to, else into the row."""
        quote = Check(DraftClaim(joined(run), tuple(each.id for each in run)), "verbatim")
        self.quoted.update(quote.claim.sentence_ids)
        text = f" {folded(quote.claim.text)} "
        parts = [
            (each, check)
            for each in self.rows
            for check in each
            if set(check.claim.sentence_ids) <= set(quote.claim.sentence_ids)
            and (check.proof != "verbatim" or f" {folded(check.claim.text)} " in text)
        ]
        before = antecedents_of(run[0], self.context)
        if parts:
            first, part = parts[0]
            first.insert(first.index(part), quote)
            for each, check in parts:
                each.remove(check)
        elif before and (place := self._showing(before[-1])) is not None:
            after, check = place
            after.insert(after.index(check) + 1, quote)
        else:
            self.rows[row].append(quote)

    def _showing(self, sentence: Sentence) -> tuple[list[Check], Check] | None:
        """The row and the check that show a sentence whole. A line of code is one of its place."""
        text = f" {folded(sentence.text)} "
        is_code = sentence.kind in CODE_KINDS
        for row in self.rows:
            for check in row:
                here = sentence.id in check.claim.sentence_ids or not is_code
                is_quote = here and check.proof == "verbatim"
                if is_quote and text in f" {folded(check.claim.text)} ":
                    return row, check
        return None


def _bearing(question: str, context: Context) -> list[float]:
    """The score of each sentence as a share of the best one's, for the whole question or the part
    of it ("Who …, when …, and what …?") that it fits best; all bear on a question without words."""
    if not question:
        return [1.0] * len(context.sentences)
    parts = [part for part in _PART_END.split(question) if read_question(part).terms]
    bearing = [0.0] * len(context.sentences)
    for part in dict.fromkeys([question, *parts[:MOST_PARTS]]):
        scores = score_sentences(read_question(part), context)
        if (best := max(scores)) > 0:
            bearing = [
                max(known, score / best) for known, score in zip(bearing, scores, strict=True)
            ]
    return bearing


def folded(text: str) -> str:
    """A text without case, and without the marks around its words."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    bare = [word.strip(_MARKS) for word in words]
    return " ".join(word for word in bare if word) or text
