"""`make rehearse`, whole: three minutes alone on two cores, and the interpreter of the runtime."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.rehearse.log import Log
from tools.rehearse.run import rehearse

pytestmark = pytest.mark.soak

PROJECT = Path(__file__).parents[2]


def test_the_built_stack_is_deployed_used_by_a_reader_and_forgets_what_was_deleted() -> None:
    log = Log(lambda line: None)
    rehearse(PROJECT, log)
    titles = [step.title for step in log.steps]
    assert len(titles) == len(set(titles))
    seen = log.markdown("here")
    for expected in (
        "bucket → event → queue → ingest",
        "no longer retrievable",
        "the first citation leads to",
        "examine.sh rehearsal",
        "publish.sh BOOK quoth-rehearsal",
        "for another client: 401 by the gateway",
        "it came again and is in the book",
        "from the restored snapshot",
    ):
        assert expected in seen
