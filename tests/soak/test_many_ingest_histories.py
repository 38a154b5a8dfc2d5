"""The histories of the integration tests, many more of them, and other ones each time."""

from __future__ import annotations

import pytest
from hypothesis import find, given, settings

from tests.integration.broken_ingests import keeps_what_was_deleted, removes_first
from tests.integration.histories import History, Player, Put, TakeIn, histories

pytest_plugins = ("tests.integration.history_fixtures",)
pytestmark = pytest.mark.soak

HISTORIES = 1000


@settings(max_examples=HISTORIES, database=None, print_blob=True)
@given(history=histories(most=10))
def test_any_history_ends_in_the_state_of_the_bucket_and_is_sound_at_every_moment(
    player: Player, history: History
) -> None:
    player.play(history)


@pytest.mark.parametrize(("broken", "most"), [(removes_first, 4), (keeps_what_was_deleted, 4)])
def test_a_failing_history_is_shrunk_to_a_few_steps(
    player: Player, broken: TakeIn, most: int
) -> None:
    few = settings(max_examples=200, database=None, derandomize=True)
    shortest = find(histories(), lambda history: player.fails(history, broken), settings=few)
    assert len(shortest) <= most
    assert isinstance(shortest[0], Put)
