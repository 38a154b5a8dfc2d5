"""The writer without a model: it quotes the sentences that answer best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from functions.answer.context import PROSE_KINDS, Context, Sentence
from functions.answer.deadline import Deadline
from functions.answer.relevance import covered, read_question, score_sentences
from functions.answer.text.anaphora import continues
from functions.answer.text.words import term_set
from functions.answer.write.quote_units import antecedent_of, joined, next_of, unit_of
from functions.answer.write.writer import Draft, DraftClaim

CLOSE = 0.5
"""A further sentence is quoted when it scores at least this share of the best one: in a selection,
where few sentences compete."""
CLOSE_IN_BOOK = 0.7
"""The same among the many sentences of several chunks."""
SAME = 0.9
"""What a further sentence of a section that is quoted already counts beside one of another, where
the two fit nearly as well: the reader gets both and need not trust a guess."""
TOGETHER = 0.7
"""Share of a comparison's words that one quote must hold to be the comparison itself."""

_WORKED_OUT = re.compile(
    r"^\W*(?:(?:please|can you|could you|now)\W+)?(?:calculate|compute|work out|add up|convert)\b"
    r"|\b(?:in total|altogether|how much (?:more|less)|how many (?:more|fewer)|"
    r"what (?:is|was) the (?:sum|average|product|ratio) of)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:compare[ds]?|comparing|contrast|differ(?:s|ences?)?(?= between| from|\b.{0,40}\bfrom\b)|"
    r"versus|vs|advantages? of .{1,60} over|(?:better|worse|faster|slower|larger|smaller|older|"
    r"younger|cheaper|safer|easier|harder|stronger|weaker|more \w+|less \w+) than)\b",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"^\W*(?:why\b|(?:explain|tell me) why\b|what (?:caused|causes)\b|how come\b)", re.I
)
_REASON = re.compile(
    r"\b(?:because|since|due to|owing to|reasons?|causes?|caused|so that|in order to|as a result|"
    r"results? (?:in|from)|leads? to|led to|therefore|thus|hence|consequently|thanks to|"
    r"makes? it|allows?|prevents?|to (?:avoid|keep|make|prevent|protect|reduce|save|ensure))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuoteWriter:
    """Quotes at most `max_sentences` sentences, with the sentences they refer to."""

    max_sentences: int = 3

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        return self.pick(question, context)

    def pick(self, question: str, context: Context) -> Draft:
        """The draft, in the order of the context's sources. Pure."""
        scores = score_sentences(read_question(question), context)
        close = CLOSE if context.is_embedded else CLOSE_IN_BOOK
        least = close * max(scores, default=0.0)
        ranked = [at for at, score in enumerate(scores) if score >= least]
        units: list[tuple[Sentence, ...]] = []
        taken: set[str] = set()
        while ranked and len(units) < self.max_sentences:
            quoted = {unit[0].source for unit in units}
            at = max(
                ranked,
                key=lambda at: scores[at] * (SAME if context.sentences[at].source in quoted else 1),
            )
            ranked.remove(at)
            sentence = context.sentences[at]
            if sentence.id in taken or not re.search(r"\w{2}", sentence.text):
                continue
            unit = unit_of(sentence, context)
            taken.update(member.id for member in unit)
            units.append(unit)
            if len(units) == 1 < self.max_sentences:
                units += _continuation(unit, taken, context)
        units = _with_antecedents(units, context, self.max_sentences)
        units.sort(key=lambda unit: context.position[unit[0].id])
        claims = tuple(
            DraftClaim(joined(unit), tuple(sentence.id for sentence in unit)) for unit in units
        )
        if not claims:
            return Draft("none", ())
        partial = needs_more_than_quotes(question, [claim.text for claim in claims])
        return Draft("partial" if partial else "full", claims)


def _continuation(
    unit: tuple[Sentence, ...], taken: set[str], context: Context
) -> list[tuple[Sentence, ...]]:
    """The next sentence of the block, where it continues a single one ("It …"): the first often
    names the subject, the second makes the point."""
    if context.is_embedded or len(unit) > 1 or unit[0].kind not in PROSE_KINDS:
        return []
    following = next_of(unit[0], context)
    if following is None or following.block != unit[0].block or following.id in taken:
        return []
    if not continues(following.text):
        return []
    taken.add(following.id)
    return [(following,)]


def _with_antecedents(
    units: list[tuple[Sentence, ...]], context: Context, most: int
) -> list[tuple[Sentence, ...]]:
    """The units, best first, each that opens with an anaphor ("It …") after the sentence before it.

    A unit is dropped before a sentence that a better one refers to.
    """
    kept: list[tuple[Sentence, ...]] = []
    taken: set[str] = set()
    for unit in units:
        if unit[0].id in taken:
            continue
        wanted = [unit]
        before = antecedent_of(unit[0], context) if most > 1 else None
        if before is not None and before.id not in taken:
            wanted.insert(0, (before,))
        if kept and len(kept) + len(wanted) > most:
            continue
        kept += wanted
        taken.update(sentence.id for each in wanted for sentence in each)
    return kept


def needs_more_than_quotes(question: str, quotes: Sequence[str]) -> bool:
    """Whether what was asked has to be worked out from the quotes, which do not say it as such.

    A sum or a conversion always has to; a comparison unless one quote holds both sides; a reason
    unless a quote gives one.
    """
    if not quotes:
        return False
    if _WORKED_OUT.search(question):
        return True
    if _COMPARED.search(question):
        asked = read_question(question)
        return all(covered(asked, term_set(quote)) < TOGETHER for quote in quotes)
    return _WHY.search(question) is not None and not any(map(_REASON.search, quotes))
