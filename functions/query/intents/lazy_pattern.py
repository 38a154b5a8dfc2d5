"""Patterns of wordings, compiled when they are first needed and not when the function starts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Wording:
    """A regular expression with the methods of a compiled one."""

    source: str
    flags: int = 0

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source, self.flags)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self.pattern.fullmatch(text)

    def match(self, text: str) -> re.Match[str] | None:
        return self.pattern.match(text)

    def search(self, text: str) -> re.Match[str] | None:
        return self.pattern.search(text)

    def finditer(self, text: str) -> list[re.Match[str]]:
        return list(self.pattern.finditer(text))

    def sub(self, instead: str | Callable[[re.Match[str]], str], text: str) -> str:
        return self.pattern.sub(instead, text)
