"""What the bucket says of the site: its manifest, and the titles of its chapters' folders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from functions.adapters.aws.object_store import ObjectStore, ObjectTooLarge
from functions.adapters.postgres.document_swap import StoredDocument
from functions.book.site import mkdocs
from functions.book.site.manifest import (
    Manifest,
    ManifestPage,
    ManifestUnreadable,
    locale_manifest_keys,
    merge_manifests,
    read_manifest,
)
from functions.ingest.prepare import (
    BookLayout,
    page_digest,
    page_digest_in,
    reason_to_leave_out,
)
from functions.runtime.logs import logger

MAX_MANIFEST_BYTES = 64_000_000
MAX_CATEGORY_BYTES = 64_000
CATEGORY_FILES = ("_category_.json", "_category_.yml")

_LABEL = re.compile(r"^label[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t\r]*$", re.MULTILINE)


class Manifests:
    """Reads the manifest and caches it until `refresh`; an unchanged one is not parsed again.

    `key` is the object of the site's default language, "" for a book without a manifest; those of
    other languages are in folders beside it. If it cannot be read, the last one that could stays,
    and `problem` is the reason.
    """

    def __init__(self, store: ObjectStore, key: str) -> None:
        self.key = key
        self.problem = ""
        self._store = store
        self._manifest: Manifest | None = None
        self._parsed: dict[str, tuple[object, Manifest]] = {}
        self._is_current = not key

    def refresh(self) -> None:
        """Have the manifest read again: the bucket may have another one."""
        self._is_current = not self.key

    async def current(self) -> Manifest | None:
        """The manifest; None if the bucket has none. Raises ObjectStoreUnavailable."""
        if self._is_current:
            return self._manifest
        self.problem = ""
        try:
            self._manifest = await self._read_all()
        except (ManifestUnreadable, ObjectTooLarge) as error:
            self.problem = f"the manifest of the site cannot be read: {error}"
            logger().warning("manifest not read", extra={"key": self.key, "reason": str(error)})
        self._is_current = True
        return self._manifest

    async def page_of(self, source_path: str) -> ManifestPage | None:
        """The built page of a document. Raises ObjectStoreUnavailable."""
        manifest = await self.current()
        return manifest.page_of(source_path) if manifest else None

    async def keys_with_other_pages(
        self, documents: Iterable[StoredDocument], layout: BookLayout
    ) -> list[str]:
        """The documents whose page in the manifest differs from the one they were stored with.

        Among files that are not in the book, only those that the manifest alone makes part of it:
        all others have their own events. Raises ObjectStoreUnavailable.
        """
        manifest = await self.current()
        if self.problem:
            return []
        known: set[str] = set()
        keys: list[str] = []
        for document in documents:
            page = manifest.page_of(document.source_path) if manifest else None
            known.add(page.source if page else document.source_path)
            if page_digest_in(document.content_hash) != page_digest(page):
                keys.append(document.source_path)
        pages = manifest.pages.values() if manifest else ()
        keys += [
            page.source
            for page in pages
            if page.source not in known and reason_to_leave_out(page.source, layout)
        ]
        return sorted(keys)

    async def _read_all(self) -> Manifest | None:
        main = await self._read(self.key)
        if main is None:
            return None
        others = [
            await self._read(key)
            for key in locale_manifest_keys(self.key, main.locales, main.locale)
        ]
        return merge_manifests([main, *(each for each in others if each is not None)])

    async def _read(self, key: str) -> Manifest | None:
        found = await self._store.read(key, MAX_MANIFEST_BYTES)
        if found is None:
            self._parsed.pop(key, None)
            return None
        version = (found.version_id, found.last_modified, len(found.data))
        kept = self._parsed.get(key)
        if kept and kept[0] == version:
            return kept[1]
        manifest = read_manifest(found.data)
        self._parsed[key] = (version, manifest)
        return manifest


async def read_chapter_title(store: ObjectStore, key: str, layout: BookLayout) -> str:
    """The title that a Docusaurus or MkDocs book gives a document's chapter; "" without one.

    Raises ObjectStoreUnavailable.
    """
    if layout.generator == "mkdocs":
        return await _section_of_nav(store, key)
    folder = category_folder(key, layout)
    if not folder:
        return ""
    for name in CATEGORY_FILES:
        try:
            found = await store.read(f"{folder}/{name}", MAX_CATEGORY_BYTES)
        except ObjectTooLarge:
            continue
        if found is not None:
            return label_of(found.data.decode("utf-8", "replace"))
    return ""


async def _section_of_nav(store: ObjectStore, key: str) -> str:
    for name in mkdocs.FILE_NAMES:
        try:
            found = await store.read(name, MAX_CATEGORY_BYTES)
            if found is not None:
                return mkdocs.read_mkdocs(found.data.decode("utf-8", "replace")).chapters.get(
                    key, ""
                )
        except (ObjectTooLarge, mkdocs.MkdocsUnreadable):
            continue
    return ""


def category_folder(key: str, layout: BookLayout) -> str:
    """The folder of the chapter that `key` belongs to; "" when there is none."""
    root = layout.docs_root.strip("/")
    front = f"{root}/" if root else ""
    inside = key.removeprefix(front)
    if layout.generator != "docusaurus" or not key.startswith(front) or "/" not in inside:
        return ""
    return front + inside.split("/", 1)[0]


def label_of(category: str) -> str:
    """The label in a category file, JSON or YAML."""
    try:
        fields = json.loads(category)
    except ValueError:
        found = _LABEL.search(category)
        return found.group(1) if found else ""
    label = fields.get("label") if isinstance(fields, dict) else None
    return label if isinstance(label, str) else ""
