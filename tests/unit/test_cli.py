"""The command line where only a part of it is installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from click.testing import CliRunner

from quoth.cli import main


def _hide(monkeypatch: pytest.MonkeyPatch, package: str, loaded: str) -> None:
    class Hidden:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name.partition(".")[0] == package:
                raise ModuleNotFoundError(f"No module named {package!r}", name=name)

    for name in [each for each in sys.modules if each.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, loaded, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Hidden(), *sys.meta_path])


@pytest.mark.parametrize(
    "command",
    [["eval", "retrieval"], ["eval", "all", "."], ["check-demo"]],
    ids=" ".join,
)
def test_says_where_a_command_is_whose_tools_are_not_installed(
    command: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _hide(monkeypatch, "tools", "")
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2
    assert "checkout of Quoth" in result.output
    assert len(result.output.splitlines()) == 1


def test_says_what_to_install_when_a_part_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "psycopg", "quoth.commands.steps")
    result = CliRunner().invoke(main, ["steps"])
    assert result.exit_code == 2
    assert 'pip install "quoth[local]"' in result.output


def test_says_what_to_install_without_click() -> None:
    program = (
        "import sys; sys.modules['click'] = None\n"
        "from quoth.__main__ import run\n"
        "run()"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr == 'quoth needs its local parts: pip install "quoth[local]"\n'
