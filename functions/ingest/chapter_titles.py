"""The title that a Docusaurus book gives a chapter's folder, in its `_category_` file."""

from __future__ import annotations

import json
import re

from functions.adapters.aws.object_store import ObjectStore, ObjectTooLarge
from functions.ingest.prepare import BookLayout

NAMES = ("_category_.json", "_category_.yml")
MOST_BYTES = 64_000

_LABEL = re.compile(r"^label[ \t]*:[ \t]*[\"']?(.*?)[\"']?[ \t\r]*$", re.MULTILINE)


async def read_chapter_title(store: ObjectStore, key: str, layout: BookLayout) -> str:
    """The title of the chapter that a document stands in; "" when its folder gives none.

    Raises ObjectStoreUnavailable.
    """
    folder = category_folder(key, layout)
    if not folder:
        return ""
    for name in NAMES:
        try:
            found = await store.read(f"{folder}/{name}", MOST_BYTES)
        except ObjectTooLarge:
            continue
        if found is not None:
            return label_of(found.data.decode("utf-8", "replace"))
    return ""


def category_folder(key: str, layout: BookLayout) -> str:
    """The folder that stands for the chapter of `key`; "" when there is none."""
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
