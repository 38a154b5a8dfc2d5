"""HTML and JSX tags: their ends, names and titles."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?=[\s/>{])")
_BARE = re.compile(r"<(/?)([A-Za-z][\w.-]*)[ \t]*(/?)>")
_SPACE = re.compile(r"\s*")
_ATTRIBUTE = re.compile(
    r"([A-Za-z_:@][\w.:@-]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`{}]+)|(?=\{)))?"
)
_BRACE_OR_STRING = re.compile(r"[{}]|\"[^\"\r\n]*\"|'[^'\r\n]*'")
_STRING = re.compile(r"\{\s*([\"'`])([^\"'`{}]*)\1\s*\}")
_TITLES = ("label", "title", "caption", "summary")

BREAKING = frozenset(
    "br hr td th tr li p div h1 h2 h3 h4 h5 h6 dt dd option section article figcaption figure "
    "blockquote ul ol table thead tbody summary details".split()
)
"""HTML elements that separate the words before them from the words after."""


class Tag(NamedTuple):
    """A tag, `source[start:end]`. `title` is the range of its label, title or caption, if any."""

    start: int
    end: int
    name: str
    closes: bool
    empty: bool
    title: tuple[int, int] | None

    @property
    def is_component(self) -> bool:
        return self.name[0].isupper()

    @property
    def separates_words(self) -> bool:
        return self.is_component or self.name.lower() in BREAKING


class Braces:
    """Matches the braces of a text, once, on first use."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._closing: dict[int, int] | None = None

    def closing(self, at: int) -> int:
        """The offset of the brace that closes the one at `at`, or -1."""
        if self._closing is None:
            self._closing = self._match()
        return self._closing.get(at, -1)

    def _match(self) -> dict[int, int]:
        closing: dict[int, int] = {}
        open_braces: list[int] = []
        at = 0
        while found := _BRACE_OR_STRING.search(self._source, at):
            at = found.end()
            if found.group() == "{":
                open_braces.append(found.start())
            elif found.group() == "}":
                if open_braces:
                    closing[open_braces.pop()] = found.start()
            elif not open_braces:  # outside an expression, an apostrophe is no quotation mark
                at = found.start() + 1
        return closing


def find_tag(source: str, at: int, braces: Braces) -> Tag | None:
    """The tag that starts at `source[at]`, or None if it is only a `<`."""
    if source.startswith(("<>", "</>"), at):
        end = at + (2 if source[at + 1] == ">" else 3)
        return Tag(at, end, "Fragment", end - at == 3, False, None)
    if bare := _BARE.match(source, at):  # no attributes: most tags
        closes, name, empties = bare.groups()
        return Tag(at, bare.end(), name, bool(closes), bool(empties), None)
    opening = _NAME.match(source, at)
    if not opening:
        return None
    titles: dict[str, tuple[int, int]] = {}
    position = opening.end()
    while True:
        spaced = _SPACE.match(source, position)
        position = spaced.end() if spaced else position
        if source.startswith(">", position) or source.startswith("/>", position):
            empty = source[position] == "/"
            chosen = next((titles[name] for name in _TITLES if name in titles), None)
            closes, name = opening.groups()
            return Tag(at, position + 1 + empty, name, bool(closes), empty, chosen)
        if source.startswith("{", position):  # {...props}
            closing = braces.closing(position)
            if closing < 0:
                return None
            position = closing + 1
            continue
        attribute = _ATTRIBUTE.match(source, position)
        if not attribute:
            return None
        position = attribute.end()
        for group in (2, 3):
            if attribute.group(group) is not None:
                titles[attribute.group(1)] = attribute.span(group)
        if source.startswith("{", position):
            closing = braces.closing(position)
            if closing < 0:
                return None
            string = _STRING.fullmatch(source, position, closing + 1)
            if string:
                titles[attribute.group(1)] = string.span(2)
            position = closing + 1
