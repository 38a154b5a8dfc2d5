"""`python -m tools.bench.search_server`: the query function's app, served on this machine."""

from __future__ import annotations

from functions.query.app import create
from functions.runtime.settings import settings
from quoth.local_server import listen, serve_announced, url_of

if __name__ == "__main__":
    with listen() as listener:
        serve_announced(create(settings), listener, url_of(listener))
