"""What an `mkdocs.yml` says of its site's addresses, heading ids and chapters.

It is read without importing anything that it names. Where it asks for more than these rules, the
manifest of the built site has the addresses.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import yaml

from functions.book.site.heading_ids import HeadingIds

FILE_NAMES = ("mkdocs.yml", "mkdocs.yaml")

_TOC = ("toc", "markdown.extensions.toc")
_SLUGS: dict[tuple[str, str], HeadingIds] = {
    ("", ""): "python-markdown",
    ("markdown.extensions.toc.slugify", ""): "python-markdown",
    ("markdown.extensions.toc.slugify_unicode", ""): "python-markdown-unicode",
    ("pymdownx.slugs.slugify", "none"): "pymdownx",
    ("pymdownx.slugs.slugify", "lower"): "pymdownx-lower",
}
"""Heading ids by the function that `slugify` names, and by its `case`."""


class MkdocsUnreadable(Exception):
    """The file is not valid YAML, or not a list of settings. The message says where."""


@dataclass(frozen=True, slots=True)
class NavPage:
    """A page of `nav`: its source path, its title there or "", and the sections it is in, outermost
    first."""

    path: str
    title: str
    sections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MkdocsSite:
    """`nav` are the pages that the file lists, in their order; `unknown` names settings that only
    the built site's manifest can tell."""

    docs_dir: str = "docs"
    base_url: str = "/"
    directory_urls: bool = True
    heading_ids: HeadingIds = "python-markdown"
    nav: tuple[NavPage, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def chapters(self) -> Mapping[str, str]:
        """The outermost sections of `nav` by source path."""
        return {page.path: page.sections[0] for page in self.nav if page.sections}


def read_mkdocs(text: str) -> MkdocsSite:
    """Read an `mkdocs.yml`. Raises MkdocsUnreadable."""
    try:
        settings = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise MkdocsUnreadable(" ".join(str(error).split())) from error
    if not isinstance(settings, dict):
        raise MkdocsUnreadable("it is not a list of settings")
    docs_dir = posixpath.normpath(_text(settings.get("docs_dir")) or "docs")
    heading_ids, unknown = _heading_ids(_toc_settings(settings.get("markdown_extensions")))
    if "INHERIT" in settings:
        unknown.append("INHERIT")
    nav = settings.get("nav")
    return MkdocsSite(
        docs_dir="" if docs_dir == "." else docs_dir,
        base_url=f"{urlsplit(_text(settings.get('site_url'))).path.rstrip('/')}/",
        directory_urls=settings.get("use_directory_urls") is not False,
        heading_ids=heading_ids,
        nav=tuple(_nav_pages(nav, docs_dir, ())) if isinstance(nav, list) else (),
        unknown=tuple(unknown),
    )


@dataclass(frozen=True, slots=True)
class _Called:
    """A Python object that the file names: `!!python/name:` or `!!python/object/apply:`."""

    name: str
    arguments: Mapping[str, Any]


class _Loader(yaml.SafeLoader):
    """Knows the tags of an `mkdocs.yml`, and makes no objects of them."""


def _name(loader: _Loader, name: str, node: yaml.Node) -> _Called:
    given = loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else {}
    arguments = given.get("kwds", {})
    return _Called(name, arguments if isinstance(arguments, dict) else {})


def _variable(loader: _Loader, node: yaml.Node) -> Any:
    """The default of `!ENV [NAME, default]`: what the build's environment has is not known."""
    values = loader.construct_sequence(node) if isinstance(node, yaml.SequenceNode) else []
    return values[-1] if len(values) > 1 else None


_Loader.add_multi_constructor("tag:yaml.org,2002:python/name:", _name)
_Loader.add_multi_constructor("tag:yaml.org,2002:python/object/apply:", _name)
_Loader.add_constructor("!ENV", _variable)
_Loader.add_multi_constructor("!", lambda loader, tag, node: None)


def _toc_settings(extensions: object) -> dict[str, Any]:
    listed = extensions if isinstance(extensions, list) else [extensions]
    found: dict[str, Any] = {}
    for each in listed:
        if isinstance(each, dict):
            for name in _TOC:
                if isinstance(each.get(name), dict):
                    found |= each[name]
    return found


def _heading_ids(toc: Mapping[str, Any]) -> tuple[HeadingIds, list[str]]:
    called = toc.get("slugify")
    key = ("", "")
    if isinstance(called, _Called):
        case = called.arguments.get("case", "none") if "pymdownx" in called.name else ""
        key = (called.name, str(case))
    unknown = [] if key in _SLUGS and not (called and key == ("", "")) else ["toc.slugify"]
    if toc.get("separator", "-") != "-":
        unknown.append("toc.separator")
    return _SLUGS.get(key, "python-markdown"), unknown


def _nav_pages(nav: list[Any], docs_dir: str, sections: tuple[str, ...]) -> Iterator[NavPage]:
    for item in nav:
        title, value = next(iter(item.items())) if isinstance(item, dict) and item else ("", item)
        title = _text(title)
        if isinstance(value, list):
            yield from _nav_pages(value, docs_dir, (*sections, title) if title else sections)
        elif isinstance(value, str) and "://" not in value:
            yield NavPage(posixpath.normpath(posixpath.join(docs_dir, value)), title, sections)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
