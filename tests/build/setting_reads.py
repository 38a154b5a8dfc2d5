"""Which settings a function can read: every module that its handler leads to, looked through."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from functions.runtime.settings import Settings
from tests.build.deployment import PROJECT

HOLDERS = ("settings", "_read")
"""The last word of what holds settings: `self.settings`, `settings()`, `self._read()`."""


def settings_read(module: str) -> set[str]:
    """The settings that are read anywhere in the module and in what it imports of ours."""
    return {name for tree in _reached(module).values() for name in _reads(tree)}


def _reached(module: str) -> dict[str, ast.Module]:
    """Every module of `functions` that this one leads to, imports inside of functions included."""
    found: dict[str, ast.Module] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        file = _file_of(name)
        if file is None or name in found or name == "functions.runtime.settings":
            continue
        found[name] = ast.parse(file.read_text("utf-8"))
        for node in ast.walk(found[name]):
            if isinstance(node, ast.Import):
                waiting += [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    return found


def _file_of(module: str) -> Path | None:
    if not module.startswith("functions"):
        return None
    path = PROJECT.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((each for each in files if each.is_file()), None)


def _reads(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in Settings.model_fields:
            holder = ast.unparse(node.value).removesuffix("()").split(".")[-1]
            if holder in HOLDERS:
                yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "secret":
            yield f"{ast.literal_eval(node.args[1])}_parameter"
