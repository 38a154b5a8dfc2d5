"""What a session was told already, so that nothing is told twice. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from functions.answer.context import Sentence
from functions.answer.text.words import WORD


@dataclass(frozen=True)
class Told:
    """The quotes of a session's last answers. `own` are the stems of the reader's new words."""

    quotes: tuple[str, ...]
    own: frozenset[str] = frozenset()

    @cached_property
    def _letters(self) -> str:
        return "\n".join(map(_letters, self.quotes))

    def has(self, sentence: Sentence) -> bool:
        return any(
            letters in self._letters
            for text in (sentence.text, sentence.quote)
            if (letters := _letters(text))
        )


def _letters(text: str) -> str:
    return "".join(WORD.findall(text.lower()))
