"""Debian's Firefox, told what to do over WebDriver BiDi, which it speaks itself.

Playwright 1.65 asks it for a command it does not know yet, and geckodriver is no Debian package.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

FIREFOX = Path("/usr/bin/firefox-esr")
START_S, CALL_S, WAIT_S = 120.0, 60.0, 60.0
LISTENS = re.compile(r"ws://127\.0\.0\.1:\d+")
KEYS = {"Enter": "\ue006", "Tab": "\ue004", "Escape": "\ue00c", "Alt": "\ue00a"}
ROOT = "const root = document.querySelector('quoth-widget').shadowRoot;"


class Firefox:
    """One window. `run` is JavaScript in it; keys and clicks are a reader's own."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._ids = 0
        self.call("session.new", capabilities={})
        self._context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **params: Any) -> Any:
        self._ids += 1
        self._connection.send(json.dumps({"id": self._ids, "method": method, "params": params}))
        while True:
            said = json.loads(self._connection.recv(timeout=CALL_S))
            if said.get("id") == self._ids:
                assert said["type"] == "success", (method, said)
                return said["result"]

    def before_pages(self, script: str) -> None:
        """Run this in each page before its own scripts."""
        self.call("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")

    def open(self, url: str) -> None:
        self.call("browsingContext.navigate", context=self._context, url=url, wait="complete")
        self.wait_for("customElements.get('quoth-widget') !== undefined")

    def run(self, script: str) -> Any:
        """What an expression is worth, by way of JSON."""
        done = self.call(
            "script.evaluate",
            expression=f"JSON.stringify((() => {{ {ROOT} return ({script}); }})() ?? null)",
            target={"context": self._context},
            awaitPromise=True,
        )
        assert done["type"] == "success", done
        return json.loads(done["result"]["value"])

    def wait_for(self, script: str) -> Any:
        """The expression's worth as soon as it is true."""
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            try:
                if found := self.run(script):
                    return found
            except AssertionError:
                pass  # the page is not there yet
            time.sleep(0.2)
        raise AssertionError(f"never true: {script}")

    def press(self, text: str, *held: str) -> None:
        """Type a text, or press a key by its name."""
        keys = [KEYS[text]] if text in KEYS else list(text)
        down = [{"type": "keyDown", "value": KEYS[each]} for each in held]
        up = [{"type": "keyUp", "value": KEYS[each]} for each in held]
        typed = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": [*down, *typed, *up]})

    def click(self, script: str) -> None:
        """Click in the middle of the element that an expression gives."""
        self.wait_for(f"({script})?.checkVisibility()")
        x, y = self.run(
            f"(({script}).scrollIntoView({{block: 'nearest'}}), (box => [box.x + box.width / 2,"
            f" box.y + box.height / 2].map(Math.round))(({script}).getBoundingClientRect()))"
        )
        move = {"type": "pointerMove", "x": x, "y": y}
        press = [{"type": f"pointer{way}", "button": 0} for way in ("Down", "Up")]
        self._act({"type": "pointer", "id": "mouse", "actions": [move, *press]})

    def _act(self, actions: dict[str, Any]) -> None:
        self.call("input.performActions", context=self._context, actions=[actions])


@contextmanager
def running_firefox(profile: Path) -> Iterator[Firefox]:
    """A fresh profile; the browser ends with the block."""
    arguments = ["--headless", "--no-remote", "--remote-debugging-port", "0"]
    process = subprocess.Popen(
        [str(FIREFOX), *arguments, "--profile", str(profile), "about:blank"],
        stderr=subprocess.PIPE,
        text=True,
        env={"HOME": str(profile), "PATH": "/usr/bin:/bin"},
    )
    try:
        assert process.stderr is not None
        found = next(filter(None, map(LISTENS.search, process.stderr)), None)
        assert found, "Firefox ended before it listened"
        address = f"{found.group()}/session"
        with connect(address, open_timeout=START_S, max_size=None, proxy=None) as connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        process.communicate(timeout=START_S)
