"""Follows the guide to the assistant in a site, word by word, and asks as its reader would."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from playwright.sync_api import sync_playwright

from tests.guide_text import typed_in

PROJECT = Path(__file__).parents[2]
GUIDE = PROJECT / "docs" / "guides" / "site.md"
CHROMIUM = "/usr/bin/chromium"
START_SECONDS = 240.0
POLL_SECONDS = 0.5


def free_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


@dataclass
class Reader:
    """One who reads a section of the guide. Only the ports 8000 and 3000 are other ones: they may
    be taken."""

    section: str
    folder: Path
    environment: Mapping[str, str]
    api: str = field(default_factory=free_port)
    site: str = field(default_factory=free_port)

    def blocks(self, language: str) -> list[str]:
        ports = {
            ":8000": f":{self.api}",
            ":3000": f":{self.site}",
            "port 3000": f"port {self.site}",
        }
        found = []
        for block in typed_in(GUIDE, self.section):
            if block.language == language:
                text = block.text
                for old, new in ports.items():
                    text = text.replace(old, new)
                found.append(text.replace("quoth up .", f"quoth up . --port {self.api}"))
        return found

    def run(self, commands: str, folder: Path, seconds: float) -> None:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"

    @contextmanager
    def running(self, command: str, folder: Path, ready: str) -> Iterator[None]:
        """A program that goes on running, from its first answer at `ready` until the block ends."""
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        said: list[str] = []
        assert process.stdout is not None
        reading = threading.Thread(target=said.extend, args=(process.stdout,), daemon=True)
        reading.start()
        try:
            for _ in range(int(START_SECONDS / POLL_SECONDS)):
                assert process.poll() is None, "".join(said)
                try:
                    httpx2.get(ready, timeout=5)
                    break
                except httpx2.HTTPError:
                    time.sleep(POLL_SECONDS)
            else:
                raise AssertionError(f"{ready} did not answer: {''.join(said)}")
            yield
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            process.wait(60)
            reading.join(10)
            process.stdout.close()

    @contextmanager
    def served(self, commands: str, serve: str, folder: Path) -> Iterator[str]:
        """The site and its assistant: the last two blocks of the section. Answers the address."""
        first, _, up = commands.strip().rpartition("\n")
        self.run(first, folder, 600)
        with (
            self.running(up, folder, f"http://127.0.0.1:{self.api}/"),
            self.running(serve.strip(), folder, f"http://localhost:{self.site}/"),
        ):
            yield f"http://localhost:{self.site}"


def asked_in_browser(address: str, question: str) -> tuple[str, str]:
    """What the panel of a page says to a question, and the address its first citation opens."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1500, "height": 900})
        page.goto(address)
        page.get_by_role("button", name="Ask the book").click()
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        claim = page.locator(".claim").first
        claim.wait_for(timeout=60_000)
        said = claim.inner_text()
        page.locator("ol a.jump").first.click()
        page.wait_for_url(lambda url: "#" in url, timeout=60_000)
        fragment = page.url.partition("#")[2].partition(":~:")[0]
        assert page.evaluate(
            "id => document.getElementById(decodeURIComponent(id)) !== null", fragment
        )
        shown = page.url
        browser.close()
    return said, shown
