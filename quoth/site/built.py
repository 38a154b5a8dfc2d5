"""A built site, read from its folder: its pages, their ids and their texts."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from functions.book.site.manifest import (
    FILE_NAME,
    Manifest,
    locale_manifest_keys,
    merge_manifests,
    read_manifest,
)
from quoth.site.built_page import BuiltPage, read_built_page


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
