"""pgbouncer in transaction mode, as Neon's pooled host is."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quoth.postgres.embedded import Server
from tests.load.program import listens

PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
START_SECONDS = 10.0
_SETTINGS = """[databases]
* = host=127.0.0.1 port={target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 1000
server_login_retry = 1
query_wait_timeout = 5
log_connections = 0
log_disconnections = 0
"""


@contextmanager
def running_pooler(server: Server, folder: Path, size: int, target: int = 0) -> Iterator[int]:
    """The pooler's port while the block runs. `size` connections a role; `target` is the port it
    leads to, the server's own if 0."""
    if PGBOUNCER is None:
        raise FileNotFoundError("pgbouncer is not installed (on Debian: apt install pgbouncer)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    folder.mkdir(mode=0o755)
    users, settings = folder / "users.txt", folder / "pgbouncer.ini"
    users.write_text("".join(f'"{role}" "{word}"\n' for role, word in server.passwords.items()))
    settings.write_text(
        _SETTINGS.format(target=target or server.port, port=port, users=users, size=size)
    )
    as_nobody = ["-u", "nobody"] if os.geteuid() == 0 else []
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([PGBOUNCER, *as_nobody, str(settings)], stdout=log, stderr=log)
    try:
        if not listens(port, process, START_SECONDS):
            raise RuntimeError("pgbouncer did not start")
        yield port
    finally:
        process.terminate()
        process.wait(10)
