"""Links of the built site: from its manifest into the database and the index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from functions.ingest.batch import ingest_batch
from functions.ingest.outcome import Outcome
from functions.ingest.reconcile import reconcile
from functions.ingest.site_manifest import Manifests
from quoth.events.sync import FolderSync
from tests.integration.ingest_book import FIRST, KEY, Book
from tools.build.gateway_events import object_changed

pytest_plugins = ("tests.integration.ingest_fixtures",)

MANIFEST = "quoth-manifest.json"
IDS = ("first", "second", "third")
CLUB = "community/club.md"


@pytest.fixture
def linked(book: Book) -> Book:
    book.ingest.manifests = Manifests(book.ingest.store, MANIFEST)
    return book


def page(source: str, permalink: str, ids: tuple[str, ...] = IDS, locale: str = "en") -> Any:
    parts = [{"id": id, "text": f"Part {at}", "level": 2} for at, id in enumerate(ids, 1)]
    return {
        "source": source,
        "permalink": permalink,
        "version": "current",
        "locale": locale,
        "title": "Balance",
        "headings": [{"id": "", "text": "Balance", "level": 1}, *parts],
        "blocks": [],
    }


def manifest(*pages: Any, **fields: Any) -> bytes:
    told = {"format": 1, "baseUrl": "/book/", "locale": "en", "locales": ["en"]} | fields
    return json.dumps(told | {"documents": pages}).encode()


async def hear(book: Book, *keys: str) -> dict[str, Outcome]:
    """The events of these keys in one batch; what was done, by key."""
    records = [
        {"messageId": key, "body": json.dumps(object_changed(book.bucket, key))} for key in keys
    ]
    heard: list[Outcome] = []
    answer = await ingest_batch({"Records": records}, book.ingest, lambda: 60.0, heard.append)
    assert answer == {"batchItemFailures": []}
    return {outcome.key: outcome for outcome in heard}


async def put_and_hear(book: Book, key: str, data: bytes) -> dict[str, Outcome]:
    book.put(data, key)
    return await hear(book, key)


def urls(book: Book) -> list[object]:
    rows = book.database.run("SELECT body ->> 'url' FROM chunks ORDER BY ordinal")
    return list(dict.fromkeys(row[0] for row in rows))


async def test_links_are_those_of_the_built_site(linked: Book) -> None:
    linked.put(manifest(page(KEY, "/book/else/where/")), MANIFEST)
    assert (await put_and_hear(linked, KEY, FIRST))[KEY].action == "created"
    assert urls(linked) == [f"/book/else/where/#{id}" for id in IDS]
    rows = linked.database.run("SELECT url, version, locale FROM documents")
    assert rows == [("/book/else/where/", "current", "en")]
    payloads = linked.database.run(
        "SELECT DISTINCT body ->> 'version', body ->> 'locale' FROM chunks"
    )
    assert payloads == [("current", "en")]
    assert (await hear(linked, KEY))[KEY].action == "unchanged"


async def test_a_changed_manifest_gives_new_links_without_an_embedding(linked: Book) -> None:
    other = "docs/other.md"
    linked.put(FIRST, other)
    linked.put(manifest(page(KEY, "/book/a"), page(other, "/book/b")), MANIFEST)
    linked.put(FIRST)
    await hear(linked, KEY, other)
    texts = len(linked.embedded_texts())
    moved = manifest(page(KEY, "/book/a", ("one", "two", "three")), page(other, "/book/b"))
    heard = await put_and_hear(linked, MANIFEST, moved)
    assert {key: (each.action, each.embedded) for key, each in heard.items()} == {
        KEY: ("updated", 0)
    }
    assert len(linked.embedded_texts()) == texts
    assert "/book/a#two" in urls(linked)
    assert "/book/b#second" in urls(linked)
    assert await hear(linked, MANIFEST) == {}


async def test_a_manifest_that_comes_late_or_goes_is_followed(linked: Book) -> None:
    await put_and_hear(linked, KEY, FIRST)
    assert "/walking/balance#part-2" in urls(linked)
    heard = await put_and_hear(linked, MANIFEST, manifest(page(KEY, "/book/a")))
    assert heard[KEY].action == "updated"
    assert "/book/a#second" in urls(linked)
    linked.delete(MANIFEST)
    assert (await hear(linked, MANIFEST))[KEY].action == "updated"
    assert "/walking/balance#part-2" in urls(linked)
    rows = linked.database.run("SELECT version, locale FROM documents")
    assert rows == [("", "")]
    linked.delete()
    assert (await hear(linked, KEY))[KEY].action == "removed"


async def test_the_reconciler_finds_links_that_no_event_told_of(linked: Book) -> None:
    await put_and_hear(linked, KEY, FIRST)
    linked.put(manifest(page(KEY, "/book/a")), MANIFEST)
    assert [each.key for each in await reconcile(linked.ingest)] == [KEY]
    assert "/book/a#second" in urls(linked)
    assert await reconcile(linked.ingest) == ()


@pytest.mark.parametrize("broken", [b"{", b"[]", b'{"format": 9}'])
async def test_a_broken_manifest_is_named_and_changes_no_link(linked: Book, broken: bytes) -> None:
    linked.put(manifest(page(KEY, "/book/a")), MANIFEST)
    await put_and_hear(linked, KEY, FIRST)
    heard = await put_and_hear(linked, MANIFEST, broken)
    assert heard[MANIFEST].action == "skipped"
    assert "manifest" in heard[MANIFEST].reason
    assert "/book/a#second" in urls(linked)
    assert (await hear(linked, KEY))[KEY].action == "unchanged"
    # A process that never saw the good one must not undo its links either.
    linked.ingest.manifests = Manifests(linked.ingest.store, MANIFEST)
    assert await reconcile(linked.ingest) == ()


async def test_a_second_set_of_documents_is_part_of_the_book_when_the_site_has_it(
    linked: Book,
) -> None:
    linked.put(FIRST, CLUB)
    assert (await hear(linked, CLUB))[CLUB].action == "skipped"
    heard = await put_and_hear(linked, MANIFEST, manifest(page(CLUB, "/book/club/")))
    assert heard[CLUB].action == "created"
    assert "/book/club/#first" in urls(linked)
    heard = await put_and_hear(linked, MANIFEST, manifest())
    assert heard[CLUB].action == "removed"


async def test_a_translation_has_the_links_of_its_own_language(linked: Book) -> None:
    french = "i18n/fr/docusaurus-plugin-content-docs/current/a.md"
    linked.put(manifest(page(KEY, "/book/a/"), locales=["en", "fr"]), MANIFEST)
    linked.put(
        manifest(page(french, "/book/fr/a/", locale="fr"), page(KEY, "/book/fr/b/", locale="fr")),
        f"fr/{MANIFEST}",
    )
    linked.put(FIRST, french)
    linked.put(FIRST)
    await hear(linked, KEY, french)
    rows = linked.database.run("SELECT source_path, url, locale FROM documents ORDER BY locale")
    assert rows == [(KEY, "/book/a/", "en"), (french, "/book/fr/a/", "fr")]
    moved = manifest(page(french, "/book/fr/c/", locale="fr"))
    assert list(await put_and_hear(linked, f"fr/{MANIFEST}", moved)) == [french]


async def test_a_manifest_is_read_once_a_batch_and_parsed_once_a_version(
    linked: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    import functions.ingest.site_manifest as module

    parsed: list[int] = []
    read_manifest = module.read_manifest
    monkeypatch.setattr(
        module, "read_manifest", lambda data: parsed.append(len(data)) or read_manifest(data)
    )
    reads: list[str] = []
    read = linked.ingest.store.read

    async def counted(key: str, *given: Any) -> Any:
        reads.append(key)
        return await read(key, *given)

    monkeypatch.setattr(linked.ingest.store, "read", counted)
    linked.put(manifest(page(KEY, "/book/a")), MANIFEST)
    linked.put(FIRST, "docs/other.md")
    linked.put(FIRST)
    for _ in range(2):
        await hear(linked, KEY, "docs/other.md")
    assert reads.count(MANIFEST) == 2
    assert len(parsed) == 1


@pytest.mark.parametrize("folder", ["build", "."])
def test_the_manifest_of_a_build_is_put_into_the_bucket(
    linked: Book, tmp_path: Path, folder: str
) -> None:
    for name in (MANIFEST, f"fr/{MANIFEST}", "index.html", "a.md"):
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    sync = FolderSync(tmp_path, linked.bucket, linked.client)
    markdown = () if folder == "build" else ("a.md",)
    assert sync.run().put == (MANIFEST, f"fr/{MANIFEST}", *markdown)
    assert sync.run().put == ()
    (tmp_path / folder / MANIFEST).write_text('{"format": 1}')
    assert sync.run().put == (MANIFEST,)
    (tmp_path / folder / f"fr/{MANIFEST}").unlink()
    assert sync.run().deleted == (f"fr/{MANIFEST}",)
