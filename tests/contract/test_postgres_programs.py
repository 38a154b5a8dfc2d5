"""PostgreSQL's programs where the account that runs them cannot read the installed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from quoth.postgres import embedded
from quoth.postgres.embedded import Account, find_programs, run_program


def test_programs_out_of_a_closed_folder_are_copied_with_their_libraries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_others_may_enter", lambda folder: False)
    found = find_programs(tmp_path, Account(65534, 65534))
    assert found.is_relative_to(tmp_path)
    assert found == find_programs(tmp_path, Account(65534, 65534))
    for name in ("initdb", "pg_ctl", "postgres"):
        assert "PostgreSQL" in run_program(found / name, ["--version"], None)
