"""The build says what is wrong with an artifact, and nothing when nothing is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.build.artifacts import FUNCTIONS, Artifacts, compile_bytecode, drop_needless
from tools.build.budgets import (
    ImportTime,
    check_contents,
    check_imports,
    measure_contents,
    measure_imports,
)
from tools.build.environments import BuildFailed

PYTHON = Path(sys.executable)


@pytest.fixture
def artifact(tmp_path: Path) -> Path:
    """A package with a module, tests and stale bytecode in it."""
    for name in ("functions/book.py", "numpy/core/tests/test_core.py", "numpy/core/add.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n")
    stale = tmp_path / "functions/__pycache__/book.cpython-310.pyc"
    stale.parent.mkdir()
    stale.write_bytes(b"old")
    return tmp_path


def test_a_finished_artifact_breaks_no_rule(artifact: Path) -> None:
    drop_needless(artifact)
    compile_bytecode(artifact, PYTHON)
    contents = measure_contents(artifact)
    assert (contents.sources, contents.bytecodes) == (2, 2)
    assert check_contents(artifact, contents) == []


def test_bytecode_names_the_files_where_lambda_mounts_them(artifact: Path) -> None:
    compile_bytecode(artifact, PYTHON)
    tag = sys.implementation.cache_tag
    assert (
        b"/var/task/functions/book.py"
        in (artifact / f"functions/__pycache__/book.{tag}.pyc").read_bytes()
    )


def test_names_test_code_missing_bytecode_and_forbidden_packages(artifact: Path) -> None:
    (artifact / "boto3").mkdir()
    said = check_contents(artifact, measure_contents(artifact))
    assert said == [
        "2 of 3 modules have no bytecode",
        "boto3 is in the artifact and must not be",
        "test code is in the artifact: numpy/core/tests",
    ]


def test_names_the_largest_parts_of_what_is_too_large(artifact: Path) -> None:
    with (artifact / "numpy/weights.bin").open("wb") as file:
        file.truncate(181_000_000)
    drop_needless(artifact)
    compile_bytecode(artifact, PYTHON)
    (said,) = check_contents(artifact, measure_contents(artifact))
    assert said.startswith("the artifact has 181.0 MB, over 180 MB; the largest parts are numpy")
    assert check_contents(artifact, measure_contents(artifact), has_extras=True) == []


def imports(**changed: ImportTime) -> dict[str, ImportTime]:
    return {name: ImportTime(300.0, 1.2, frozenset({"fastapi"})) for name in FUNCTIONS} | changed


def test_imports_within_their_budgets_break_no_rule() -> None:
    fine = ImportTime(1.0, 1.0, frozenset({"botocore", "functions.adapters.postgres.database"}))
    assert check_imports(imports(selected=fine)) == []


def test_names_a_slow_import_and_a_forbidden_module() -> None:
    slow = ImportTime(900.0, 1.81, frozenset({"fastapi"}))
    wrong = ImportTime(300.0, 1.2, frozenset({"qdrant_client.http", "functions.adapters.qdrant.x"}))
    assert check_imports(imports(analytics=slow, selected=wrong)) == [
        "importing analytics takes 1.81 times as long as FastAPI and Mangum, over 1.8",
        "selected imports functions.adapters.qdrant.x, qdrant_client.http, which it must not",
    ]


def test_an_artifact_that_cannot_be_imported_fails_the_build(tmp_path: Path) -> None:
    for name in FUNCTIONS.values():
        (tmp_path / name / "functions").mkdir(parents=True)
        (tmp_path / name / "functions/__init__.py").touch()
    with pytest.raises(BuildFailed, match=r"functions\.query\.handler"):
        measure_imports(Artifacts(tmp_path, "x86_64"), PYTHON, rounds=1)
