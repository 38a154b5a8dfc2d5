"""Servers at 127.0.0.1: an ASGI app from this process, ports, and the end of others' processes."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

START_TIMEOUT_S = 60.0
STOP_SECONDS = 15.0
BACKLOG = 128


def listen(port: int = 0) -> socket.socket:
    """A socket that listens; port 0 takes a free one. OSError when the port is taken."""
    # Named as TCP, or asyncio leaves Nagle's algorithm on: 40 ms an answer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        listener.close()
        raise
    listener.listen(BACKLOG)
    return listener


def url_of(listener: socket.socket, scheme: str = "http") -> str:
    """The address that a socket listens at."""
    return f"{scheme}://127.0.0.1:{listener.getsockname()[1]}"


class _Announced(uvicorn.Server):
    """Prints a line once requests are taken."""

    line = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            gc.freeze()
            print(self.line, flush=True)


def serve_announced(app: Any, listener: socket.socket, line: str) -> None:
    """Serve until the process is told to stop; `line` is printed when requests are taken."""
    server = _Announced(uvicorn.Config(app, log_level="warning", access_log=False, ws="none"))
    server.line = line
    server.run(sockets=[listener])


@contextmanager
def served(app: Any, certificate: tuple[Path, Path] | None = None) -> Iterator[str]:
    """The app's address while the block runs; over TLS with a certificate and its key, both PEM.
    RuntimeError when it does not start."""
    with listen() as listener:
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        if certificate is not None:
            config.ssl_certfile, config.ssl_keyfile = map(str, certificate)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        until = time.monotonic() + START_TIMEOUT_S
        while not server.started:
            if not thread.is_alive() or time.monotonic() > until:
                raise RuntimeError("the server did not start")
            time.sleep(0.01)
        try:
            yield url_of(listener, "http" if certificate is None else "https")
        finally:
            server.should_exit = True
            thread.join()


def free_port() -> int:
    """A port of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def if_we_die(*command: str, account: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Run `command` when this process ends within the block, by SIGKILL too.

    A shell of its own session waits for the end of a pipe, which the system closes when we are
    gone. `account` are Popen's arguments for another account.
    """
    shell = subprocess.Popen(
        ["/bin/sh", "-c", 'read -r _; "$@"', "sh", *command],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **(account or {}),
    )
    try:
        yield
    finally:
        shell.kill()
        shell.communicate()


def with_parent(module: str, *arguments: str) -> list[str]:
    """The command that runs a module until it ends or this process does, by SIGKILL too. Its
    standard input must be a pipe, which the system closes when we are gone."""
    return [sys.executable, "-m", "quoth.with_parent", module, *arguments]


def stop_process(process: subprocess.Popen[Any]) -> None:
    """Ask it to end, and end it when it does not."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdin is not None:
        process.stdin.close()
