"""The sample book's golden questions, through the query function's chain, without a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from quoth.golden.ask import FILE_NAME, ask_golden, load_golden, unrecorded_chain
from quoth.golden.grade import figures
from tests.integration.conftest import SHARES
from tests.integration.sample_stage import BOOK, Stage

LEAST = {"answered_in_place": 0.86, "phrases_present": 0.76, "overview_answered": 0.95}
MOST = {"near_scope_answered": 0.28, "out_of_book_answered": 0.0}
"""What the shipped chain holds. An author's bounds (`quoth eval golden --strict`) are tighter."""


@pytest.fixture(scope="module")
async def found(stage: Stage) -> dict[str, Any]:
    before = stage.database.run("SELECT count(*) FROM queries")
    async with unrecorded_chain(stage.settings("query")) as ask:
        judged = await ask_golden(load_golden(BOOK, BOOK / FILE_NAME), ask)
    assert stage.database.run("SELECT count(*) FROM queries") == before
    return figures(judged)


def test_the_sample_book_has_questions_of_every_kind(found: dict[str, Any]) -> None:
    assert found["n_answer"] >= 100
    assert found["n_near_scope"] >= 50
    assert found["n_out_of_book"] >= 20
    assert found["n_overview"] >= 40


def test_answers_what_its_author_wants_answered_and_refuses_the_rest(
    found: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    record_property(SHARES, str(found))
    assert {name: found[name] for name in LEAST if found[name] < LEAST[name]} == {}
    assert {name: found[name] for name in MOST if found[name] > MOST[name]} == {}
