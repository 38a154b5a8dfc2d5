"""A substitute for AWS's Parameters and Secrets extension, which is not available outside AWS.

It answers the one request the functions send, on the loopback interface, and reads the parameter
from SSM with the function's own credentials, so a role's permissions apply here too. It is deployed
as a layer that holds only this file, and starts in each function's process before the handler is
imported. It must not import any of Quoth's modules.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PORT = "PARAMETERS_SECRETS_EXTENSION_HTTP_PORT"
"""AWS's variable for the port; its default is 2773."""
PATH = "/systemsmanager/parameters/get"
MOST_SECONDS = 5


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.path != PATH:
            self._answer(404, {"message": "not found"})
        elif self.headers.get("X-Aws-Parameters-Secrets-Token") != os.environ["AWS_SESSION_TOKEN"]:
            self._answer(400, {"message": "the token is not the function's"})
        else:
            self._read(parse_qs(asked.query))

    def _read(self, query: dict[str, list[str]]) -> None:
        name = query.get("name", [""])[0]
        decrypt = query.get("withDecryption", ["false"])[0] == "true"
        try:
            found = _ssm().get_parameter(Name=name, WithDecryption=decrypt)
        except Exception as error:  # like the extension, report every error to the caller
            sys.stderr.write(f"secrets extension: {name}: {error}\n")
            self._answer(400, {"message": type(error).__name__})
            return
        self._answer(200, {"Parameter": {"Name": name, "Value": found["Parameter"]["Value"]}})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: names of secrets do not belong in a log."""


@cache
def _ssm() -> Any:
    import boto3
    from botocore.config import Config

    limits = Config(connect_timeout=MOST_SECONDS, read_timeout=MOST_SECONDS)
    return boto3.client("ssm", config=limits)


def start(port: int = 0) -> int:
    """Serve from a thread and set the port variable for the functions. Returns the port."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    # Not in the thread: importing boto3 there while the handler imports would deadlock.
    _ssm()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    chosen = server.server_address[1]
    os.environ[PORT] = str(chosen)
    return chosen


def main() -> None:
    """Print the port and serve until the process is stopped."""
    sys.stdout.write(f"{start()}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main()
