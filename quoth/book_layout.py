"""What a book's folder says of its site: the generator, and how it makes addresses."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from functions.book.site.links import generator_of
from functions.book.site.mkdocs import FILE_NAMES, MkdocsSite, MkdocsUnreadable, read_mkdocs
from functions.ingest.prepare import BookLayout
from quoth.json_lines import BadRow


def layout_of_folder(book: Path, source_paths: Collection[str]) -> BookLayout:
    """The layout of a book. Raises BadRow for an `mkdocs.yml` that cannot be read."""
    if (mkdocs := mkdocs_of(book)) is not None:
        return BookLayout(
            generator="mkdocs",
            docs_root=mkdocs.docs_dir,
            base_url=mkdocs.base_url,
            directory_urls=mkdocs.directory_urls,
            heading_ids=mkdocs.heading_ids,
        )
    generator, root = generator_of(source_paths)
    return BookLayout(generator=generator, docs_root=root)


def layout_settings(book: Path, source_paths: Collection[str]) -> dict[str, str]:
    """The same as variables of the functions."""
    layout = layout_of_folder(book, source_paths)
    return {
        "QUOTH_GENERATOR": layout.generator,
        "QUOTH_DOCS_ROOT": layout.docs_root,
        "QUOTH_BASE_URL": layout.base_url,
        "QUOTH_DIRECTORY_URLS": str(layout.directory_urls).lower(),
        "QUOTH_HEADING_IDS": layout.heading_ids,
    }


def mkdocs_of(book: Path) -> MkdocsSite | None:
    """The site of a folder with an `mkdocs.yml`; None without one. Raises BadRow."""
    for path in (book / name for name in FILE_NAMES):
        if path.is_file():
            try:
                return read_mkdocs(path.read_text("utf-8"))
            except (MkdocsUnreadable, OSError, UnicodeDecodeError) as error:
                raise BadRow(path, 0, str(error)) from error
    return None
