"""The ids that generators give to headings: github-slugger's, which Docusaurus and mdBook use, and
those of Python-Markdown, which MkDocs uses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Literal, Protocol

HeadingIds = Literal[
    "github", "python-markdown", "python-markdown-unicode", "pymdownx", "pymdownx-lower"
]
"""`python-markdown` is the toc extension's own function, `pymdownx` that of pymdownx.slugs."""

_PLAIN = re.compile(r"[a-z0-9_ -]*")
_DROPPED_ASCII = re.compile(r"[^a-z0-9_ \-\x80-\U0010ffff]")
_OTHER_ALPHABETIC = re.compile(
    "[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]"
)
_NO_WORD = re.compile(r"[^\w\s-]")
_NO_WORD_OR_BLANK = re.compile(r"[^\w\- ]")
_SEPARATORS = re.compile(r"[-\s]+")
_COUNTED = re.compile(r"(.*)_([0-9]{1,18})", re.DOTALL)


class Slugger(Protocol):
    """Assigns ids to the headings of one document, in order."""

    reads_images: bool
    """Whether the alternative texts of images are part of a heading's id."""

    def give(self, title: str) -> str:
        """The id of the next heading that has no explicit one."""
        ...


def slugger_of(heading_ids: HeadingIds, explicit: Iterable[str] = ()) -> Slugger:
    """A new slugger. `explicit` are the ids that the document's author gave."""
    if heading_ids == "github":
        return GithubSlugger()
    return MarkdownSlugger(_MARKDOWN_SLUGS[heading_ids], explicit)


class GithubSlugger:
    """A second `setup` becomes `setup-1`. Explicit ids do not count."""

    reads_images = True

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def give(self, title: str) -> str:
        original = slug = slug_of(title)
        while slug in self._seen:
            self._seen[original] += 1
            slug = f"{original}-{self._seen[original]}"
        self._seen[slug] = 0
        return slug


class MarkdownSlugger:
    """A second `setup` becomes `setup_1`, and a heading without a letter `_1`."""

    reads_images = False

    def __init__(self, slug: Callable[[str], str], explicit: Iterable[str]) -> None:
        self._slug = slug
        self._seen = set(explicit)
        self._after: dict[str, str] = {}
        """For an id that is taken, a later one in its count: none between them is free."""

    def give(self, title: str) -> str:
        slug = self._slug(title)
        taken: list[str] = []
        while slug in self._seen or not slug:
            taken.append(slug)
            slug = self._after.get(slug) or _counted_up(slug)
        self._after.update(dict.fromkeys(taken, slug))
        self._seen.add(slug)
        return slug


def _counted_up(slug: str) -> str:
    counted = _COUNTED.fullmatch(slug)
    return f"{counted[1]}_{int(counted[2]) + 1}" if counted else f"{slug}_1"


def slug_of(title: str) -> str:
    """The id of the first heading with this title, by github-slugger."""
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


def _markdown_slug(title: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return _unicode_slug(ascii_only)


def _unicode_slug(title: str) -> str:
    return _SEPARATORS.sub("-", _NO_WORD.sub("", title).strip().lower())


def _pymdownx_slug(title: str) -> str:
    text = unicodedata.normalize("NFC", title).strip()
    return _NO_WORD_OR_BLANK.sub("", text).replace(" ", "-")


def _lower_pymdownx_slug(title: str) -> str:
    return _pymdownx_slug(unicodedata.normalize("NFC", title).lower())


_MARKDOWN_SLUGS: dict[str, Callable[[str], str]] = {
    "python-markdown": _markdown_slug,
    "python-markdown-unicode": _unicode_slug,
    "pymdownx": _pymdownx_slug,
    "pymdownx-lower": _lower_pymdownx_slug,
}
