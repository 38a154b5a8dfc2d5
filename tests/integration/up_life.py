"""`quoth up` over a small book from start to stop: `BOOK DATA SECONDS`, its shortest life."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from tests.integration.test_mcp import call
from tests.integration.up_process import run, running_up

TEXT = """# Lighthouses

## Pellworm

The lamp of Pellworm was lit in {year}. It can be seen from a distance of twenty nautical miles.
"""
QUESTION = "When was the lamp of Pellworm lit?"


def main(book: Path, data: Path, seconds: float) -> None:
    """Read a book, answer, read a change, answer it, answer other processes, and stop."""
    page = book / "docs" / "light.md"
    page.parent.mkdir(parents=True)
    page.write_text(TEXT.format(year=1907))
    with running_up(book, data) as up:
        until = time.monotonic() + seconds
        assert "lit in 1907" in up.ask(QUESTION)["response"]
        page.write_text(TEXT.format(year=1908))
        up.wait_for(QUESTION, lambda answer: "lit in 1908" in answer["response"])
        asked = run("ask", QUESTION, "--book", book, "--data", data)
        assert "lit in 1908" in asked.stdout, asked.stderr
        told, failed = asyncio.run(call(up.url, "ask_book", question=QUESTION))
        assert (failed, "lit in 1908" in told) == (False, True), told
        assert up.ask("Who painted the Mona Lisa?")["status"] == "refused"
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 5.0))
            assert up.ask(QUESTION)["status"] == "answered"
        assert up.interrupt() == 0, up.text
    sys.stdout.write("lived\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
