"""`llms.txt` of a book, served by its own site and written beside a built one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from starlette.testclient import TestClient

from functions.ingest.prepare import BookLayout
from functions.runtime.settings import Settings
from quoth.cli import main
from quoth.site.app import create_site
from quoth.site.contents import read_contents
from quoth.site.llms_txt import write_llms_txt

INTRO = """---
slug: /
title: Lighthouses
description: Lamps of the North Sea,
  and who keeps them.
---

Welcome.
"""
LAMP = "# The [old] lamp\n\n## Oil\n\nIt burnt oil.\n\n### Rape\n\nOil.\n\n## Gas\n\nThen gas.\n"
SECRET = "# Keys\n\n## Where\n\nUnder the mat.\n"
ENTRY = re.compile(r"^- \[((?:[^\\\]]|\\.)+)\]\(([^)\s]+)\)(?:: (\S.*))?$")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    docs = tmp_path / "book" / "docs"
    (docs / "01-lamps").mkdir(parents=True)
    (docs / "intro.md").write_text(INTRO)
    (docs / "01-lamps" / "01-old lamp.md").write_text(LAMP)
    (docs / "01-lamps" / "02-keys.md").write_text(SECRET)
    return tmp_path / "book"


def text_of(book: Path, **given: str) -> str:
    return write_llms_txt(read_contents(book, BookLayout()), **given)


def run(book: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["llms-txt", str(book), *options])


def test_has_the_title_the_summary_and_a_section_a_chapter(book: Path) -> None:
    assert text_of(book, origin="https://book.example.org/") == (
        "# Lighthouses\n"
        "\n"
        "> Lamps of the North Sea, and who keeps them.\n"
        "\n"
        "## Lighthouses\n"
        "\n"
        "- [Lighthouses](https://book.example.org/): Lamps of the North Sea, and who keeps them.\n"
        "\n"
        "## 1. Lamps\n"
        "\n"
        "- [The \\[old\\] lamp](https://book.example.org/lamps/old%20lamp): Oil; Gas\n"
        "- [Keys](https://book.example.org/lamps/keys): Where\n"
    )


@pytest.mark.parametrize("source", ["---\nai: exclude\n---\n\n" + SECRET, "\n"])
def test_names_no_page_that_answers_may_not_use(book: Path, source: str) -> None:
    (book / "docs" / "01-lamps" / "02-keys.md").write_text(source)
    assert "Keys" not in text_of(book)
    assert "lamps/keys" not in text_of(book)


def test_names_no_section_that_answers_may_not_use(book: Path) -> None:
    hidden = SECRET.replace("## Where\n", "## Where\n<!-- ai: exclude -->\n")
    (book / "docs" / "01-lamps" / "02-keys.md").write_text(f"{hidden}\n## How many\n\nThree.\n")
    assert "- [Keys](/lamps/keys): How many\n" in text_of(book)


def test_names_as_many_sections_as_fit(book: Path) -> None:
    many = "".join(f"## Section number {n}\n\nText.\n\n" for n in range(40))
    (book / "docs" / "01-lamps" / "02-keys.md").write_text(f"# Keys\n\n{many}")
    note = text_of(book).partition("[Keys](/lamps/keys): ")[2].splitlines()[0]
    assert note.startswith("Section number 0; Section number 1;")
    assert len(note) <= 200


def test_the_books_own_site_serves_it(book: Path) -> None:
    reply = TestClient(create_site(book, Settings())).get("/llms.txt")
    assert reply.status_code == 200
    assert reply.headers["content-type"].startswith("text/plain")
    assert reply.text == text_of(book)


def test_is_written_beside_a_built_site_with_its_links(book: Path, tmp_path: Path) -> None:
    page = {
        "source": "docs/01-lamps/01-old lamp.md",
        "permalink": "/base/lampe",
        "version": "",
        "locale": "en",
        "title": "The old lamp",
        "headings": [],
    }
    manifest = {"format": 1, "baseUrl": "/base/", "locale": "en", "documents": [page]}
    site = tmp_path / "out"
    site.mkdir()
    (site / "quoth-manifest.json").write_text(json.dumps(manifest))
    told = run(book, "--site", str(site), "--url", "https://example.org", "--title", "Lamps")
    assert told.exit_code == 0, told.output
    written = (site / "llms.txt").read_text()
    assert written.startswith("# Lamps\n\n> Lamps of")
    assert "- [The \\[old\\] lamp](https://example.org/base/lampe): Oil; Gas\n" in written
    assert "3 pages" in told.output


def test_says_what_is_wrong_with_a_site(book: Path, tmp_path: Path) -> None:
    missing = run(book)
    assert missing.exit_code == 1
    assert "build the site first" in missing.output
    (book / "build").mkdir()
    (book / "build" / "quoth-manifest.json").write_text("{}")
    assert "build the site first" in run(book).output


def test_every_line_of_the_sample_books_file_is_of_the_format() -> None:
    sample = Path(__file__).parents[3] / "examples" / "book"
    first, *lines = text_of(sample).splitlines()
    assert first.startswith("# ")
    entries = [line for line in lines if line and not line.startswith(("> ", "## "))]
    assert len(entries) > 20
    assert all(map(ENTRY.match, entries))
