"""`python -m tools.rehearse`: deploy to a local AWS, and use what was deployed."""

from __future__ import annotations

import argparse
import platform
import sys
from pathlib import Path

from quoth.events.emulator import EmulatorFailed
from quoth.parts import PartFailed
from quoth.postgres.embedded import PostgresFailed
from quoth.postgres.migrate import MigrationFailed
from tools.build.environments import BuildFailed
from tools.rehearse.gateway import NoGateway, Unknown
from tools.rehearse.job import programs_of_the_job
from tools.rehearse.log import Log, StepFailed
from tools.rehearse.run import rehearse

EXPECTED = (
    BuildFailed,
    EmulatorFailed,
    MigrationFailed,
    NoGateway,
    PartFailed,
    PostgresFailed,
    StepFailed,
    Unknown,
)


def main(arguments: list[str] | None = None) -> int:
    """Returns 1 when a step did not end as it must."""
    parser = argparse.ArgumentParser(prog="tools.rehearse", description=__doc__)
    parser.add_argument("--project", type=Path, default=Path.cwd())
    parser.add_argument("--report", type=Path, help="file for the log, as Markdown")
    parser.add_argument("--without", action="append", default=[], help="program to do without")
    asked = parser.parse_args(arguments)
    project = asked.project.resolve()
    log = Log(lambda line: print(line, flush=True))
    try:
        with programs_of_the_job(project, asked.without):
            rehearse(project, log)
    except EXPECTED as error:
        print(f"the rehearsal failed: {error}", file=sys.stderr)
        print("what the functions said is in .aws-sam/rehearsal-aws.log", file=sys.stderr)
        return 1
    print("\nWhat was not shown:")
    for each in log.missing:
        print(f"- {each}")
    if asked.report is not None:
        machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
        asked.report.parent.mkdir(parents=True, exist_ok=True)
        asked.report.write_text(log.markdown(machine), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
