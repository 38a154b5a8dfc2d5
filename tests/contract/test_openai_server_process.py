"""The test server as a process of its own, as people and load tests run it."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from functions.adapters.openai.model import ModelUnavailable, ModelWriter
from functions.adapters.openai.model_judge import ModelJudge
from functions.answer.check.check_claims import check_claims
from functions.answer.deadline import Deadline
from functions.answer.write.writer import Draft, draft_of
from tests.openai_server.__main__ import delayed, read_arguments
from tests.openai_server.replies import Slow
from tests.openai_server.scripts import SCRIPTS
from tests.openai_server.service import API_KEY, Recorded
from tests.unit.answer.contexts import STANDING, context

ROOT = Path(__file__).parents[2]
MODEL = "gpt-6-luna"
Start = Callable[..., str]


@contextmanager
def started(*arguments: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.openai_server", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address, _, key = process.stdout.readline().split()
        assert key == API_KEY
        yield address
    finally:
        process.terminate()
        process.communicate(timeout=20)
    assert process.returncode == 0


@pytest.fixture
def start() -> Iterator[Start]:
    with ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(started("--port", "0", *arguments))


async def write(address: str, model: str = MODEL) -> Draft:
    writer = ModelWriter(address, API_KEY, model)
    try:
        return await writer.write("What corrects pushes?", context(), Deadline.after(30))
    finally:
        await writer.close()


async def test_it_answers_from_the_first_sentences_and_judges(start: Start) -> None:
    address = start()
    draft = await write(address)
    assert [claim.text for claim in draft.claims] == list(STANDING[:2])
    assert all(check.passed for check in check_claims(draft.claims, context()))
    judge = ModelJudge(address, API_KEY, MODEL, seconds=30)
    assert await judge.entails([("a", "b"), ("c", "d")], Deadline.after(30)) == [True, True]
    await judge.close()


async def test_replies_of_a_file_come_in_turn(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    rows = [
        {"claims": [{"text": "A claim of the file.", "sentence_ids": ["S1.1"]}]},
        {"script": "invented"},
        {"text": '{"status": "none", "claims": []}'},
    ]
    file.write_text(json.dumps(rows), "utf-8")
    address = start("--script", str(file))
    texts = [[claim.text for claim in (await write(address)).claims] for _ in range(4)]
    first = ["A claim of the file."]
    assert texts == [first, ["The moon is made of green cheese."], [], first]


async def test_a_hostile_script_is_run_by_its_name(start: Start) -> None:
    with pytest.raises(ModelUnavailable):
        await write(start("--script", "down"))


@pytest.mark.parametrize("name", sorted(SCRIPTS.keys() - {"supported"}))
def test_no_hostile_script_writes_a_claim_that_stands(name: str) -> None:
    told = "\n".join(f"S1.{at} {json.dumps(text)}" for at, text in enumerate(STANDING, 1))
    body = {
        "input": told,
        "instructions": "You answer readers' questions about one book, and nothing else at all.",
        "text": {"format": {"name": "answer"}},
    }
    reply = SCRIPTS[name](Recorded("/v1/responses", {}, body))
    claims = getattr(reply, "claims", ())
    draft = draft_of("full", claims, "", None)
    assert not any(check.passed for check in check_claims(draft.claims, context()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "70000"], "between 0 and 65535"),
        (["--delay-p95", "2"], "needs --delay-median"),
        (["--delay-median", "2", "--delay-p95", "1"], "at least"),
        (["--script", "nowhere.json"], "cannot be read"),
    ],
)
def test_a_wrong_argument_is_named(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        read_arguments(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "rows", ["{}", "[]", "[1]", '[{"script": "no such"}]', '[{"claims": [{"text": "a"}]}]', "nope"]
)
def test_a_wrong_script_is_named(
    rows: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "script.json"
    file.write_text(rows, "utf-8")
    with pytest.raises(SystemExit):
        read_arguments(["--script", str(file)])
    assert "script.json" in capsys.readouterr().err


def test_delays_have_the_median_and_the_p95_asked_for() -> None:
    script = delayed(lambda request: Slow(0), 1.2, 2.0, seed=1)
    request = Recorded("/v1/responses", {}, {})
    drawn = [script(request) for _ in range(4_000)]
    times = [reply.seconds for reply in drawn if isinstance(reply, Slow)]
    assert statistics.median(times) == pytest.approx(1.2, rel=0.05)
    assert statistics.quantiles(times, n=20)[-1] == pytest.approx(2.0, rel=0.05)
