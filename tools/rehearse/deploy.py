"""Deploys the built stack into the local AWS with the same scripts as into the real one."""

from __future__ import annotations

import os
import re
import select
import shutil
import socket
import subprocess
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from quoth.doctor.deployment import SAMCONFIG, TEMPLATE
from quoth.doctor.findings import MARKS
from quoth.events.resources import REGION
from quoth.setup.write import write_parameters
from tools.rehearse.cloud import Cloud
from tools.rehearse.log import StepFailed

STACK = "quoth-rehearsal"
STAGE = "rehearsal"
PREFIX = "/quoth/rehearsal"


@dataclass(frozen=True, slots=True)
class Deployed:
    """A deployed stack. `resources` are physical names by logical id."""

    outputs: Mapping[str, str]
    resources: Mapping[str, str]
    types: Mapping[str, str]


def store_secrets(cloud: Cloud, secrets: Mapping[str, str]) -> None:
    """Put the secrets where the functions look, as `quoth setup` does in the real account."""
    ssm = cloud.client("ssm")
    for name, value in secrets.items():
        ssm.put_parameter(Name=f"{PREFIX}/{name}", Value=value, Type="SecureString", Overwrite=True)


def deploy(
    cloud: Cloud,
    project: Path,
    build: Path,
    folder: Path,
    parameters: Mapping[str, str],
    pooled: bool,
) -> Deployed:
    """Look the stage over and deploy a build, by the pipelines' scripts, with a samconfig.toml in
    `folder` that is written as `quoth setup` does it. Raises StepFailed with what they said."""
    config = folder / SAMCONFIG
    shutil.copy(project / TEMPLATE, folder)
    config.write_text((project / SAMCONFIG).read_text("utf-8").replace("staging", STAGE), "utf-8")
    write_parameters(config, STAGE, parameters, REGION)
    examine(project, folder, cloud.environment, pooled)
    run_script(project, "deploy.sh", [STAGE, str(build), str(config)], cloud.environment)
    return read_stack(cloud)


def examine(project: Path, folder: Path, account: Mapping[str, str], pooled: bool) -> str:
    """What examine.sh says of the stage: StepFailed when something has to be mended. Without a
    pooler on this machine that there is none is all that it may find."""
    ends = (0,) if pooled else (1,)
    said = run_script(project, "examine.sh", [STAGE, str(folder)], account, ends)
    wrong = [line.split()[1] for line in said.splitlines() if line.startswith(MARKS["failed"])]
    if not all(re.fullmatch(r"postgres\.\w+-pooled", each) for each in wrong):
        raise StepFailed(f"examine.sh: {said[-3000:]}")
    return said


def read_stack(cloud: Cloud) -> Deployed:
    """What the stack is now made of."""
    formation = cloud.client("cloudformation")
    (stack,) = formation.describe_stacks(StackName=STACK)["Stacks"]
    pages = formation.get_paginator("list_stack_resources").paginate(StackName=STACK)
    made = [each for page in pages for each in page["StackResourceSummaries"]]
    return Deployed(
        {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", [])},
        {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in made},
        {each["LogicalResourceId"]: each["ResourceType"] for each in made},
    )


def checkout(project: Path, folder: Path) -> Path:
    """`folder` with the files that git has of the project: a job begins with no more, and no
    environment."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=project, check=True, capture_output=True, text=True)
    for name in filter(None, done.stdout.split("\0")):
        if (project / name).is_file():  # else it is deleted, and not yet committed
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(project / name, folder / name)
    return folder


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
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    # `make` puts the development environment in front.
    bare = os.pathsep.join(each for each in path if Path(each).parent.name != ".venv")
    done = subprocess.run(
        [project / "infra" / "pipeline" / name, *arguments],
        env=os.environ | {"SAM_CLI_TELEMETRY": "0", "PATH": bare} | dict(account),
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
            with suppress(ConnectionError):  # either side may close first
                _relay(self.connection, far)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the caller logs its requests."""


def _relay(near: socket.socket, far: socket.socket) -> None:
    """Pass on what each side says, until one of them has nothing more to say."""
    while ready := select.select([near, far], [], [], SILENT_SECONDS)[0]:
        for side in ready:
            if not (data := side.recv(65536)):
                return
            (far if side is near else near).sendall(data)
