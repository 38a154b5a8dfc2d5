"""Nothing leaves this machine while Quoth runs without a key, and the watch would see it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.watched_network import ANSWER, can_watch, watch

pytestmark = pytest.mark.skipif(
    "CI" not in os.environ and not can_watch(), reason="this machine lets us make no network"
)

KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "QUOTH_OPENAI_API_KEY")
LIFE_SECONDS = 90.0
"""The maker of the embedding model's runtime is told of it 30 to 40 s after the start."""

SEND = "import socket; s = socket.socket({family}, socket.SOCK_DGRAM); s.sendto(b'x', {address})"
CALL = "import socket; socket.create_connection(({host!r}, 443), 2)"
IN_A_CHILD = (
    "import subprocess, sys; "
    "subprocess.Popen([sys.executable, '-c', {code!r}], start_new_session=True).wait()"
)
RUNTIME = "import onnxruntime, time; time.sleep(60)"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not under pytest's own folder: the database runs under an account that may not enter it."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-leaves-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def _live(folder: Path, seconds: float) -> None:
    home = folder / "home"
    home.mkdir()
    command = [sys.executable, "-m", "tests.integration.up_life"]
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "TMPDIR": str(folder)}
    seen = watch(
        [*command, str(folder / "book"), str(folder / "data"), str(seconds)],
        240 + seconds,
        **(own | dict.fromkeys(KEYS, "")),
    )
    assert (seen.returncode, seen.output.splitlines()[-1]) == (0, "lived"), seen.output
    assert (seen.left, seen.unseen) == ([], 0)
    kept = [path for path in home.rglob("*") if path.is_file()]
    assert kept == [], "no part keeps an id of this device"


def test_nothing_is_looked_up_or_reached_from_start_to_stop(folder: Path) -> None:
    _live(folder, 0)


@pytest.mark.soak
def test_nothing_is_looked_up_or_reached_in_a_longer_life(folder: Path) -> None:
    _live(folder, LIFE_SECONDS)


@pytest.mark.parametrize(
    ("code", "left"),
    [
        (CALL.format(host="events.example.org"), ["name events.example.org", f"tcp {ANSWER} 443"]),
        (CALL.format(host="203.0.113.7"), ["tcp 203.0.113.7 443"]),
        (CALL.format(host="2001:db8::7"), ["tcp 2001:db8::7 443"]),
        (SEND.format(family="socket.AF_INET", address=("203.0.113.7", 9)), ["udp 203.0.113.7 9"]),
        (SEND.format(family="socket.AF_INET", address=("224.0.0.251", 9)), ["udp 224.0.0.251 9"]),
        (IN_A_CHILD.format(code=CALL.format(host="203.0.113.8")), ["tcp 203.0.113.8 443"]),
        (SEND.format(family="socket.AF_INET", address=("127.0.0.1", 9)), []),
        (SEND.format(family="socket.AF_INET6", address=("::1", 9)), []),
    ],
)
def test_the_watch_sees_what_is_planted_and_nothing_else(code: str, left: list[str]) -> None:
    assert watch([sys.executable, "-c", code], 30).left == left


@pytest.mark.soak
def test_the_watch_sees_the_runtime_of_the_model_call_its_maker(folder: Path) -> None:
    unset = {"ORT_DISABLE_TELEMETRY": "", "HOME": str(folder), "XDG_CACHE_HOME": ""}
    left = watch([sys.executable, "-c", RUNTIME], 120, **unset).left
    assert any(line.startswith("name ") and "events" in line for line in left), left
