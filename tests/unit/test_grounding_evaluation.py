from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from quoth.json_lines import BadRow
from tools.evaluate.grounding import evaluate_grounding

CONTEXT = "The ankle strategy corrects small pushes. It moves the centre of pressure by 12 cm."
ROWS = (
    ("The ankle strategy corrects small pushes.", True, "S_verbatim"),
    ("That is right. The ankle strategy corrects small pushes.", True, "S_polite"),
    ("Ankles deal with shoves.", True, "S_loose"),
    ("It moves the centre of pressure by 99 cm.", False, "U_number"),
    ("Do penguins balance pancakes?", False, "U_question"),
)


def evaluate(
    tmp_path: Path, peer: bool = False, rows_of: Sequence[tuple[str, bool, str]] = ROWS
) -> dict[str, Any]:
    file = tmp_path / "rows.jsonl"
    rows = [
        {"context": CONTEXT, "response": text, "supported": supported, "kind": kind, "source": "us"}
        for text, supported, kind in rows_of
    ]
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return asyncio.run(evaluate_grounding(file, peer=peer))


def test_rows_are_judged_counted_and_told_apart(tmp_path: Path) -> None:
    figures = evaluate(tmp_path)
    assert (figures["n"], figures["fpr"], figures["fnr"]) == (5, 0.0, 0.3333)
    assert figures["balanced_accuracy"] == pytest.approx(0.8333, abs=1e-3)
    wrong = {kind for kind, share in figures["by_kind"].items() if share}
    assert wrong == {"S_loose"}
    assert figures["by_source"] == {"us supported": 0.3333, "us unsupported": 0.0}
    assert 0 < figures["ms_p50"] <= figures["ms_p95"]


def test_a_judge_that_never_errs_saves_what_is_supported_and_nothing_else(tmp_path: Path) -> None:
    figures = evaluate(tmp_path)
    # The question is no claim: it is not put to the judge.
    assert (
        figures["flagged_supported_all_flags"],
        figures["flagged_unsupported_all_flags"],
        figures["flagged_all_flags"],
    ) == (1, 1, 2)
    assert figures["with_perfect_entailment_all_flags"]["balanced_accuracy"] == 1.0


def test_what_can_be_counted_is_not_put_to_the_judge(tmp_path: Path) -> None:
    near = ("The ankle strategy deals with small pushes.", True, "S_near")
    figures = evaluate(tmp_path, rows_of=[*ROWS, near])
    # A wrong number is not, nor what shares too little with its evidence to be a paraphrase.
    assert (figures["flagged_supported"], figures["flagged_unsupported"]) == (1, 0)
    assert figures["fnr"] == 0.5
    assert figures["with_perfect_entailment"]["fnr"] == 0.25


def test_the_recipe_by_cosine_or_keywords_is_measured_on_the_same_rows(tmp_path: Path) -> None:
    recipe = evaluate(tmp_path, peer=True)["similarity_recipe"]
    assert recipe["n"] == 5
    assert recipe["by_kind"]["U_number"] == 1.0
    assert recipe["by_kind"]["S_verbatim"] == 0.0


def test_a_bad_row_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"context": "a", "response": "b", "supported": "yes"}', "utf-8")
    with pytest.raises(BadRow, match="supported"):
        asyncio.run(evaluate_grounding(file))
