"""The manifest of a built site: the page of each source file, and the ids of its headings.

The site's build writes it (see `widget/docusaurus`), so that links are exact.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as read_dataclass

FILE_NAME = "quoth-manifest.json"
_READ = ConfigDict(strict=True, extra="ignore")


class ManifestUnreadable(Exception):
    """The manifest is invalid. The message names the first error and its path."""


@read_dataclass(frozen=True, slots=True, config=_READ)
class PageHeading:
    """A heading of a built page. `id` is empty when its element has none."""

    id: str
    text: str
    level: Annotated[int, Field(ge=1, le=6)]


@read_dataclass(frozen=True, slots=True, config=_READ)
class ManifestPage:
    """A built page and its source.

    `source` is relative to the site's folder; `permalink` is the path the site serves, with its
    base and percent-encoded; `blocks` are hashes of the texts of its blocks, in order. `chapter` is
    the title of the section of the contents that it is in.
    """

    source: Annotated[str, Field(min_length=1)]
    permalink: Annotated[str, Field(pattern=r"^/")]
    version: str
    locale: str
    title: str
    headings: tuple[PageHeading, ...]
    blocks: tuple[str, ...] = ()
    chapter: str = ""

    @property
    def digest(self) -> str:
        """A digest of all links into the page: 12 hex digits."""
        linked = [self.permalink, self.version, self.locale]
        linked += [self.chapter] if self.chapter else []
        linked += [f"{each.level} {each.id} {each.text}" for each in self.headings]
        return hashlib.sha256("\0".join(linked).encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The pages of a site, by their sources. `locales` are all that the site is built in."""

    base_url: str
    locale: str
    locales: tuple[str, ...]
    pages: Mapping[str, ManifestPage]

    def page_of(self, source_path: str) -> ManifestPage | None:
        """The page of a source file; None if this build has none."""
        return self.pages.get(_composed(source_path))


@read_dataclass(frozen=True, slots=True, config=_READ)
class _File:
    format: Literal[1]
    baseUrl: Annotated[str, Field(pattern=r"^/")]
    locale: str
    documents: tuple[ManifestPage, ...]
    locales: tuple[str, ...] = ()


def read_manifest(data: bytes) -> Manifest:
    """Read a manifest. Raises ManifestUnreadable."""
    try:
        read = _reader().validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"])
        where = f"{place.removeprefix('.')}: " if place else ""
        raise ManifestUnreadable(f"{where}{first['msg']}") from error
    pages: dict[str, ManifestPage] = {}
    for page in read.documents:
        pages.setdefault(_composed(page.source), page)
    return Manifest(read.baseUrl, read.locale, read.locales, pages)


def merge_manifests(manifests: Iterable[Manifest]) -> Manifest:
    """One manifest of a site's languages; the first that has a source file gives its page.

    Untranslated pages are in every language; the first manifest is the default language's. Raises
    ValueError without any.
    """
    given = list(manifests)
    if not given:
        raise ValueError("there is no manifest to merge")
    pages: dict[str, ManifestPage] = {}
    for manifest in given:
        for source, page in manifest.pages.items():
            pages.setdefault(source, page)
    return Manifest(given[0].base_url, given[0].locale, given[0].locales, pages)


def locale_manifest_keys(key: str, locales: Iterable[str], default: str) -> list[str]:
    """The keys of the other languages' manifests, such as `fr/quoth-manifest.json` beside it."""
    folder, slash, name = key.rpartition("/")
    return [f"{folder}{slash}{locale}/{name}" for locale in locales if locale != default]


def is_manifest(key: str, manifest_key: str) -> bool:
    """Whether a key is the manifest's, or that of another language beside it."""
    folder, slash, name = manifest_key.rpartition("/")
    front = folder + slash
    inside = key.removeprefix(front)
    return (
        bool(name)
        and key.startswith(front)
        and (inside == name or (inside.count("/") == 1 and inside.endswith(f"/{name}")))
    )


@cache
def _reader() -> TypeAdapter[_File]:
    return TypeAdapter(_File)


def _composed(path: str) -> str:
    """Some file systems decompose names: an accent becomes a character of its own."""
    return unicodedata.normalize("NFC", path)
