"""Builds the wheel, installs it into empty environments and uses it as a newcomer would.

`python -m tools.check_wheel`; ends with 1 and one sentence when something does not hold.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")
START_SECONDS = 180.0
QUESTION = "What does a heron eat?"
SENTENCE = "A heron eats fish, frogs and small mammals that it catches in shallow water."
MUST_HOLD = (
    "functions/query/handler.py",
    "quoth/cli.py",
    "quoth/cost/cloud_prices.json",
    "quoth/reader/reader.onnx",
    "quoth/shipped/examples/book/golden.yaml",
    "quoth/shipped/infra/migrations/001_",
    "quoth/shipped/widget/dist/quoth-widget.js",
    "quoth/site/static/site.css",
)


class WheelBroken(Exception):
    """The wheel does not do what it must. The message says what."""


def main() -> int:
    try:
        with tempfile.TemporaryDirectory(prefix="quoth-wheel-") as name:
            folder = Path(name)
            folder.chmod(0o755)  # the database runs under an account of its own
            check_wheel(folder)
    except WheelBroken as error:
        print(f"The wheel: {error}", file=sys.stderr)
        return 1
    print("The wheel holds what it must, and works.")
    return 0


def check_wheel(folder: Path) -> None:
    """Raises WheelBroken."""
    _ran([UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT], folder)
    wheel = next(folder.glob("*.whl"))
    check_contents(zipfile.ZipFile(wheel).namelist())
    bare = _installed(folder / "bare", str(wheel))
    told = _quoth(bare, folder, "up")
    _require(told.returncode == 2, f"without its extra, `quoth up` exits with {told.returncode}")
    said = told.stderr.strip()
    _require(
        'pip install "quoth[local]"' in said and "\n" not in said,
        f"without its extra, `quoth up` says: {said}",
    )
    whole = _installed(folder / "whole", f"{wheel}[local]")
    told = _quoth(whole, folder, "eval", "retrieval")
    _require(
        told.returncode == 2 and "checkout" in told.stderr and "Traceback" not in told.stderr,
        f"`quoth eval retrieval` without tools/ says: {told.stderr.strip()}",
    )
    use_wheel(whole, folder)


def check_contents(names: list[str]) -> None:
    """The functions, the command line and what it reads; no tools and no tests."""
    for wanted in MUST_HOLD:
        _require(any(name.startswith(wanted) for name in names), f"it holds no {wanted}")
    strays = [
        name for name in names if not name.startswith(("functions/", "quoth/", "quoth-"))
    ]  # fmt: skip
    _require(not strays, f"it holds {', '.join(strays[:5])}")


def use_wheel(environment: Path, folder: Path) -> None:
    """Serve a small book, ask it over HTTP and from the command line, preview an edit."""
    book = folder / "book"
    page = book / "docs" / "herons.md"
    page.parent.mkdir(parents=True)
    page.write_text(f"# Herons\n\n## Food\n\n{SENTENCE}\n\n## Nests\n\nHerons nest in trees.\n")
    data = ["--data", str(folder / "data")]
    with _serving(environment, folder, [str(book), "--port", "0", *data]) as url:
        body = json.dumps({"question": QUESTION, "session_id": "wheel"}).encode()
        request = urllib.request.Request(  # noqa: S310  # loopback
            f"{url}/query", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310
            answer = json.load(reply)
        _require(SENTENCE in answer["response"], f"{QUESTION} is answered: {answer['response']}")
        script = "/_quoth/widget/quoth-widget.js"
        with urllib.request.urlopen(f"{url}{script}", timeout=60) as reply:  # noqa: S310
            _require(reply.status == 200, "the widget is not served")
        asked = _quoth(environment, folder, "ask", QUESTION, "--book", str(book), *data)
        _require(SENTENCE in asked.stdout, f"`quoth ask` says: {asked.stdout}{asked.stderr}")
    page.write_text(page.read_text().replace("fish, frogs", "fish, eels"))
    seen = _quoth(environment, folder, "preview", str(book), *data)
    _require("1 changed" in seen.stdout, f"`quoth preview` says: {seen.stdout}{seen.stderr}")


def _installed(environment: Path, requirement: str) -> Path:
    _ran([UV, "venv", "--quiet", "--python", sys.executable, environment], environment.parent)
    python = environment / "bin" / "python"
    _ran([UV, "pip", "install", "--quiet", "--python", python, requirement], environment.parent)
    return environment


def _quoth(environment: Path, folder: Path, *given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [environment / "bin" / "quoth", *given],
        cwd=folder, env=_environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@contextmanager
def _serving(environment: Path, folder: Path, given: list[str]) -> Iterator[str]:
    printed = folder / "up.log"
    with printed.open("w") as log:
        process = subprocess.Popen(
            [environment / "bin" / "quoth", "up", *given],
            cwd=folder, env=_environment(), stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        until = time.monotonic() + START_SECONDS
        while not (found := re.search(r"The book answers at (\S+)", printed.read_text())):
            waiting = process.poll() is None and time.monotonic() < until
            _require(waiting, f"`quoth up` does not start: {printed.read_text()}")
            time.sleep(0.2)
        yield found[1]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def _environment() -> dict[str, str]:
    """This one without what would lead to the checkout, or to a model that costs."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "VIRTUAL_ENV") and not name.startswith(("QUOTH_", "OPENAI_"))
    }


def _ran(command: list[str | Path], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    _require(done.returncode == 0, f"{' '.join(map(str, command))}: {done.stderr.strip()}")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise WheelBroken(otherwise)


if __name__ == "__main__":
    sys.exit(main())
