from __future__ import annotations

from tests.integration.attacks import ATTACKS, attack
from tests.integration.http_stage import served_functions, without_limits
from tests.integration.sample_stage import Stage


def test_no_string_in_any_field_is_executed_lost_or_too_much(stage: Stage) -> None:
    with without_limits(stage), served_functions(stage) as url:
        attacked = attack(url, stage.database, ATTACKS[:12] + ATTACKS[-12:])
    assert attacked.statuses[200] > 100, attacked.statuses
    assert len(attacked.stored) > 48
