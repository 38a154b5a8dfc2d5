"""Runs the server as a process of its own: `python -m tests.openai_server --help`.

It prints its address, for QUOTH_OPENAI_BASE_URL, and serves until it is interrupted. The key is
the one it prints; embeddings are made from hashes.
"""

from __future__ import annotations

import argparse
import math
import random
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from tests.openai_server import replies as r
from tests.openai_server.running import serving
from tests.openai_server.scripts import SCRIPTS, BadScript, read_script
from tests.openai_server.service import API_KEY, OpenAIServer, Recorded, Script

Z95 = 1.6448536


def delayed(script: Script, median_s: float, p95_s: float, seed: int) -> Script:
    """The script, each reply after a time drawn from a log-normal distribution."""
    spread = math.log(p95_s / median_s) / Z95
    draw = random.Random(seed)

    def slow(request: Recorded) -> r.Reply:
        return r.Slow(draw.lognormvariate(math.log(median_s), spread), script(request))

    return slow


def read_arguments(arguments: Sequence[str] | None = None) -> tuple[argparse.Namespace, Script]:
    """What was asked for; exits with a message when it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m tests.openai_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--delay-median", type=float, default=0.0, metavar="S")
    parser.add_argument("--delay-p95", type=float, default=0.0, metavar="S")
    parser.add_argument("--seed", type=int, default=0, help="of the delays")
    parser.add_argument(
        "--script", default="supported", help=f"a JSON file, or one of {', '.join(SCRIPTS)}"
    )
    given = parser.parse_args(arguments)
    if not 0 <= given.port < 65_536:
        parser.error("--port must be between 0 and 65535")
    if given.delay_p95 and not given.delay_median:
        parser.error("--delay-p95 needs --delay-median")
    if given.delay_median < 0 or (given.delay_p95 and given.delay_p95 < given.delay_median):
        parser.error("--delay-p95 must be at least --delay-median, and neither negative")
    try:
        script = SCRIPTS.get(given.script) or read_script(Path(given.script))
    except BadScript as error:
        parser.error(str(error))
    if given.delay_median:
        p95 = given.delay_p95 or given.delay_median
        script = delayed(script, given.delay_median, p95, given.seed)
    return given, script


def main() -> None:
    given, script = read_arguments()
    ended = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ended.set())
    server = OpenAIServer(keep=1_000)
    server.answer_with(script)
    with serving(server, given.port) as server.base_url:
        sys.stdout.write(f"{server.base_url} key {API_KEY}\n")
        sys.stdout.flush()
        ended.wait()


if __name__ == "__main__":
    main()
