"""Citations in sites that Docusaurus really built. Installing and building takes minutes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from functions.book.site.manifest import read_manifest
from tests.integration.built_book import RECORDED, add_everything, build_site, lay_out_site
from tools.evaluate.retrieval import evaluate_citations

pytestmark = pytest.mark.soak

SAMPLE_QUESTIONS = Path(__file__).parents[1] / "integration" / "sample_questions.json"
TEXT = ("docs", "community", "i18n", "versioned_docs")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out_site(tmp_path_factory.mktemp("docusaurus"))


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    asked = [row["question"] for row in json.loads(SAMPLE_QUESTIONS.read_text("utf-8"))]
    lines = [json.dumps({"question": question}) for question in asked]
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join([*lines, (RECORDED / "questions.jsonl").read_text("utf-8")]), "utf-8")
    return path


def text_of(site: Path, folder: Path) -> Path:
    """The book alone, without what npm and Docusaurus put beside it."""
    for name in TEXT:
        if (site / name).is_dir():
            shutil.copytree(site / name, folder / "book" / name)
    return folder / "book"


async def test_every_citation_resolves_in_the_sample_book(
    site: Path, questions: Path, tmp_path: Path
) -> None:
    unresolved: list[str] = []
    built = build_site(site)
    figures = await evaluate_citations(text_of(site, tmp_path), built, questions, unresolved.append)
    assert unresolved == []
    assert figures["resolved"] == figures["citations"] >= 90
    assert list(built.glob("assets/quoth/*/quoth-widget.js"))
    shutil.rmtree(built)


async def test_every_citation_resolves_below_a_base_with_versions_and_languages(
    site: Path, questions: Path, tmp_path: Path
) -> None:
    unresolved: list[str] = []
    add_everything(site)
    built = build_site(site)
    figures = await evaluate_citations(text_of(site, tmp_path), built, questions, unresolved.append)
    assert unresolved == []
    assert figures["resolved"] == figures["citations"] >= 90
    for name in ("quoth-manifest.json", "fr/quoth-manifest.json"):
        recorded = read_manifest((RECORDED / "built" / name).read_bytes())
        fresh = read_manifest((built / name).read_bytes())
        assert {source: fresh.pages[source] for source in recorded.pages} == recorded.pages
