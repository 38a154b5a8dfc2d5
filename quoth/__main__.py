"""The `quoth` command. Without the packages of the extra `local` it says how to install them."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line."""
    try:
        from quoth.cli import main
    except ModuleNotFoundError as missing:
        if missing.name != "click":
            raise
        sys.exit(_without_click())
    main(prog_name="quoth")


def _without_click() -> int:
    print('quoth needs its local parts: pip install "quoth[local]"', file=sys.stderr)
    return 2


if __name__ == "__main__":
    run()
