"""`python -m tools.bench.search_server`: the query function's app, served on this machine."""

from __future__ import annotations

import socket

import uvicorn

from functions.query.app import create
from functions.runtime.settings import settings


def main() -> None:
    """Serve it on a free port of this machine, and print the address first."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(128)
        print(f"http://127.0.0.1:{taken.getsockname()[1]}", flush=True)
        config = uvicorn.Config(create(settings), log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[taken])


if __name__ == "__main__":
    main()
