from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from functions.answer.check.check_claims import Check
from functions.answer.write.writer import DraftClaim
from quoth.json_lines import BadRow
from tools.evaluate import grounding
from tools.evaluate.grounding import evaluate_grounding, evaluate_random_swaps
from tools.evaluate.verdicts import NOTHING, evaluate_verdicts

CONTEXT = "The ankle strategy corrects small pushes. It moves the centre of pressure by 12 cm."
ROWS = (
    ("The ankle strategy corrects small pushes.", True, "S_verbatim"),
    ("That is right. The ankle strategy corrects small pushes.", True, "S_polite"),
    ("Ankles deal with shoves.", True, "S_loose"),
    ("It moves the centre of pressure by 99 cm.", False, "U_number"),
    ("Do penguins balance pancakes?", False, "U_question"),
)


def evaluate(
    tmp_path: Path,
    peer: bool = False,
    rows_of: Sequence[tuple[str, bool, str]] = ROWS,
    cited: Sequence[str] = (),
) -> dict[str, Any]:
    file = tmp_path / "rows.jsonl"
    rows = [
        {"context": CONTEXT, "response": text, "supported": supported, "kind": kind, "source": "us"}
        | ({"cited": list(cited)} if cited else {})
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


def test_each_kind_says_what_was_proven_left_to_the_judge_and_objected_to(tmp_path: Path) -> None:
    kinds = evaluate(tmp_path)["kinds"]
    none = {"verbatim": 0, "close": 0, "to_judge": 0, "objected": 0}
    assert kinds["S_verbatim"] == {**none, "n": 1, "verbatim": 1, "shown": 1}
    assert kinds["U_number"] == {**none, "n": 1, "objected": 1, "shown": 0}
    assert all(
        each["n"] == sum(each[proof] for proof in none) >= each["shown"] for each in kinds.values()
    )


def for_the_judge(claims: Iterable[DraftClaim], *_: object, **__: object) -> list[Check]:
    """Every claim a paraphrase that no rule objects to, but for what has a number."""
    return [Check(each, "paraphrase", ("number",) if "99" in each.text else ()) for each in claims]


def test_judges_settle_what_is_neither_proven_nor_objected_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounding, "check_claims", for_the_judge)
    figures = evaluate(tmp_path)
    assert (figures["fpr"], figures["fnr"]) == (0.0, 1.0)
    yes, perfect = figures["with_yes_sayer"], figures["with_perfect_entailment"]
    assert (yes["fpr"], yes["fnr"], yes["n"]) == (0.5, 0.0, 5)
    assert (perfect["fpr"], perfect["fnr"], perfect["balanced_accuracy"]) == (0.0, 0.0, 1.0)
    assert yes["by_kind"]["U_question"] == 1.0
    assert figures["kinds"]["S_loose"]["to_judge"] == 1


def test_the_cited_sentences_of_a_row_are_the_evidence(tmp_path: Path) -> None:
    text = "The ankle strategy corrects small pushes."
    other = "It moves the centre of pressure by 12 cm."
    figures = evaluate(tmp_path, rows_of=[(text, True, "S_own")], cited=[text])
    assert figures["kinds"]["S_own"]["verbatim"] == 1
    figures = evaluate(tmp_path, rows_of=[(text, True, "S_own")], cited=[other])
    assert figures["kinds"]["S_own"]["verbatim"] == 0


def test_a_book_is_evaluated_on_the_claims_made_from_it(tmp_path: Path) -> None:
    pytest.importorskip("HanTa", reason="the tagger is installed by make .venv/dev")
    tmp_path.joinpath("arm.md").write_text(
        "# Arms\n\nThe controller checks the encoder. Most robots use motors and encoders.\n",
        "utf-8",
    )
    figures = asyncio.run(evaluate_grounding(tmp_path, peer=False))
    assert figures["n"] == sum(each["n"] for each in figures["kinds"].values())
    assert {"U_roles", "U_quantifier", "S_passive"} <= set(figures["kinds"])
    told: list[str] = []
    swaps = asyncio.run(evaluate_random_swaps([tmp_path], 2, told.append))
    assert swaps["n"] == 2
    assert len(told) == swaps["shown_with_yes_sayer"] >= swaps["shown"]


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


def test_a_false_claim_is_shown_only_where_no_rule_objects_and_the_judge_says_true(
    tmp_path: Path,
) -> None:
    told = "The brake holds the arm. Many parts of the machine are made of light metal."
    file = tmp_path / "claims.json"
    loose = "Much of the machine is made of metal that weighs little."
    claims = [["U_x", "The brake does not hold the arm."], ["U_y", loose], ["S_z", "Unread."]]
    file.write_text(json.dumps([{"passage": told, "claims": claims}]), "utf-8")
    table: list[str] = []
    kinds = asyncio.run(evaluate_verdicts([file], table.append))
    assert kinds["U_x"] == {**NOTHING, "n": 1, "objected": 1}
    assert kinds["U_y"] == {**NOTHING, "n": 1, "true": 1}
    assert kinds["all"]["n"] == 2
    assert len(table) == 5
