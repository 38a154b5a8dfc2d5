"""`plugins: [quoth]` in an `mkdocs.yml`: the widget in every page, and the manifest of the site."""

from __future__ import annotations

import hashlib
import json
import posixpath
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import mkdocs
from mkdocs.config import config_options as options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Section
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from functions.book.site.manifest import FILE_NAME
from quoth.shipped import shipped
from quoth.site.built import read_built_page

FORMAT = 1
LAST = -100
"""After the other plugins, so that what they did to a page is read."""
FOLLOW = Path(__file__).with_name("follow-pages.js")


class QuothConfig(Config):  # type: ignore[no-untyped-call]
    """`endpoint` is the address of Quoth's API, "" for the site's own origin; the others are the
    widget's attributes. `widget: false` writes the manifest alone. `source_root` is the folder that
    source paths are relative to, from the one of `mkdocs.yml`."""

    endpoint = options.Type(str, default="")
    suggestions = options.ListOfItems(options.Type(str), default=[])
    mode_note = options.Type(str, default="")
    min_words = options.Optional(options.Type(int))
    widget = options.Type(bool, default=True)
    source_root = options.Type(str, default=".")


class QuothPlugin(BasePlugin[QuothConfig]):  # type: ignore[no-untyped-call]
    """Writes `quoth-manifest.json` into the built site and puts the widget into its pages."""

    def __init__(self) -> None:
        self._documents: dict[str, dict[str, Any]] = {}
        self._scripts: list[str] = []

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        """Add the widget's files to the site's."""
        self._documents = {}
        self._scripts = []
        if self.config.widget:
            scripts = [*sorted(shipped("widget/dist").glob("*.js")), FOLLOW]
            digest = hashlib.sha256(b"".join(path.read_bytes() for path in scripts)).hexdigest()
            for path in scripts:
                uri = f"assets/quoth/{digest[:8]}/{path.name}"
                files.append(File.generated(config, uri, abs_src_path=str(path)))
            for name in ("quoth-widget.js", FOLLOW.name):
                self._scripts.append(f"assets/quoth/{digest[:8]}/{name}")
        return files

    @event_priority(LAST)
    def on_page_content(
        self, html: str, /, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        """Note the page's headings, and say in the text which page it is."""
        document = self._document(html, page, config)
        self._documents[document["source"]] = document
        if not self.config.widget:
            return html
        facts = f'data-source="{escape(document["source"])}"'
        if chapter := document.get("chapter"):
            facts += f' data-chapter="{escape(chapter)}"'
        # In the text, which Material's instant navigation replaces; <body>'s end it leaves.
        return f'{html}\n<template class="quoth-page" {facts}></template>'

    def on_post_page(self, output: str, /, *, page: Page, config: MkDocsConfig) -> str:
        """Put the widget at the end of the page."""
        head, body, tail = output.rpartition("</body>")
        if not self.config.widget or not body:
            return output
        shown = {
            "endpoint": self.config.endpoint,
            "book-title": config.site_name,
            "language": _language(config),
            "mode-note": self.config.mode_note or None,
            "suggestions": json.dumps(self.config.suggestions) if self.config.suggestions else None,
            "min-words": self.config.min_words,
            "page-source": self._source(page, config),
            "chapter-title": _chapter(page, config) or None,
        }
        attributes = " ".join(
            f'{name}="{escape(str(value))}"' for name, value in shown.items() if value is not None
        )
        scripts = "".join(
            f'<script type="module" src="{get_relative_url(script, page.url)}"></script>'
            for script in self._scripts
        )
        return f"{head}<quoth-widget {attributes}></quoth-widget>{scripts}{body}{tail}"

    @event_priority(LAST)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the manifest."""
        language = _language(config)
        manifest = {
            "format": FORMAT,
            "generator": f"mkdocs {mkdocs.__version__}",
            "siteUrl": config.site_url or "",
            "baseUrl": _base_url(config),
            "locale": language,
            "locales": [language],
            "documents": [self._documents[source] for source in sorted(self._documents)],
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1)
        (Path(config.site_dir) / FILE_NAME).write_text(f"{text}\n", "utf-8")

    def _document(self, html: str, page: Page, config: MkDocsConfig) -> dict[str, Any]:
        headings = [heading for _, heading in read_built_page(html).headings]
        chapter = _chapter(page, config)
        return {
            "source": self._source(page, config),
            "permalink": _base_url(config) + page.url.removeprefix("./"),
            "version": "",
            "locale": _language(config),
            "title": str(page.title),
            **({"chapter": chapter} if chapter else {}),
            "headings": [{"id": h.id, "text": h.text, "level": h.level} for h in headings],
        }

    def _source(self, page: Page, config: MkDocsConfig) -> str:
        own = Path(config.config_file_path).parent
        root = (own / self.config.source_root).resolve()
        folder = Path(config.docs_dir).resolve().relative_to(root).as_posix()
        return posixpath.normpath(posixpath.join(folder, page.file.src_uri))


def _base_url(config: MkDocsConfig) -> str:
    return f"{urlsplit(config.site_url or '').path.rstrip('/')}/"


def _language(config: MkDocsConfig) -> str:
    """What the theme calls its language: Material has a setting of its own for it."""
    given = config.theme.get("language") or config.theme.get("locale") or "en"
    return str(given)


def _chapter(page: Page, config: MkDocsConfig) -> str:
    """The title of the outermost section of the page in `nav`; "" without one.

    Sections that MkDocs makes of folders are called as these are ("01 foundations").
    """
    if not config.nav:
        return ""
    sections = [each for each in page.ancestors if isinstance(each, Section)]
    return str(sections[-1].title) if sections else ""
