"""Heading ids as github-slugger makes them, which Docusaurus uses."""

from __future__ import annotations

import re
import unicodedata

_PLAIN = re.compile(r"[a-z0-9_ -]*")
_DROPPED_ASCII = re.compile(r"[^a-z0-9_ \-\x80-\U0010ffff]")
_OTHER_ALPHABETIC = re.compile(
    "[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]"
)


def slug_of(title: str) -> str:
    """The id of a heading whose title stands for the first time."""
    text = title.lower()
    if not _PLAIN.fullmatch(text):
        text = _DROPPED_ASCII.sub("", text)
        if not text.isascii():
            text = "".join(c for c in text if c.isascii() or _is_kept(c))
    return text.replace(" ", "-")


def _is_kept(character: str) -> bool:
    category = unicodedata.category(character)
    if category[0] in "LM" or category in {"Nd", "Nl", "Pc"}:
        return True
    return bool(_OTHER_ALPHABETIC.match(character))


class Slugger:
    """Gives each heading of one document its id: a second `setup` becomes `setup-1`."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def give(self, title: str) -> str:
        """The id for the next heading in order. Explicit ids are not told to it."""
        original = slug = slug_of(title)
        while slug in self._seen:
            self._seen[original] += 1
            slug = f"{original}-{self._seen[original]}"
        self._seen[slug] = 0
        return slug
