"""The language of a question, by its script and its commonest words. Pure.

It decides the language of a refusal, so a doubtful question counts as English.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

LEAST = 2
"""Common words of a language that a question needs to be in it."""
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS_OF_URDU = re.compile(r"[ٹڈڑںےھہ]")
_SCRIPTS = (
    ("ja", re.compile(r"[぀-ヿ]")),
    ("zh", re.compile(r"[一-鿿]")),
    ("ko", re.compile(r"[가-힯]")),
    ("hi", re.compile(r"[ऀ-ॿ]")),
    ("he", re.compile(r"[א-ת]")),
    ("ar", re.compile(r"[؀-ۿ]")),
)


@lru_cache(maxsize=1_024)
def language_of(question: str) -> str:
    """Its ISO 639-1 code, one of those in `languages.toml`."""
    words = _WORD.findall(question.lower())
    for language, script in _SCRIPTS:
        if 2 * sum(script.search(word) is not None for word in words) >= len(words) > 0:
            urdu = language == "ar" and _LETTERS_OF_URDU.search(question)
            return "ur" if urdu else language
    hits = {
        language: sum(word in common for word in words)
        + any(letter in question.lower() for letter in letters)
        for language, (common, letters) in _common().items()
    }
    best = max(hits, key=lambda language: hits[language])
    is_sure = hits[best] >= LEAST and sorted(hits.values())[-2] < hits[best]
    is_sure = is_sure and hits[best] > 2 * hits["en"]
    return best if is_sure else "en"


def sentence_in(language: str, kind: str, otherwise: str) -> str:
    """A refusal's sentence, "out_of_scope" or "selection", in a language that has it."""
    return str(_table()[language].get(kind, otherwise))


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))


@cache
def _common() -> dict[str, tuple[frozenset[str], str]]:
    return {
        language: (frozenset(row["words"].split()), row.get("letters", ""))
        for language, row in _table().items()
        if "words" in row
    }
