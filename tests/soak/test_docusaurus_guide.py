"""The guide's section on Docusaurus, followed word by word in a new site from npm: minutes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from functions.book.site.manifest import read_manifest
from tests.integration.guide_site import PROJECT, Reader, asked_in_browser

pytestmark = pytest.mark.soak


@pytest.fixture
def folder() -> Iterator[Path]:
    """PostgreSQL never runs as root, and cannot enter pytest's own folder."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_new_site_of_docusaurus_answers_after_the_guide(folder: Path) -> None:
    variables = {"QUOTH": str(PROJECT), "CI": "1", "DO_NOT_TRACK": "1", "NODE_OPTIONS": ""}
    reader = Reader("Docusaurus", folder, os.environ | variables)
    install, build, serve = reader.blocks("sh")
    (plugin,) = reader.blocks("js")
    reader.run(install, folder, 1500)
    site = folder / "my-book"
    config = site / "docusaurus.config.js"
    text = config.read_text("utf-8")
    assert text.count("\n  presets: [") == 1
    config.write_text(text.replace("\n  presets: [", f"\n{plugin}\n  presets: ["), "utf-8")
    with reader.served(build, serve, site) as address:
        said, shown = asked_in_browser(f"{address}/docs/intro", "Which Node.js version do I need?")
    assert "Node.js version" in said
    assert shown.startswith(f"{address}/docs/")
    manifest = read_manifest((site / "build" / "quoth-manifest.json").read_bytes())
    assert "docs/intro.mdx" in manifest.pages or "docs/intro.md" in manifest.pages
