"""`python -m quoth.qdrant --data DIR --port N`: run the local Qdrant server."""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import sys
from pathlib import Path

import uvicorn

from quoth.qdrant.app import create_app
from quoth.qdrant.errors import StoreInUse
from quoth.qdrant.keys import read_keys

LISTEN_BACKLOG = 128


class AnnouncedServer(uvicorn.Server):
    """Prints one line once requests are taken."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for taken in sockets or []:
            host, port = taken.getsockname()[:2]
            print(f"Qdrant is ready at http://{host}:{port}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="quoth.qdrant", description="Run a local Qdrant.")
    parser.add_argument("--data", type=Path, required=True, help="directory of the collections")
    parser.add_argument("--port", type=int, default=6333, help="0 takes a free port")
    asked = parser.parse_args(arguments)
    # asyncio turns Nagle's algorithm off (40 ms an answer) only where TCP is named.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", asked.port))
            app = create_app(asked.data, read_keys(os.environ))
        except (OSError, StoreInUse) as error:
            print(f"quoth.qdrant cannot start: {error}", file=sys.stderr)
            return 1
        taken.listen(LISTEN_BACKLOG)
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        with contextlib.suppress(KeyboardInterrupt):
            AnnouncedServer(config).run(sockets=[taken])
    return 0


if __name__ == "__main__":
    sys.exit(main())
