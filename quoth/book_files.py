"""The files of a book's folder: what may be read of it, and why the rest may not."""

from __future__ import annotations

import os
from pathlib import Path

SKIPPED_FOLDERS = frozenset({"node_modules", "build", "dist", "__pycache__"})
LONGEST_KEY = 1024
MARKDOWN = frozenset({".md", ".mdx"})


def markdown_files(folder: Path) -> dict[str, Path]:
    """The book's Markdown files that may be read, by key, in the order of their keys."""
    folder = folder.resolve()
    found: dict[str, Path] = {}
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not reason_to_skip(Path(here, name))]
        for path in (Path(here, name) for name in names):
            if path.suffix.lower() in MARKDOWN and not reason_to_leave(folder, path):
                found[key_of(folder, path)] = path
    return dict(sorted(found.items()))


def file_at(folder: Path, key: str) -> Path | None:
    """The file of a resolved folder with this key, if it is there and may be read."""
    path = folder / key
    if key.startswith("/") or ".." in path.parts or any(map(_is_skipped, Path(key).parts)):
        return None
    return path if not reason_to_leave(folder, path) and path.is_file() else None


def reason_to_leave(folder: Path, path: Path) -> str:
    """Why a file of a resolved folder may not be read; "" if it may."""
    if path.name.startswith("."):
        return "it is hidden"
    try:
        size = len(path.relative_to(folder).as_posix().encode())
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if size > LONGEST_KEY:
        return f"its path is longer than {LONGEST_KEY:,} bytes"
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        # Reading any other file says why it cannot be read.
        return "it is a link that leads nowhere" if path.is_symlink() else ""
    if not target.is_relative_to(folder):
        return "it is a link that leaves the folder"
    if any(part.startswith(".") for part in target.relative_to(folder).parts):
        return "it is a link to a hidden file"
    return "" if target.is_file() else "it is no regular file"


def reason_to_skip(folder: Path) -> str:
    """Why a folder is no part of the book; "" if it is."""
    if folder.name.startswith("."):
        return "it is hidden"
    if folder.name in SKIPPED_FOLDERS:
        return "it is no part of the text"
    if folder.is_symlink():
        return "it is a link"
    try:
        folder.name.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    return ""


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name in SKIPPED_FOLDERS


def key_of(folder: Path, path: Path) -> str:
    """The path below the folder, which can be printed: bytes that are not UTF-8 as `\\xff`."""
    return os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "backslashreplace")
