"""Links into the built site by the rules of its generator."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import quote

from functions.book.document import FrontMatter

Generator = Literal["docusaurus", "mdbook", "mkdocs", "plain"]

_DATE_OR_VERSION = re.compile(r"(?:\d{2}|\d{4})[-_.]\d{2}(?:[-_.](?:\d{2}|\d{4}))?|\d+[-_.]\d+")
_NUMBER_PREFIX = re.compile(r"(\d+)\s*[-_.]+\s*([^-_.\s].*)")
_VERSIONED = re.compile(r"versioned_docs/version-([^/]+)/(.*)")
_TRANSLATED = re.compile(
    r"i18n/([^/]+)/docusaurus-plugin-content-docs(?:-[^/]+)?/(?:current|version-([^/]+))/(.*)"
)


def generator_of(source_paths: Collection[str]) -> tuple[Generator, str]:
    """The generator that a book is written for and the folder of its text, from its files' paths.

    A `SUMMARY.md` makes it an mdBook; a `docs` folder or a Docusaurus configuration a Docusaurus
    site; anything else is plain, with the whole folder as its text.
    """
    summaries = [path for path in source_paths if PurePosixPath(path).name == "SUMMARY.md"]
    if summaries:
        return "mdbook", posixpath.dirname(min(summaries, key=lambda path: path.count("/")))
    names = {PurePosixPath(path).parts[0] for path in source_paths if path}
    if "docs" in names or any(name.startswith("docusaurus.config.") for name in names):
        return "docusaurus", "docs"
    return "plain", ""


def document_url(
    source_path: str,
    front: FrontMatter,
    base_url: str = "/",
    docs_root: str = "docs",
    route_base: str = "/",
    generator: Generator = "docusaurus",
    directory_urls: bool = True,
) -> str:
    """The path of a document's page, percent-encoded: `docs/01-a/02-b.md` is `/a/b`.

    `source_path` is relative to the site's folder; `directory_urls` is a setting of MkDocs.
    For books without a manifest of the built site.
    """
    if generator == "docusaurus":
        path = _docusaurus_path(source_path, front, docs_root, route_base)
    elif generator == "mdbook":
        path = _mdbook_path(_below(source_path, docs_root))
    elif generator == "mkdocs":
        path = _mkdocs_path(_below(source_path, docs_root), directory_urls)
    else:
        path = _plain_path(_below(source_path, docs_root))
    joined = re.sub(r"/{2,}", "/", f"/{base_url}/{path}")
    return quote(joined, safe="/-_.~!$&'()*+,;=:@")


def section_url(page_url: str, anchor: str) -> str:
    """A page's link to one of its headings; the page itself without an anchor."""
    return f"{page_url}#{quote(anchor, safe='-_.~')}" if anchor else page_url


def strip_number_prefix(name: str) -> str:
    """`01-intro` is `intro`; dates and versions such as `1.2-notes` stay."""
    return _split_number_prefix(name)[1]


def number_prefix(name: str) -> int | None:
    """`01-intro` is 1; None for a name without one."""
    number = _split_number_prefix(name)[0]
    return int(number) if number else None


def _split_number_prefix(name: str) -> tuple[str, str]:
    found = None if _DATE_OR_VERSION.match(name) else _NUMBER_PREFIX.fullmatch(name)
    return (found.group(1), found.group(2)) if found else ("", name)


def _below(source_path: str, docs_root: str) -> str:
    root = docs_root.strip("/")
    return (
        source_path[len(root) + 1 :] if root and source_path.startswith(root + "/") else source_path
    )


def _docusaurus_path(source_path: str, front: FrontMatter, docs_root: str, route_base: str) -> str:
    locale = version = ""
    if found := _VERSIONED.fullmatch(source_path):
        version, inside = found.groups()
    elif found := _TRANSLATED.fullmatch(source_path):
        locale, version, inside = found.group(1), found.group(2) or "", found.group(3)
    else:
        inside = _below(source_path, docs_root)
    return (
        "/".join(each for each in (locale, route_base, version) if each)
        + "/"
        + _slug(inside, front)
    )


def _slug(inside: str, front: FrontMatter) -> str:
    path = PurePosixPath(inside)
    folders = [folder for folder in path.parent.parts if folder != "."]
    folder = "/".join(["", *map(strip_number_prefix, folders), ""])
    if front.slug:
        end = "/" if front.slug.endswith("/") and front.slug != "/" else ""
        return posixpath.normpath(posixpath.join(folder, front.slug)).lstrip("/") + end
    names_of_index = {"index", "readme", *(each.lower() for each in folders[-1:])}
    if path.stem.lower() in names_of_index:
        return folder.lstrip("/")
    return (folder + (front.id or strip_number_prefix(path.stem))).lstrip("/")


def _mdbook_path(inside: str) -> str:
    path = PurePosixPath(inside)
    stem = "index" if path.stem.lower() == "readme" else path.stem
    return str(path.with_name(f"{stem}.html"))


def _mkdocs_path(inside: str, directory_urls: bool) -> str:
    path = PurePosixPath(inside)
    if not directory_urls:
        return str(path.with_name("index.html" if path.stem == "README" else f"{path.stem}.html"))
    folder = path.parent if path.stem in {"index", "README"} else path.with_suffix("")
    return f"{folder}/" if folder.name else ""


def _plain_path(inside: str) -> str:
    path = PurePosixPath(inside)
    if path.stem.lower() in {"index", "readme"}:
        return f"{path.parent}/" if path.parent.name else ""
    return str(path.with_suffix(""))
