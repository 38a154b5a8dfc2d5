"""A built site, as web servers deliver it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from functions.book.fold import fold_text
from functions.book.site.manifest import (
    FILE_NAME,
    Manifest,
    PageHeading,
    locale_manifest_keys,
    merge_manifests,
    read_manifest,
)


class BuiltSite:
    """The files that a site's build left in a folder. Pages are read once.

    Raises NotADirectoryError; its manifest raises ManifestUnreadable.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise NotADirectoryError(f"{folder} is not a folder")
        self._folder = folder.resolve()
        self._pages: dict[Path, BuiltPage] = {}

    @cached_property
    def manifest(self) -> Manifest | None:
        """What the build wrote of its links, in all its languages; None when it wrote nothing."""
        path = self._folder / FILE_NAME
        if not path.is_file():
            return None
        main = read_manifest(path.read_bytes())
        keys = locale_manifest_keys(FILE_NAME, main.locales, main.locale)
        others = [self._folder / key for key in keys if (self._folder / key).is_file()]
        return merge_manifests([main, *(read_manifest(other.read_bytes()) for other in others)])

    def page(self, url: str) -> BuiltPage | None:
        """The page that a link's path leads to, as a web server finds it; None without one."""
        path = self._file_of(url.split("#", 1)[0])
        if path is None:
            return None
        if path not in self._pages:
            self._pages[path] = read_built_page(path.read_text("utf-8", "replace"))
        return self._pages[path]

    def _file_of(self, path: str) -> Path | None:
        base = self.manifest.base_url if self.manifest else "/"
        if not f"{path.rstrip('/')}/".startswith(base):
            return None
        inside = path[len(base) :].strip("/")
        names = [f"{inside}/index.html", f"{inside}.html", inside] if inside else ["index.html"]
        for name in names:
            for spelling in dict.fromkeys((unquote(name), name)):
                found = (self._folder / spelling).resolve()
                if found.is_relative_to(self._folder) and found.is_file():
                    return found
        return None


def fragment_of(url: str) -> str:
    """The id that a link names, decoded; "" when it leads to the page."""
    return unquote(url.partition("#")[2])


_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_NOT_TEXT = frozenset("script style template noscript button svg quoth-widget".split())
_NOT_TEXT_CLASSES = frozenset({"hash-link", "headerlink", "katex-html"})
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """A page: the ids of all its elements, and the folded text of its main part.

    `headings` are (offset in `text`, heading), in order; an id may be empty.
    """

    ids: frozenset[str]
    text: str
    headings: tuple[tuple[int, PageHeading], ...]

    def has(self, words: str) -> bool:
        """Whether these words stand in the page, however they are set."""
        return fold_words(words) in self.text

    def heading_of(self, words: str) -> str:
        """The id of the heading over these words; "" when they, or an id over them, are missing."""
        at = self.text.find(fold_words(words))
        before = bisect_right(self.headings, at, key=lambda heading: heading[0])
        return self.headings[before - 1][1].id if at >= 0 and before else ""


def fold_words(text: str) -> str:
    """Text as pages and sources share it: TeX without what stands around it."""
    return fold_text(_TEX_MARKS.sub("", text)).replace("$", "")


_TEX_MARKS = re.compile(r"\\[()\[\]]")
"""`\\(…\\)` and `\\[…\\]`, as Arithmatex writes formulas into a page."""


def read_built_page(html: str) -> BuiltPage:
    """Read a page. Its main part is <main>, else all of it."""
    reader = _Reader("main" if "<main" in html else "body" if "<body" in html else "")
    reader.feed(html)
    reader.close()
    text = ""
    headings: list[tuple[int, PageHeading]] = []
    for piece in reader.pieces:
        if isinstance(piece, str):
            text += fold_words(piece)
        else:
            title = " ".join("".join(piece.text).split())
            headings.append((len(text), PageHeading(piece.id, title, piece.level)))
    return BuiltPage(frozenset(reader.ids), text, tuple(headings))


@dataclass(frozen=True, slots=True)
class _Heading:
    id: str
    level: int
    text: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Element:
    name: str
    is_read: bool
    heading: _Heading | None = None


class _Reader(HTMLParser):
    def __init__(self, root: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.pieces: list[str | _Heading] = []
        self._root = root
        self._open = [_Element("", is_read=not root)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if found := attributes.get("id"):
            self.ids.add(found)
        if tag in _VOID:
            return
        classes = attributes.get("class", "").split()
        is_read = self._open[-1].is_read or tag == self._root
        if tag in _NOT_TEXT or tag == "math" or not _NOT_TEXT_CLASSES.isdisjoint(classes):
            is_read = False  # of a formula, only its TeX is read
        elif tag == "annotation" and attributes.get("encoding") == "application/x-tex":
            is_read = True
        heading = self._open[-1].heading
        if is_read and tag in _HEADINGS:
            heading = _Heading(attributes.get("id", ""), int(tag[1]))
            self.pieces.append(heading)
        self._open.append(_Element(tag, is_read, heading))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if found := dict(attrs).get("id"):
            self.ids.add(found)

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at].name == tag:
                del self._open[at:]
                return

    def handle_data(self, data: str) -> None:
        here = self._open[-1]
        if here.is_read:
            self.pieces.append(data)
            if here.heading is not None:
                here.heading.text.append(data)
