"""SQL stands in the adapters of databases alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parents[2] / "functions"
POSTGRES = FUNCTIONS / "adapters" / "postgres"
SQLITE = FUNCTIONS / "adapters" / "sqlite"
SQL = re.compile(
    r"\b(?:SELECT\s|INSERT\s+INTO\b|UPDATE\s+\w+\s+(?:AS\s+\w+\s+)?SET\b|DELETE\s+FROM\b"
    r"|FROM\s+\w+[\s\w,]*\bWHERE\b|GROUP\s+BY\b|ORDER\s+BY\b"
    r"|(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|FUNCTION)\b)"
)


def sql_of(source: str) -> Iterator[tuple[int, str]]:
    """The lines and texts of the string literals that hold SQL; docstrings do not count."""
    tree = ast.parse(source)
    docstrings = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in docstrings:
            text = node.value if isinstance(node.value, str) else ""
            if found := SQL.search(text):
                yield node.lineno, found.group()


def test_no_module_outside_of_the_adapter_holds_sql() -> None:
    modules = [path for path in FUNCTIONS.rglob("*.py") if not {POSTGRES, SQLITE} & {*path.parents}]
    found = [
        f"{path.relative_to(FUNCTIONS)}:{line}: {text}"
        for path in modules
        for line, text in sql_of(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('x = "SELECT purge_expired()"', [1]),
        ("x = f'''\n  SELECT {columns} FROM settings'''", [1]),
        ('call("UPDATE topics AS t SET name = %s")', [1]),
        ('call("INSERT INTO topics VALUES (1)")\ncall("DELETE FROM topics")', [1, 2]),
        ('x = " FROM queries WHERE id = %s"', [1]),
        ('def f():\n    """Builds a SELECT statement: SELECT x."""', []),
        ('x = "Select at least 20 words. Order by date."', []),
        ('x = "Please update the settings from where you are."', []),
    ],
)
def test_finds_sql_and_nothing_else(source: str, lines: list[int]) -> None:
    assert [line for line, _ in sql_of(source)] == lines


def test_the_adapter_holds_sql() -> None:
    modules = [path for path in POSTGRES.rglob("*.py") if path.stem != "__init__"]
    without = {path.stem for path in modules if not list(sql_of(path.read_text("utf-8")))}
    assert without == {"admission", "storable"}
