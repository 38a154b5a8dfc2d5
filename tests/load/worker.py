"""One process of the functions, behind HTTP: `python -m tests.load.worker PORT`.

Its settings by function are JSON on its standard input. It prints its address when it listens.
"""

from __future__ import annotations

import json
import logging
import socket
import sys

import uvicorn
from starlette.applications import Starlette

from functions.analytics.feedback import create_feedback
from functions.query.app import create as create_query
from functions.runtime.settings import Settings
from functions.runtime.snapshot import finish_start
from functions.selected.app import create as create_selected
from quoth.serve import QUERY, SELECTED, Gateway


def main() -> None:
    given = {name: Settings(**each) for name, each in json.load(sys.stdin).items()}
    query = create_query(lambda: given["query"])
    selected = create_selected(lambda: given["selected"])
    analytics = create_feedback(lambda: given["analytics"])
    routes = {
        "/feedback": analytics,
        "/health": analytics,
        **dict.fromkeys(QUERY, query),
        **dict.fromkeys(SELECTED, selected),
    }
    # Named as TCP, or asyncio leaves Nagle's algorithm on.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(sys.argv[1])))
    listener.listen(1024)
    sys.stdout.write(f"http://127.0.0.1:{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    app = Gateway(routes, Starlette())
    config = uvicorn.Config(app, log_level="warning", access_log=False, backlog=1024)
    finish_start()  # as each function does
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
