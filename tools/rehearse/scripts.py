"""The scripts of `infra/pipeline`, run whole against the local AWS, as the workflows run them."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tools.rehearse.log import StepFailed

SECONDS = 900.0
SILENT_SECONDS = 120.0


def run_script(
    project: Path,
    name: str,
    arguments: list[str],
    account: Mapping[str, str],
    ends: Collection[int] = (0,),
) -> str:
    """What a script prints. `account` are the variables of the account that it talks to, `ends`
    the codes that it may end with: StepFailed else."""
    done = subprocess.run(
        [project / "infra" / "pipeline" / name, *arguments],
        env=os.environ | {"SAM_CLI_TELEMETRY": "0"} | dict(account),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode not in ends:
        raise StepFailed(f"{name} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


@contextmanager
def way_to_gateways(certificate: Path) -> Iterator[dict[str, str]]:
    """Variables that lead every TLS connection of a program to this machine, as a proxy does:
    only browsers find a gateway's name below localhost."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Tunnel)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield {
            "HTTPS_PROXY": f"http://127.0.0.1:{server.server_address[1]}",
            "NO_PROXY": "127.0.0.1",
            "SSL_CERT_FILE": str(certificate),
        }
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Tunnel(BaseHTTPRequestHandler):
    def do_CONNECT(self) -> None:
        port = int(self.path.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=SILENT_SECONDS) as far:
            self.send_response(200)
            self.end_headers()
            with suppress(ConnectionError):  # whoever has heard enough may simply go
                _relay(self.connection, far)

    def log_message(self, format: str, *args: object) -> None:
        """Silent: what is asked is told by who asks."""


def _relay(near: socket.socket, far: socket.socket) -> None:
    """Pass on what each side says, until one of them has nothing more to say."""
    while ready := select.select([near, far], [], [], SILENT_SECONDS)[0]:
        for side in ready:
            if not (data := side.recv(65536)):
                return
            (far if side is near else near).sendall(data)
