"""The guide's section on MkDocs, followed word by word."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.guide_site import PROJECT, Reader, asked_in_browser

pytestmark = pytest.mark.browser


@pytest.fixture
def folder() -> Iterator[Path]:
    """PostgreSQL never runs as root, and cannot enter pytest's own folder."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_site_of_mkdocs_material_answers_after_the_guide(folder: Path) -> None:
    variables = {"QUOTH": str(PROJECT), "HOME": str(folder), "NO_MKDOCS_2_WARNING": "1"}
    reader = Reader("MkDocs", folder, os.environ | variables)
    install, build, serve = reader.blocks("sh")
    (config,) = reader.blocks("yaml")
    # What pip would install is installed here: the first two lines need a network.
    environment, pip, *new = install.splitlines()
    assert environment == "python3 -m venv .venv"
    assert pip.startswith('.venv/bin/pip install "$QUOTH[mkdocs]"')
    (folder / ".venv").symlink_to(Path(sys.prefix))
    reader.run("\n".join(new), folder, 60)
    book = folder / "my-book"
    (book / "mkdocs.yml").write_text(config, "utf-8")
    with reader.served(build, serve, book) as address:
        said, shown = asked_in_browser(address, "How do I start the live-reloading docs server?")
    assert "mkdocs serve" in said
    assert shown.startswith(f"{address}/#")
