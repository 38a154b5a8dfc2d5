"""`python -m tools.build`: build the functions. `… requirements`: only their requirements."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.build.environments import BuildFailed, find_uv, write_requirements
from tools.build.run import build


def main(arguments: list[str] | None = None) -> int:
    """Returns 1 when the build failed or a budget is broken."""
    parser = argparse.ArgumentParser(prog="tools.build", description="Build the functions.")
    parser.add_argument("what", nargs="?", choices=["package", "requirements"], default="package")
    parser.add_argument("--project", type=Path, default=Path.cwd())
    parser.add_argument("--uv", type=Path, help="default: .venv/bin/uv, else the one on the path")
    parser.add_argument("--report", type=Path, help="file for the table, as Markdown")
    parser.add_argument("--extra", action="append", default=[], help="of pyproject.toml: agents")
    asked = parser.parse_args(arguments)
    project = asked.project.resolve()
    try:
        if asked.what == "requirements":
            write_requirements(project, asked.uv or find_uv(project))
            return 0
        made = build(project, asked.report, uv=asked.uv, extras=asked.extra)
    except BuildFailed as error:
        print(f"the build failed: {error}", file=sys.stderr)
        return 1
    for sentence in made.broken:
        print(f"over budget: {sentence}", file=sys.stderr)
    return 1 if made.broken else 0


if __name__ == "__main__":
    sys.exit(main())
