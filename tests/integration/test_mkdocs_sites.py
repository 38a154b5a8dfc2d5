"""Citations in sites that MkDocs built: pages full of traps, and the sample book."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from quoth.calibrate.local_index import chunks_of_book
from quoth.site.built import BuiltSite, fragment_of
from tools.evaluate.retrieval import evaluate_citations

PROJECT = Path(__file__).parents[2]
TRAPS = Path(__file__).with_name("mkdocs_book")
SAMPLE_QUESTIONS = Path(__file__).with_name("sample_questions.json")
BUILD_SECONDS = 120
QUIET = {"NO_MKDOCS_2_WARNING": "1"}

VARIANTS: dict[str, dict[str, Any]] = {
    "material": {},
    "mkdocs": {"theme": "mkdocs"},
    "readthedocs": {"theme": "readthedocs"},
    "files": {"use_directory_urls": False},
    "root": {"site_url": ""},
}
SLUGS = [
    "!!python/name:markdown.extensions.toc.slugify_unicode ''",
    "!!python/object/apply:pymdownx.slugs.slugify {}",
    "!!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}",
]


def lay_out_traps(folder: Path, **changed: Any) -> Path:
    """A copy of the book of traps, with settings of its `mkdocs.yml` changed."""
    book = folder / "book"
    shutil.copytree(TRAPS, book)
    text = (book / "mkdocs.yml").read_text("utf-8")
    for name, value in changed.items():
        lines = [line for line in text.splitlines() if not line.startswith(f"{name}:")]
        text = "\n".join([*lines, f"{name}: {json.dumps(value)}", ""])
    (book / "mkdocs.yml").write_text(text, "utf-8")
    return book


def lay_out_sample(folder: Path) -> Path:
    """The sample book as a site of MkDocs Material, without what only Docusaurus reads: options of
    code fences, and the marks of admonitions."""
    book = folder / "book"
    shutil.copytree(PROJECT / "examples" / "book" / "docs", book / "docs")
    for path in (book / "docs").rglob("*.md"):
        text = re.sub(r"^(```\w+) .*$", r"\1", path.read_text("utf-8"), flags=re.MULTILINE)
        path.write_text(re.sub(r"^:::.*$", "", text, flags=re.MULTILINE), "utf-8")
    settings = {
        "site_name": "Physical AI",
        "theme": {"name": "material"},
        "markdown_extensions": [
            "admonition", "attr_list", "md_in_html", {"pymdownx.arithmatex": {"generic": True}},
            "pymdownx.superfences", {"toc": {"permalink": True}},
        ],
        "plugins": ["search", "quoth"],
    }  # fmt: skip
    (book / "mkdocs.yml").write_text(yaml.safe_dump(settings), "utf-8")
    return book


def build(book: Path) -> Path:
    """What `mkdocs build` makes of the book: its folder."""
    done = subprocess.run(
        [Path(sys.executable).with_name("mkdocs"), "build", "--site-dir", book.parent / "built"],
        cwd=book,
        env=os.environ | QUIET,
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return book.parent / "built"


def questions_of_sample(folder: Path) -> Path:
    rows = [
        row
        for row in json.loads(SAMPLE_QUESTIONS.read_text("utf-8"))
        if not row.get("file", "").endswith(".mdx")  # of which MkDocs makes no page
    ]
    path = folder / "questions.jsonl"
    path.write_text("\n".join(json.dumps({"question": row["question"]}) for row in rows), "utf-8")
    return path


def resolved_by_rules(book: Path, built: Path) -> tuple[int, int]:
    """The sections of a book that was not built, and how many of their links lead to their words.

    A page's first heading has no anchor of its own: it links to the page.
    """
    site = BuiltSite(built)
    sections = resolved = 0
    for indexable in chunks_of_book(book):
        chunk = indexable.chunk
        page = site.page(chunk.url)
        top = [heading.id for _, heading in page.headings if heading.level == 1] if page else []
        said = [p.sentences[0].text for p in chunk.parts if p.kind == "paragraph" and p.sentences]
        for words in said[:1]:
            sections += 1
            anchor = fragment_of(chunk.url) or "".join(top[:1])
            resolved += page is not None and page.heading_of(words) == anchor
    return sections, resolved


@pytest.mark.parametrize("variant", VARIANTS)
async def test_every_citation_and_every_section_among_the_traps_resolves(
    variant: str, tmp_path: Path
) -> None:
    book = lay_out_traps(tmp_path, **VARIANTS[variant])
    built = build(book)
    unresolved: list[str] = []
    figures = await evaluate_citations(book, built, book / "questions.jsonl", unresolved.append)
    assert unresolved == []
    assert figures["resolved"] == figures["citations"] >= 28
    sections, resolved = resolved_by_rules(book, built)
    assert resolved == sections >= 18


@pytest.mark.parametrize("slugify", SLUGS)
def test_heading_ids_are_those_that_the_configured_function_makes(
    slugify: str, tmp_path: Path
) -> None:
    book = lay_out_traps(tmp_path)
    config = book / "mkdocs.yml"
    text = config.read_text("utf-8")
    toc = f"toc: {{permalink: true, slugify: {slugify}}}"
    assert "toc: {permalink: true}" in text
    config.write_text(text.replace("toc: {permalink: true}", toc), "utf-8")
    sections, resolved = resolved_by_rules(book, build(book))
    assert resolved == sections >= 18


async def test_every_citation_resolves_in_the_sample_book(tmp_path: Path) -> None:
    book = lay_out_sample(tmp_path)
    built = build(book)
    unresolved: list[str] = []
    questions = questions_of_sample(tmp_path)
    figures = await evaluate_citations(book, built, questions, unresolved.append)
    assert unresolved == []
    assert figures["resolved"] == figures["citations"] >= 80
    sections, resolved = resolved_by_rules(book, built)
    assert resolved == sections >= 80


def test_the_manifest_has_the_sections_of_the_navigation(tmp_path: Path) -> None:
    book = lay_out_traps(tmp_path)
    manifest = BuiltSite(build(book)).manifest
    assert manifest is not None
    assert {source: page.chapter for source, page in manifest.pages.items()} == {
        "text/README.md": "",
        "text/guide/headings.md": "Workshop",
        "text/guide/boxes.md": "Workshop",
        "text/notes é+.md": "",
    }
