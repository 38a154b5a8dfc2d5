"""The built `selected` function answers from the selection and has no way to anything else.

What is built is run: its import, and a whole answer. Broken on purpose, it is found out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.build.test_artifacts import BUILT, PYTHON
from tests.build.test_artifacts import pytestmark as pytestmark
from tools.build.budgets import forbidden_modules
from tools.build.first_requests import environment_of, first_requests

ANSWERING = "functions/selected/answer_selection.py"
IMPORT = "import functions.adapters.qdrant.chunk_search"
PROGRAM = """
import json, sys, types
from functions.selected.handler import handler
context = types.SimpleNamespace(
    aws_request_id="1", function_name="selected", memory_limit_in_mb="512",
    invoked_function_arn="arn", get_remaining_time_in_millis=lambda: 20000,
)
answer = handler(json.loads(sys.argv[1]), context)
print(json.dumps([answer["statusCode"], json.loads(answer["body"]), sorted(sys.modules)]))
"""


def answer_in(artifact: Path) -> tuple[int, dict[str, object], list[str]]:
    """The status and the body of one answer, and all modules that are loaded after it."""
    done = subprocess.run(
        [PYTHON, "-c", PROGRAM, json.dumps(first_requests()["selected"].event)],
        cwd=artifact,
        env={"PATH": os.defpath, "LANG": "C.UTF-8", **environment_of("selected")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    status, body, modules = json.loads(done.stdout.splitlines()[-1])
    return status, body, modules


def test_answers_without_loading_anything_that_knows_the_index() -> None:
    status, body, modules = answer_in(BUILT.of("selected"))
    assert (status, body["status"], body["mode"]) == (200, "answered", "selected-text")
    assert forbidden_modules("selected", modules) == []
    assert not [name for name in environment_of("selected") if "QDRANT" in name]


@pytest.mark.parametrize("lazily", [False, True], ids=["at import", "at the first answer"])
def test_an_import_of_the_index_put_into_what_is_built_is_found(
    tmp_path: Path, lazily: bool
) -> None:
    broken = tmp_path / "selected"
    shutil.copytree(BUILT.of("selected"), broken)
    file = broken / ANSWERING
    before = "        parts = split_selection(" if lazily else "from dataclasses import"
    source = file.read_text("utf-8")
    assert before in source
    indent = before[: len(before) - len(before.lstrip())]
    file.write_text(source.replace(before, f"{indent}{IMPORT}\n{before}", 1), "utf-8")
    for stale in (file.parent / "__pycache__").glob("answer_selection.*"):
        stale.unlink()
    _, _, modules = answer_in(broken)
    assert "functions.adapters.qdrant.chunk_search" in forbidden_modules("selected", modules)
