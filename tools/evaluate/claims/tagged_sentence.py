"""A sentence as words with their parts of speech."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from quoth.commands.evaluation import CannotMeasure

NAME = "NP0"
NOUNS = frozenset({"NN0", "NN1", "NN2", NAME})
SINGULAR = frozenset({"NN1", "NN0", NAME})
FINITE = frozenset("VVZ VVB VVD VBZ VBB VBD VHZ VHB VHD VDZ VDB VDD VM0".split())
BE = frozenset({"is", "are", "was", "were"})
_CODE = re.compile(r"[_\\/<>{}\[\]()=&$#@:.]|[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d")
_RUN = re.compile(r"\w+<[^<>\s]*(?:, [^<>\s]*)*>\S*|\S+")
_OPENING, _CLOSING = "(\"“‘'", ".,;:!?)\"”’'…"
_CONTRACTION = re.compile(r"(?i)(?P<word>\w+?)(?P<rest>n['’]t|['’](?:s|re|ve|ll|d|m))\Z")
_PUNCTUATION = {"(": "PUL", ")": "PUR"}
_FORCED = {"that's": "DT0", "if": "CJS", "when": "CJS", "unless": "CJS", "because": "CJS"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark, its tag (CLAWS 5), and where it stands: `text[start:end]`."""

    text: str
    tag: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower().replace("’", "'")

    @property
    def is_noun(self) -> bool:
        return self.tag in NOUNS

    @property
    def is_mark(self) -> bool:
        return self.tag in ("PUN", "PUL", "PUR", "PUQ")


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence and its tokens; a position below is an index into `tokens`."""

    text: str

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        words = list(_words(self.text))
        spoken = ["name" if _is_code(word) else word.replace("’", "'") for word, _, _ in words]
        tags = [tag for _, _, tag in _tagger().tag_sent(spoken)] if spoken else []
        return tuple(
            Token(word, _tag(word, tag), start, end)
            for (word, start, end), tag in zip(words, tags, strict=True)
        )

    @cached_property
    def words(self) -> tuple[str, ...]:
        """In lower case."""
        return tuple(token.lower for token in self.tokens)

    def between(self, first: int, last: int) -> str:
        """The text of tokens `first` to `last`, the latter not included."""
        if first >= last:
            return ""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def replaced(self, first: int, last: int, by: str) -> str:
        """The text with tokens `first` to `last` (not included) replaced."""
        return self.text[: self.tokens[first].start] + by + self.text[self.tokens[last - 1].end :]

    @cached_property
    def stop(self) -> int:
        """The position of the mark that ends the sentence."""
        last = len(self.tokens)
        return last - 1 if self.tokens and self.tokens[-1].text in ".!?" else last


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    for run in _RUN.finditer(text):
        start, end = run.start(), run.end()
        while start < end and text[start] in _OPENING:
            yield text[start], start, start + 1
            start += 1
        closing: list[tuple[str, int, int]] = []
        while end > start and text[end - 1] in _CLOSING and not _is_call(text[start:end]):
            closing.append((text[end - 1], end - 1, end))
            end -= 1
        if start < end:
            yield from _parts(text[start:end], start)
        yield from reversed(closing)


def _is_call(run: str) -> bool:
    """Whether the mark at the end belongs to the word: `main()`, `e.g.`"""
    return (run.endswith(")") and "(" in run) or run.lower() in ("e.g.", "i.e.", "etc.", "vs.")


def _parts(word: str, start: int) -> Iterator[tuple[str, int, int]]:
    found = _CONTRACTION.match(word)
    if word.lower() == "cannot":
        yield word[:3], start, start + 3
        yield word[3:], start + 3, start + 6
    elif found:
        cut = start + found.end("word")
        yield found["word"], start, cut
        yield found["rest"], cut, start + len(word)
    elif "—" in word.strip("—") and len(word) > 1:
        at = word.index("—")
        yield from _parts(word[:at], start)
        yield "—", start + at, start + at + 1
        yield from _parts(word[at + 1 :], start + at + 1)
    else:
        yield word, start, start + len(word)


def _is_code(word: str) -> bool:
    return len(word) > 1 and "—" not in word and bool(_CODE.search(word)) and word[0] not in "'’"


def _tag(word: str, tag: str) -> str:
    lower = word.lower().replace("’", "'")
    if lower in ("n't", "not"):
        return "XX0"
    if lower in ("e.g.", "i.e.", "etc.", "vs."):
        return "AV0"
    if word in _PUNCTUATION:
        return _PUNCTUATION[word]
    if not any(character.isalnum() for character in word):
        return "PUN" if word in ".,;:!?—–-…" else "UNC"
    if re.fullmatch(r"\d[\d,.]*%?", word):
        return "CRD"
    if _is_code(word):
        return NAME
    return _FORCED.get(lower, tag)


@cache
def _tagger() -> Any:
    try:
        from HanTa import HanoverTagger
    except ImportError as error:
        raise CannotMeasure("claims from a book need the package HanTa: make .venv/dev") from error
    return HanoverTagger.HanoverTagger("morphmodel_en.pgz")
