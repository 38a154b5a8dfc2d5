"""The shared lists of naughty strings, XSS and SQL, in every field of every request."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.attacks import ATTACKS, attack, shared_attacks
from tests.integration.conftest import stage  # noqa: F401
from tests.integration.http_stage import served_functions, without_limits
from tests.integration.sample_stage import Stage

pytestmark = pytest.mark.soak

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "adversarial"


def test_no_shared_string_in_any_field_is_executed_lost_or_too_much(
    stage: Stage,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = ATTACKS + (shared_attacks(FOLDER) if FOLDER.is_dir() else [])
    with without_limits(stage), served_functions(stage) as url:
        attacked = attack(url, stage.database, texts)
    with capsys.disabled():
        print(  # noqa: T201
            f"\n{len(texts)} texts in {attacked.fields} fields: {dict(attacked.statuses)},"
            f" {len(attacked.stored)} read back"
        )
    assert len(attacked.stored) > 2 * len(texts)
