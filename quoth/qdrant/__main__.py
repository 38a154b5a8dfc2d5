"""`python -m quoth.qdrant --data DIR --port N`: run the local Qdrant server."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path

from quoth.local_server import listen, serve_announced, url_of
from quoth.qdrant.app import create_app, read_keys
from quoth.qdrant.errors import StoreInUse


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="quoth.qdrant", description="Run a local Qdrant.")
    parser.add_argument("--data", type=Path, required=True, help="directory of the collections")
    parser.add_argument("--port", type=int, default=6333, help="0 picks a free port")
    asked = parser.parse_args(arguments)
    try:
        listener = listen(asked.port)
        app = create_app(asked.data, read_keys(os.environ))
    except (OSError, StoreInUse) as error:
        print(f"quoth.qdrant cannot start: {error}", file=sys.stderr)
        return 1
    with listener, contextlib.suppress(KeyboardInterrupt):
        serve_announced(app, listener, f"Qdrant is ready at {url_of(listener)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
