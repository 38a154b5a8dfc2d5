"""The shared lists of naughty strings, XSS and SQL, in every field of every request."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.integration.attacks import ATTACKS, attack, shared_attacks
from tests.integration.conftest import stage  # noqa: F401
from tests.integration.http_stage import served_functions, without_limits
from tests.integration.sample_stage import Stage

pytestmark = pytest.mark.soak

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "adversarial"
EVERY = int(os.environ.get("QUOTH_SOAK_EVERY", "1"))
"""Take each so manieth of the shared strings: there are thousands."""


def test_no_shared_string_in_any_field_is_executed_lost_or_too_much(stage: Stage) -> None:  # noqa: F811
    shared = shared_attacks(FOLDER)[::EVERY] if FOLDER.is_dir() else []
    with without_limits(stage), served_functions(stage) as url:
        statuses = attack(url, stage.database, [*ATTACKS, *shared])
    assert statuses[200] > 2 * len(ATTACKS)
