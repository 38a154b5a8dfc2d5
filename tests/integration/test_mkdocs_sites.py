"""Citations in sites that MkDocs built: pages full of traps, and the sample book."""

from __future__ import annotations

import json
import os
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
    """The sample book as a site of MkDocs Material."""
    book = folder / "book"
    shutil.copytree(PROJECT / "examples" / "book" / "docs", book / "docs")
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


@pytest.mark.parametrize("rules", [False, True], ids=["manifest", "rules"])
@pytest.mark.parametrize("variant", VARIANTS)
async def test_every_citation_among_the_traps_resolves(
    variant: str, rules: bool, tmp_path: Path
) -> None:
    book = lay_out_traps(tmp_path, **VARIANTS[variant])
    built = build(book)
    if rules:  # the links of a book whose site has not been built
        (built / "quoth-manifest.json").unlink()
        if not VARIANTS[variant].get("site_url", "below"):
            pass
    unresolved: list[str] = []
    figures = await evaluate_citations(book, built, book / "questions.jsonl", unresolved.append)
    assert unresolved == []
    assert figures["resolved"] == figures["citations"] >= 27
