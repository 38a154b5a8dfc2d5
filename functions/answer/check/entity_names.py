"""Are the names that a claim gives in what it cites? Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from functions.answer.context import Context, Sentence
from functions.answer.text.anaphora import opens_with_reference
from functions.answer.text.synonyms import forms_of
from functions.answer.text.words import is_common, stem, terms_of, words_of

SLACK = 4
"""Words allowed between the words of one name ("Ada King, Countess of Lovelace")."""
_CAPITALS = re.compile(r"(?:[A-Z]\w+[ -](?:(?:of|the|and|for) )?){1,5}[A-Z]\w+")
MOST_TERMS = 4
"""Content words of a predicate noun; longer predicates are judged by their words."""
_IDENTITY = re.compile(
    r"(?:^|[.!?][\"”’)]*\s+)(?:(?:so|thus|hence|therefore|in short),?\s+)?"
    r"(?:that|this|it|these|those|they|he|she|the answer)\s+(?:is|are|was|were)\s+"
    r"(?:(?:also|simply|called|named|known as)\s+)*(?P<name>[^.!?;:]+)",
    re.IGNORECASE,
)
_ACRONYM = re.compile(r"\b(?:[A-Z]\.){2,}|\b[A-Z]{2,6}\b")


class SourceWords:
    """The words of texts with their positions. What few claims need is read on first use."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)

    @cached_property
    def positions(self) -> Mapping[str, Sequence[int]]:
        """The positions of each stem, in words from the beginning."""
        positions: dict[str, list[int]] = {}
        at = 0
        for text in self._texts:
            for word in words_of(text):
                positions.setdefault(stem(word), []).append(at)
                at += 1
        return positions

    @cached_property
    def acronyms(self) -> frozenset[str]:
        """Abbreviations in capitals, in small letters and without points."""
        found = (match for text in self._texts for match in _ACRONYM.findall(text))
        return frozenset(match.replace(".", "").lower() for match in found)

    @cached_property
    def initials(self) -> frozenset[str]:
        """What the source's names could be abbreviated to ("United Kingdom": "uk")."""
        found = (match for text in self._texts for match in _CAPITALS.findall(text))
        return frozenset("".join(re.findall(r"\b[A-Z]", match)).lower() for match in found)

    def holds(self, word: str) -> bool:
        """Whether a folded word, or another form of it, is in the source."""
        return bool(_positions_of(word, self))

    def spells_out(self, acronym: str) -> bool:
        """Whether words in a row begin with an abbreviation's letters ("zero moment point")."""
        return len(acronym) > 2 and any(acronym in letters for letters in self._first_letters)

    @cached_property
    def _first_letters(self) -> tuple[str, ...]:
        return tuple("".join(word[0] for word in words_of(text)) for text in self._texts)


def antecedents(cited: Sequence[Sentence], context: Context) -> list[Sentence]:
    """The sentences before the cited ones that say whom "It …" or "They …" means."""
    before: list[Sentence] = []
    for sentence in cited:
        at = context.position[sentence.id]
        while at and opens_with_reference(context.sentences[at].text):
            at -= 1
            other = context.sentences[at]
            if (other.source, other.block) != (sentence.source, sentence.block):
                break
            before.append(other)
    return before


def names_are_given(names: Iterable[tuple[str, ...]], words: SourceWords) -> bool:
    """Whether every name's words are in the source, those of one name close together.

    "UK" and "United Kingdom" match each other.
    """
    return all(_is_given(name, words) for name in names)


def has_foreign_name(names: Iterable[tuple[str, ...]], words: SourceWords) -> bool:
    """Whether a name has a word that is not in the source and is not common ("Toyota", not
    "United")."""
    return any(
        not is_common(word) and not _positions_of(word, words)
        for name in names
        if not _is_given(name, words)
        for word in name
    )


def _is_given(name: tuple[str, ...], words: SourceWords) -> bool:
    found = [_positions_of(word, words) for word in name]
    if all(found) and (len(found) < 2 or _close(found, len(name) + SLACK)):
        return True
    for start in range(len(name)):
        if name[start] in words.initials or words.spells_out(name[start]):
            return _is_given((*name[:start], *name[start + 1 :]), words)
        for end in range(len(name), start + 1, -1):
            if "".join(word[0] for word in name[start:end]) in words.acronyms:
                return _is_given((*name[:start], *name[end:]), words)
    return not name


def _positions_of(word: str, words: SourceWords) -> Sequence[int]:
    """The positions of a word of a name, or of another form of it ("Canada", "Canadian")."""
    term = stem(word)
    found = words.positions.get(term)
    if found:
        return found
    return [at for form in forms_of(term) for at in words.positions.get(form, ())]


def _close(positions: Sequence[Sequence[int]], reach: int) -> bool:
    """Whether one position of each list can be chosen so that all are within `reach` words."""
    return any(
        all(any(abs(at - first) <= reach for at in others) for others in positions[1:])
        for first in positions[0]
    )


def identifies_another(text: str, evidence: Sequence[str]) -> bool:
    """Whether a sentence that only identifies something ("That is steam turbines.", "It was a
    treaty.") does so by words that are nowhere together in the evidence.

    What it refers to is elsewhere, so single words of it in the evidence prove nothing.
    """
    given = [terms_of(each) for each in evidence]
    return any(
        0 < len(name) <= MOST_TERMS and not any(_holds(each, name) for each in given)
        for found in _IDENTITY.finditer(text)
        if (name := terms_of(found.group("name")))
    )


def _holds(terms: Sequence[str], name: Sequence[str]) -> bool:
    size = len(name)
    return any(tuple(terms[at : at + size]) == tuple(name) for at in range(len(terms) - size + 1))
