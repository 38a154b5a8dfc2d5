"""Histories of a book: what authors change, and what the queue and the processes do meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from functions.adapters.qdrant.chunk_search import SearchFilters
from functions.ingest.batch import ingest_batch
from functions.ingest.ingest_document import Ingest
from functions.ingest.prepare import document_id_of, prepare_document
from functions.ingest.reconcile import reconcile
from tests.integration.history_stage import DIMENSIONS, LAYOUT, Calls, HistoryStage, ProcessDied
from tools.build.gateway_events import object_changed

KEYS = [f"docs/{name}.md" for name in "abc"]
SKILLS = ["walks", "climbs", "grasps", "listens", "balances", "falls"]
MOST_CALLS = 40


@dataclass(frozen=True)
class Put:
    """A file is written: sections by number, "" or a policy. `told` copies of its event come."""

    key: int
    sections: tuple[int, ...]
    policy: str = ""
    told: int = 1


@dataclass(frozen=True)
class Delete:
    key: int
    told: int = 1


@dataclass(frozen=True)
class Rename:
    """One file becomes another: a new file, and the old one deleted."""

    key: int
    to: int
    told: int = 1


@dataclass(frozen=True)
class Deliver:
    """Messages from anywhere in the queue come in one batch. Before call `stop` the process dies,
    or another one is given a batch of its own; what was not done is delivered again later."""

    pick: int = 0
    size: int = 1
    stop: int = 0
    other: int | None = None


@dataclass(frozen=True)
class Reconcile:
    stop: int = 0


Step = Put | Delete | Rename | Deliver | Reconcile
History = list[Step]
TakeIn = Callable[[Ingest], Ingest]

_keys = st.integers(0, len(KEYS) - 1)
_told = st.sampled_from([1, 1, 1, 0, 2])
_picks = st.integers(0, 9)
_stops = st.one_of(st.just(0), st.integers(1, MOST_CALLS))
_sections = st.lists(st.integers(0, len(SKILLS) - 1), max_size=4).map(tuple)
_policies = st.sampled_from(["", "", "", "", "quote-only", "exclude"])


def histories(most: int = 6) -> st.SearchStrategy[History]:
    """At most `most` times four steps."""
    change = st.one_of(
        st.builds(Put, _keys, _sections, _policies, _told),
        st.builds(Put, _keys, _sections, st.just(""), st.just(1)),
        st.builds(Delete, _keys, _told),
        st.builds(Rename, _keys, _keys, _told),
    )
    answer = st.one_of(
        st.builds(Deliver, _picks, st.integers(1, 3)),
        st.builds(Deliver, _picks, st.integers(1, 3), _stops, st.none() | _picks),
        st.builds(Reconcile, _stops),
    )
    rounds = st.lists(st.lists(change | answer, max_size=4), max_size=most)
    return rounds.map(lambda found: [step for each in found for step in each])


def source_of(sections: Sequence[int], policy: str) -> bytes:
    front = f"---\nai: {policy}\n---\n" if policy else ""
    parts = [f"## Part {n}\n\nThe robot {SKILLS[n]} in step {n}.\n" for n in sections]
    return (front + "\n".join(["# Robots\n", *parts] if sections else [""])).encode()


async def replay(history: History, stage: HistoryStage, made_by: TakeIn = lambda x: x) -> None:
    """Let it happen, drain the queue, and see that all is as the bucket. AssertionError."""
    await stage.clear()
    book = _Book(stage, made_by)
    for step in history:
        await book.do(step)
    await book.drain()
    book.assert_equals_bucket()


@dataclass(frozen=True)
class Player:
    """Plays histories on one loop, so that plain functions can ask for them."""

    stage: HistoryStage
    run: Callable[[Coroutine[Any, Any, None]], None]

    def play(self, history: History, made_by: TakeIn = lambda ingest: ingest) -> None:
        self.run(replay(history, self.stage, made_by))

    def fails(self, history: History, made_by: TakeIn) -> bool:
        try:
            self.play(history, made_by)
        except AssertionError:
            return True
        return False


class _Book:
    def __init__(self, stage: HistoryStage, made_by: TakeIn) -> None:
        self._stage = stage
        self._made_by = made_by
        self._queue: list[str] = []
        self._is_lost = False
        self._findable: set[str] = set()
        self._points: frozenset[object] = frozenset()
        self._wrong = ""

    async def do(self, step: Step) -> None:
        await self._do(step)
        assert not self._wrong, self._wrong

    async def _do(self, step: Step) -> None:
        match step:
            case Put(key, sections, policy, told):
                self._stage.bucket.put(KEYS[key], source_of(sections, policy))
                self._tell(KEYS[key], told)
            case Delete(key, told):
                self._stage.bucket.delete(KEYS[key])
                self._tell(KEYS[key], told)
            case Rename(key, to, told):
                found = self._stage.bucket.objects.get(KEYS[key])
                if found is not None and key != to:
                    self._stage.bucket.put(KEYS[to], found.data)
                    self._stage.bucket.delete(KEYS[key])
                    self._tell(KEYS[to], told)
                    self._tell(KEYS[key], told)
            case Deliver(pick, size, stop, other):
                await self._deliver(pick, size, stop, other)
            case Reconcile(stop):
                await self._reconcile(stop)

    async def drain(self) -> None:
        """Deliver what is left, as often as need be; the reconciler knows what nobody told."""
        for _ in range(3 * len(self._queue) + 3):
            await self._deliver(0, 3, 0, None)
        assert not self._queue, "a message never succeeds"
        if self._is_lost:
            await self._reconcile(0)
        assert not self._wrong, self._wrong

    def assert_equals_bucket(self) -> None:
        rows, points = self._stage.rows(), self._stage.points()
        wanted: dict[str, tuple[str, ...]] = {}
        for key, found in self._stage.bucket.objects.items():
            prepared = prepare_document(key, found.data, LAYOUT, "")
            if not prepared.withheld:
                wanted[document_id_of(key)] = prepared.chunk_ids
        live = {id: row for id, row in rows.items() if not row.deleted}
        assert {id: row.chunk_ids for id, row in live.items()} == wanted
        found_points = [(p.document_id, p.chunk_id, p.generation, p.active) for p in points]
        assert sorted(found_points) == sorted(
            (id, chunk_id, row.generation, True)
            for id, row in live.items()
            for chunk_id in row.chunk_ids
        )

    def _tell(self, key: str, told: int) -> None:
        self._is_lost |= told == 0
        self._queue += [key] * told

    async def _deliver(self, pick: int, size: int, stop: int, other: int | None) -> None:
        """One batch to the first process, and to the second one when it stops."""
        meanwhile = None
        if other is not None:

            async def meanwhile() -> None:
                await self._deliver_to(1, Calls(self._look), self._take(other, 1))

        await self._deliver_to(0, Calls(self._look, stop, meanwhile), self._take(pick, size))

    async def _deliver_to(self, number: int, calls: Calls, keys: list[str]) -> None:
        process = self._stage.processes[number]
        process.calls = calls
        bodies = [json.dumps(object_changed(self._stage.bucket.bucket, key)) for key in keys]
        event = {"Records": [{"messageId": str(n), "body": b} for n, b in enumerate(bodies)]}
        try:
            answer = await ingest_batch(event, self._made_by(process.ingest()), lambda: 60.0)
        except ProcessDied:
            self._queue += keys
            self._stage.time_passes()
        else:
            failed = [int(each["itemIdentifier"]) for each in answer["batchItemFailures"]]
            self._queue += [keys[at] for at in failed]

    async def _reconcile(self, stop: int) -> None:
        process = self._stage.processes[0]
        process.calls = Calls(self._look, stop)
        try:
            await reconcile(self._made_by(process.ingest()))
        except ProcessDied:
            self._stage.time_passes()

    def _take(self, pick: int, size: int) -> list[str]:
        return [
            self._queue.pop(pick % len(self._queue)) for _ in range(min(size, len(self._queue)))
        ]

    async def _look(self) -> None:
        """Note what is wrong now, if anything: ingest itself must not hear of it."""
        try:
            await self._check()
        except AssertionError as error:
            self._wrong = self._wrong or str(error)

    async def _check(self) -> None:
        """What must hold at every moment."""
        points, rows = self._stage.points(), self._stage.rows()
        active = {point.document_id for point in points if point.active}
        for document_id in self._findable - active:
            row = rows.get(document_id)
            assert row is None or row.deleted or not row.chunk_ids, "a live document was lost"
        self._findable = active
        for document_id in active:
            of_document = [point for point in points if point.document_id == document_id]
            newest = max(point.generation for point in of_document if point.active)
            states = {point.active for point in of_document if point.generation == newest}
            assert states == {True}, "a document can be found in part"
        if (state := frozenset(points)) != self._points:
            self._points = state
            await self._ask()

    async def _ask(self) -> None:
        """Ask as readers do: no answer may have a document in two generations."""
        for most in (2, 10):
            vector = [0.5] * DIMENSIONS
            searched = await self._stage.search.search("robot", vector, SearchFilters(), most)
            by_words = await self._stage.search.keyword_search("robot", SearchFilters(), most)
            for result in (searched, by_words):
                seen: dict[str, set[int]] = {}
                for hit in result.hits:
                    generations = seen.setdefault(hit.payload["document_id"], set())
                    generations.add(hit.payload["generation"])
                assert all(len(each) == 1 for each in seen.values()), "two generations in an answer"
