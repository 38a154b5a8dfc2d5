"""Whatever is lost, late, doubled or interrupted: all ends in the state of the bucket."""

from __future__ import annotations

import random

import pytest

from functions.ingest.reconcile import reconcile
from tests.integration.ingest_book import (
    FIRST,
    KEY,
    Book,
    ProcessDied,
    Steps,
    page,
)

pytest_plugins = ("tests.integration.ingest_fixtures",)


@pytest.mark.parametrize("seed", range(6))
async def test_any_order_of_events_ends_in_the_state_of_the_bucket(book: Book, seed: int) -> None:
    chance = random.Random(seed)
    keys = [f"docs/{name}.md" for name in "abc"]
    waiting: list[str] = []
    for _ in range(12):
        key = chance.choice(keys)
        if chance.random() < 0.3:
            book.delete(key)
        else:
            book.put(page(chance.choice(["One.", "Two.", "Three."]), f"Of {key}."), key)
        waiting += [key] * chance.choice([1, 1, 2])
        while waiting and chance.random() < 0.4:
            await book.look(waiting.pop(chance.randrange(len(waiting))))
    chance.shuffle(waiting)
    for key in waiting:
        assert (await book.look(key)).is_settled
    await book.assert_equals_bucket()


@pytest.mark.parametrize("change", ["create", "edit", "delete", "recreate"])
@pytest.mark.parametrize("meanwhile", ["nothing", "edited again", "deleted"])
async def test_a_death_before_any_step_is_mended_by_the_next_look(
    book: Book, change: str, meanwhile: str
) -> None:
    last_steps: list[str] = []
    died_before: list[str] = []
    for die_before in range(1, 40):
        key = f"docs/{change}-{die_before}.md"
        await _prepare(book, change, key)
        steps = Steps(die_before)
        try:
            await book.mortal(steps).ingest_key(key)
        except ProcessDied:
            died_before.append(steps.made[die_before - 1])
        else:
            last_steps = steps.made
            break
        if change == "edit":  # at no moment is the document missing
            assert await book.found_in_index(key)
            assert book.text_in_database(key)
        book.end_leases()
        if meanwhile == "edited again":
            book.put(page("Wholly other words, and fewer of them."), key)
        elif meanwhile == "deleted":
            book.delete(key)
        outcome = await book.look(key)
        assert outcome.is_settled, outcome
        assert (await book.look(key)).action == "unchanged"
    assert died_before == last_steps, "a step was left out"
    expected = "remove" if change == "delete" else "activate"
    assert last_steps[-2:] == [expected, "release_lease"]
    await book.assert_equals_bucket()


async def _prepare(book: Book, change: str, key: str) -> None:
    if change != "create":
        book.put(FIRST, key)
        assert (await book.look(key)).action == "created"
    if change == "recreate":
        book.delete(key)
        await book.look(key)
    if change == "delete":
        book.delete(key)
    else:
        # Other words each time: known vectors would leave out the steps that make them.
        book.put(FIRST.replace(b"small pushes", f"the pushes of {key}".encode()), key)


async def test_a_document_that_another_worker_has_is_left_for_later(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("functions.ingest.ingest_document.LEASE_PATIENCE_SECONDS", 0.1)
    book.put(FIRST)
    token = await book.ingest.records.take_lease(KEY, 60, seconds=5)
    assert token is not None
    assert (await book.look()).action == "failed"
    await book.ingest.records.release_lease(KEY, token, seconds=5)
    assert (await book.look()).action == "created"


async def test_the_reconciler_mends_what_no_event_told_of(book: Book) -> None:
    for name in ("kept", "edited", "deleted", "lost", "stale"):
        book.put(page(f"This is the page {name}."), f"docs/{name}.md")
        await book.look(f"docs/{name}.md")
    index = book.ingest.index
    ids = {
        str(row[0]): str(row[1])
        for row in book.database.run("SELECT source_path, id FROM documents")
    }
    book.put(page("This is the page new."), "docs/new.md")
    book.put(page("This is the page edited, twice."), "docs/edited.md")
    book.delete("docs/deleted.md")
    await index.remove(ids["docs/lost.md"])
    book.database.run("DELETE FROM documents WHERE source_path = 'docs/stale.md'")
    book.delete("docs/stale.md")
    outcomes = {each.key: each.action for each in await reconcile(book.ingest)}
    assert outcomes == {
        "docs/deleted.md": "removed",
        "docs/edited.md": "updated",
        "docs/lost.md": "updated",
        "docs/new.md": "created",
        "docs/stale.md": "unchanged",
    }
    await book.assert_equals_bucket()
    assert await reconcile(book.ingest) == ()
