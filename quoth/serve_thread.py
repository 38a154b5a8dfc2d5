"""Serving an ASGI app from a thread of this process, on a free port of this machine."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

START_TIMEOUT_S = 60.0


@contextmanager
def served(app: Any, certificate: tuple[Path, Path] | None = None) -> Iterator[str]:
    """The app's address while the block runs; over TLS with a certificate and its key, both PEM.
    RuntimeError when it does not start."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(128)
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        if certificate is not None:
            config.ssl_certfile, config.ssl_keyfile = map(str, certificate)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
        thread.start()
        until = time.monotonic() + START_TIMEOUT_S
        while not server.started:
            if not thread.is_alive() or time.monotonic() > until:
                raise RuntimeError("the server did not start")
            time.sleep(0.01)
        try:
            scheme = "http" if certificate is None else "https"
            yield f"{scheme}://127.0.0.1:{taken.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
