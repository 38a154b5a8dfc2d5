"""Finds the words of the packaged list in a text, also disguised ones ("f*ck", "sh1t", "f u c k").

Only whole words count: "analysis" and "Scunthorpe" hold none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, get_args

Level = Literal["obscene", "coarse", "ordinary", "insult"]

_LONGEST = 6  # words of a phrase
_TOKEN = re.compile(
    r"[^\W_]+(?:[@$!+]+(?=[^\W_])[^\W_]*)*|[@$][^\W_]+(?:[@$!+][^\W_]+)*|\U0001F595"
)
_CHUNK = re.compile(r"\S+")
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W_][\s._*~-]{1,3}){2,}[^\W_](?![^\W_])")
_LEET = str.maketrans("0134578@$!+", "oieastbasit")
_MASKS = "*#%"
_STRETCHED = re.compile(r"(.)\1{2,}")
_OUTSIDE = "\"'.,;:?!()[]{}<>“”‘’«»…`"
# No ordinary word holds these.
_ROOTS = re.compile(r"fuck|bitch|asshole|cocksuck|motherf|dickhead|bullshit|shithead|dumbass")
# What is guessed when next to nothing but the first letter is left.
_USUAL = frozenset("fuck fucks fucked fucker fucking shit shitty cunt cunts bitch asshole".split())
# Letters of other alphabets that look like Latin ones.
_ALIKE = str.maketrans("аеіоурсхѕαεικονρτυ", "aeioypcxsaeikovptu")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=\S)([^*]+)(?<=\S)\1(?![\w*])")


@dataclass(frozen=True, slots=True)
class Finding:
    """A listed word in a text, and its position."""

    term: str
    level: Level
    start: int
    end: int


def plain(text: str) -> str:
    """The text with look-alikes made Latin and invisible characters gone; case is kept."""
    if text.isascii():
        return _EMPHASIS.sub(r"\2", text) if "*" in text else text
    folded = unicodedata.normalize("NFKD", text)
    for unseen in {c for c in set(folded) if unicodedata.category(c) in ("Cf", "Mn")}:
        folded = folded.replace(unseen, "")
    return _EMPHASIS.sub(r"\2", folded.translate(_ALIKE))


def find_obscenities(text: str) -> list[Finding]:
    """Every listed word or phrase of a `plain` text, in its order."""
    found = [*_phrases(text), *_spaced(text), *_disguised(text)]
    return sorted(found, key=lambda one: (one.start, -one.end))


def _phrases(text: str) -> Iterator[Finding]:
    tokens = [(m.group().lower(), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    listed = _listed()
    for at, (first, start, end) in enumerate(tokens):
        if alone := _single(first):
            yield Finding(*alone, start, end)
        if first not in _first_words():
            continue
        words = tuple(word for word, _, _ in tokens[at : at + _LONGEST])
        for length in range(len(words), 1, -1):
            level = listed.get(words[:length])
            if level is not None:
                yield Finding(" ".join(words[:length]), level, start, tokens[at + length - 1][2])
                break


@lru_cache(maxsize=8_192)
def _single(word: str) -> tuple[str, Level] | None:
    """The listed word that a written one means, with its level."""
    listed = _listed()
    for form in _forms(word):
        level = listed.get((form,))
        if level is None and _ROOTS.search(form):
            level = "obscene"
        if level is None and form[-1:] == "s" and form[-2:] != "ss":
            level = "obscene" if listed.get((form[:-1],)) == "obscene" else None
        if level is not None:
            return form, level
    return None


def _forms(word: str) -> list[str]:
    """What a written word may mean, itself first."""
    forms = [word]
    if len(word) > 3 and not word.isalpha() and not word.isdigit():
        forms += [word.translate(_LEET), word.replace("1", "l").translate(_LEET)]
    if not any(_STRETCHED.search(form) for form in forms):
        return list(dict.fromkeys(forms))
    stretched = [_STRETCHED.sub(by, form) for form in forms for by in (r"\1", r"\1\1")]
    return list(dict.fromkeys([*forms, *(form for form in stretched if len(form) > 2)]))


def _spaced(text: str) -> Iterator[Finding]:
    """Letters set apart: "f u c k", "f.u.c.k"."""
    for match in _SPACED.finditer(text):
        letters = re.sub(r"[\s._*~-]", "", match.group().lower()).translate(_LEET)
        size = len(letters)
        for start in range(size):
            for end in range(min(size, start + max(_words_by_length())), start + 3, -1):
                if _listed().get((letters[start:end],)) == "obscene":
                    yield Finding(letters[start:end], "obscene", *match.span())
                    return


def _disguised(text: str) -> Iterator[Finding]:
    """Letters replaced by marks, or a mark put between them: "f*ck", "s***", "fu.ck"."""
    for match in _CHUNK.finditer(text):
        chunk = match.group().lower().strip(_OUTSIDE)
        if chunk.isalpha():
            continue
        letters = "".join(c for c in chunk if c.isalpha())
        if len(chunk) < 4 or not chunk[:1].isalpha() or chunk == letters:
            continue
        parted = len(letters) > 3 and all(c.isalpha() or c in "._-~*'" for c in chunk)
        if parted and _listed().get((letters,)) == "obscene":
            yield Finding(letters, "obscene", *match.span())
            continue
        if not letters or not all(c.isalpha() or c in _MASKS for c in chunk):
            continue
        wanted = re.compile("".join("." if c in _MASKS else c for c in chunk))
        words = _words_by_length().get(len(chunk), ()) if 2 * len(letters) >= len(chunk) else ()
        usual = [word for word in _USUAL if len(word) == len(chunk)]
        term = next((w for w in (*usual, *words) if wanted.fullmatch(w)), None)
        if term:
            yield Finding(term, "obscene", *match.span())


@cache
def _listed() -> dict[tuple[str, ...], Level]:
    """Each term's words and its level."""
    listed: dict[tuple[str, ...], Level] = {}
    level: Level = "obscene"
    levels: dict[str, Level] = {f"[{name}]": name for name in get_args(Level)}
    path = Path(__file__).with_name("obscenities.txt")
    for line in path.read_text("utf-8").splitlines():
        if line in levels:
            level = levels[line]
        elif not line.startswith("#"):
            for term in line.split("; "):
                words = tuple(word.lower() for word in _TOKEN.findall(plain(term)))
                if words and "+" not in term:  # "sh! +" would list "sh"
                    listed.setdefault(words, level)
    return listed


@cache
def _first_words() -> frozenset[str]:
    return frozenset(words[0] for words in _listed() if len(words) > 1)


@cache
def _words_by_length() -> dict[int, tuple[str, ...]]:
    """Obscene words of letters only, by their length."""
    by_length: dict[int, tuple[str, ...]] = {}
    for words, level in _listed().items():
        if level == "obscene" and len(words) == 1 and words[0].isalpha():
            by_length[len(words[0])] = (*by_length.get(len(words[0]), ()), words[0])
    return by_length
