"""Whatever authors, the queue and the processes do: all ends in the state of the bucket, and at
no moment is a document lost or mixed from two generations."""

from __future__ import annotations

import pytest
from hypothesis import Phase, find, given, settings

from tests.integration.broken_ingests import keeps_what_was_deleted, removes_first
from tests.integration.histories import History, Player, TakeIn, histories

pytest_plugins = ("tests.integration.history_fixtures",)

QUICK = settings(max_examples=60, database=None, derandomize=True)


@QUICK
@given(history=histories())
def test_any_history_ends_in_the_state_of_the_bucket_and_is_sound_at_every_moment(
    player: Player, history: History
) -> None:
    player.play(history)


@pytest.mark.parametrize("broken", [removes_first, keeps_what_was_deleted])
def test_an_ingest_with_a_mistake_fails_on_some_history(player: Player, broken: TakeIn) -> None:
    first = settings(QUICK, phases=[Phase.generate])
    assert find(histories(), lambda history: player.fails(history, broken), settings=first)
