"""Where in a source markup may begin, or what hides it: all the places, in one pass."""

from __future__ import annotations

import re

_CHARACTERS = b"`<{\\$"
_IS_MARK = bytes(code in _CHARACTERS for code in range(256))
_LONGER = {
    "~": re.compile("~(?=~~)"),
    ":": re.compile(":(?=::)"),
    "\n": re.compile(r"\n(?:import|export)\b"),
}
"""Marks of several characters, by the first."""


def find_marks(source: str, letters: bytes) -> bytearray:
    """1 for each character of the source that a mark stands at, 0 for every other.

    `letters` has one byte for each character. Marks are the characters above, three tildes or
    colons, and the line end in front of an import or an export.
    """
    # To look for one character or text at a time is several times as fast as for either of two.
    marks = bytearray(letters.translate(_IS_MARK))
    for character, pattern in _LONGER.items():
        if character in source:
            for found in pattern.finditer(source):
                marks[found.start()] = 1
    return marks
