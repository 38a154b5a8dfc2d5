"""`python -m quoth.embeddings`: serves MiniLM and the reader on this machine until stopped."""

from __future__ import annotations

import argparse
import sys

from quoth.embeddings.app import create_app
from quoth.embeddings.minilm import MiniLM
from quoth.local_server import listen, serve_announced, url_of
from quoth.model_files import ModelFilesMissing
from quoth.reader.onnx_reader import OnnxReader


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m quoth.embeddings", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free port")
    parser.add_argument("--threads", type=int, help="workers for long lists (default: all cores)")
    asked = parser.parse_args()
    try:
        model, reader = MiniLM(asked.threads), OnnxReader(asked.threads)
    except ModelFilesMissing as error:
        sys.exit(str(error))
    serve(model, asked.port, reader)


def serve(model: MiniLM, port: int, reader: OnnxReader | None = None) -> None:
    """Serve until stopped; prints the address once it accepts requests. Port 0 picks a free one."""
    with listen(port) as listener:
        serve_announced(create_app(model, reader), listener, f"ready {url_of(listener)}/v1")
    model.close()
    if reader is not None:
        reader.close()


if __name__ == "__main__":
    main()
