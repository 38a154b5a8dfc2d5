"""`python -m quoth.embeddings`: serves MiniLM to this machine until stopped."""

from __future__ import annotations

import argparse
import socket
import sys

import uvicorn

from quoth.embeddings.app import create_app
from quoth.embeddings.minilm import MiniLM
from quoth.embeddings.model_files import ModelFilesMissing


class _Announced(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            print(f"ready http://127.0.0.1:{sockets[0].getsockname()[1]}/v1", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m quoth.embeddings", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--threads", type=int, help="workers for long lists (default: all cores)")
    asked = parser.parse_args()
    try:
        model = MiniLM(asked.threads)
    except ModelFilesMissing as error:
        sys.exit(str(error))
    serve(model, asked.port)


def serve(model: MiniLM, port: int) -> None:
    """Until stopped. It says its address when it listens; port 0 is a free one."""
    # Named as TCP, or asyncio leaves Nagle's algorithm on: 40 ms a question.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    config = uvicorn.Config(create_app(model), log_level="warning", ws="none")
    _Announced(config).run(sockets=[listener])
    model.close()


if __name__ == "__main__":
    main()
