"""Citations and stored links in pages that Docusaurus built, kept beside this test.

They are the pages with traps (equal headings, explicit ids, `slug`, tabs, boxes, an included part,
a base, versions, a second language); `tests/soak/test_docusaurus_build.py` builds them anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from functions.ingest.site_manifest import Manifests
from quoth.calibrate.local_index import chunks_of_book
from quoth.cli import main
from quoth.site.built import BuiltSite, fragment_of
from tests.integration.built_book import RECORDED
from tests.integration.ingest_book import Book
from tools.evaluate.retrieval import evaluate_citations

pytest_plugins = ("tests.integration.ingest_fixtures",)

TRAPS = "docs/04-links/01-headings.mdx"
BUILT = RECORDED / "built"


async def test_every_citation_leads_to_its_element_and_its_words() -> None:
    unresolved: list[str] = []
    figures = await evaluate_citations(
        RECORDED / "book", BUILT, RECORDED / "questions.jsonl", unresolved.append
    )
    assert unresolved == []
    assert figures["resolved"] == figures["citations"] >= 20


def test_every_section_has_the_link_of_the_element_over_its_words() -> None:
    site = BuiltSite(BUILT)
    seen: list[str] = []
    for indexable in chunks_of_book(RECORDED / "book", site.manifest):
        chunk = indexable.chunk
        page = site.page(chunk.url)
        assert page is not None, chunk.url
        for part in chunk.parts:
            if part.kind == "paragraph":
                said = part.sentences[0].text
                assert page.heading_of(said) == fragment_of(chunk.url), said
                seen.append(chunk.url)
    assert len(seen) >= 20
    assert {fragment_of(url) for url in seen} >= {
        "", "setup", "setup-1", "installing", "overview-1", "my-explicit-id", "rocket-launch",
        "what-is-x2", "café--übung-π--314", "日本語-見出し", "folded-heading", "tabbed-heading-1",
    }  # fmt: skip


def test_versions_and_languages_are_those_of_the_site() -> None:
    chunks = [each.chunk for each in chunks_of_book(RECORDED / "book", BuiltSite(BUILT).manifest)]
    assert {(c.source_path.split("/")[0], c.version, c.locale) for c in chunks} == {
        ("docs", "current", "en"),
        ("community", "current", "en"),
        ("versioned_docs", "1.0", "en"),
        ("i18n", "current", "fr"),
    }


def test_without_the_site_nothing_resolves(tmp_path: Path) -> None:
    arguments = ["eval", "citations", "--book", str(RECORDED / "book"), "--site"]
    questions = ["--questions", str(RECORDED / "questions.jsonl")]
    done = CliRunner().invoke(main, [*arguments, str(tmp_path / "none"), *questions])
    assert done.exit_code == 2
    (tmp_path / "quoth-manifest.json").write_text("{}")
    done = CliRunner().invoke(main, [*arguments, str(tmp_path), *questions])
    assert (done.exit_code, "manifest" in done.output) == (2, True)
    (tmp_path / "quoth-manifest.json").unlink()
    done = CliRunner().invoke(main, [*arguments, str(tmp_path), *questions])
    figures = json.loads(done.output.splitlines()[-1])
    assert done.exit_code == 0
    assert figures["citations"] > figures["resolved"] == 0


@pytest.fixture
async def stored(book: Book) -> Book:
    """The page with the traps in the index, and an answer that cites it."""
    book.ingest.manifests = Manifests(book.ingest.store, "quoth-manifest.json")
    for name in ("quoth-manifest.json", "fr/quoth-manifest.json"):
        book.put((BUILT / name).read_bytes(), name)
    book.put((RECORDED / "book" / TRAPS).read_bytes(), TRAPS)
    assert (await book.look(TRAPS)).action == "created"
    cite(book, "/book/next/else/where/#setup-1", "The third setup wants a dial indicator")
    return book


def cite(book: Book, url: str, quote: str) -> None:
    cited = {"kind": "book", "url": url, "source_path": TRAPS, "quotes": [{"exact": quote}]}
    selected = cited | {"kind": "selection", "url": ""}
    book.database.run(
        "WITH asked AS (INSERT INTO queries"
        " (query_id, asked_at, reader, session_id, mode, question)"
        " VALUES (gen_random_uuid(), now(), 'r', 's', 'book-wide', 'q') RETURNING query_id)"
        " INSERT INTO responses (response_id, query_id, status, source_references)"
        " SELECT gen_random_uuid(), query_id, 'answered', %s::jsonb FROM asked",
        (json.dumps([cited, selected]),),
    )


@pytest.fixture
def check_links(stored: Book, tmp_path: Path) -> Callable[..., Result]:
    def run(without: str = "none", **replaced: str) -> Result:
        """Check the stored links against the recorded build with words replaced in it."""
        for path in BUILT.rglob("*"):
            if path.is_file() and without not in path.parts:
                text = path.read_text("utf-8")
                for old, new in replaced.items():
                    text = text.replace(old, new)
                to = tmp_path / "built" / path.relative_to(BUILT)
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_text(text, "utf-8")
        address = stored.database.dsn("quoth_analytics")
        site = str(tmp_path / "built")
        return CliRunner().invoke(
            main, ["links", "check", "--site", site, "--database-url", address]
        )

    return run


def test_links_of_the_same_build_are_good(check_links: Callable[..., Result]) -> None:
    done = check_links()
    assert done.exit_code == 0, done.output
    assert done.output.startswith("16 links: 16 good, 0 moved, 0 changed, 0 gone")


def test_a_link_whose_id_changed_is_told_with_the_new_one(
    check_links: Callable[..., Result],
) -> None:
    done = check_links(**{"setup-1": "dial-setup"})
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert any(
        "moved" in line and "→ /book/next/else/where/#dial-setup" in line and "cited once" in line
        for line in lines
    )
    assert "0 gone" in lines[-1]


def test_links_of_a_page_that_is_gone_fail_the_check(
    check_links: Callable[..., Result], stored: Book
) -> None:
    done = check_links(without="else", **{TRAPS: "docs/another.mdx"})
    assert done.exit_code == 1, done.output
    assert "gone    /book/next/else/where/#setup" in done.output


def test_a_build_without_a_manifest_cannot_be_checked(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["links", "check", "--site", str(tmp_path)])
    assert done.exit_code == 2
    assert "quoth-manifest.json" in done.output
