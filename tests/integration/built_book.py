"""Builds the sample book, with pages full of traps added, with Docusaurus itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).with_name("recorded_site")
BUILD_SECONDS = 1500
ADDED = ("community", "i18n", "versioned_docs", "versioned_sidebars", "versions.json")
"""What the site with everything has beside the traps of headings."""


def lay_out_site(folder: Path) -> Path:
    """A copy of the sample book with its plugin and packages; the site's folder."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    ignored = shutil.ignore_patterns("node_modules", "build", ".docusaurus")
    site = folder / "examples" / "book"
    shutil.copytree(ROOT / "examples" / "book", site, ignore=ignored)
    for part in ("docusaurus", "dist"):
        shutil.copytree(ROOT / "widget" / part, folder / "widget" / part, ignore=ignored)
    shutil.copytree(RECORDED / "book" / "docs", site / "docs", dirs_exist_ok=True)
    installed = Path(os.environ.get("BOOK_NODE_MODULES") or ROOT / "examples/book/node_modules")
    if installed.is_dir():
        (site / "node_modules").symlink_to(installed.resolve())
    else:
        _run(site, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
    return site


def add_everything(site: Path) -> None:
    """A base, a slash at the end of links, an old version, a second language, a second docs."""
    for name in ADDED:
        source = RECORDED / "book" / name
        if source.is_dir():
            shutil.copytree(source, site / name)
        else:
            shutil.copy(source, site / name)
    config = site / "docusaurus.config.js"
    text = config.read_text("utf-8")
    for old, new in {
        "baseUrl: '/',": "baseUrl: '/book/', trailingSlash: true,",
        "locales: ['en']": "locales: ['en', 'fr']",
        "plugins: ['../../widget/docusaurus'],": (
            "plugins: [['../../widget/docusaurus', {endpoint: 'https://api.example.org'}],"
            " ['@docusaurus/plugin-content-docs',"
            " {id: 'community', path: 'community', routeBasePath: 'community'}]],"
        ),
        "'throw'": "'warn'",
    }.items():
        assert old in text, old
        text = text.replace(old, new)
    config.write_text(text, "utf-8")


def build_site(site: Path) -> Path:
    """Build the site; the folder of what was built."""
    _run(site, "npm", "run", "build")
    return site / "build"


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        timeout=BUILD_SECONDS,
        capture_output=True,
        text=True,
        env=os.environ | {"CI": "1", "DO_NOT_TRACK": "1", "NODE_OPTIONS": ""},
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
