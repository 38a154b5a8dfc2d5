"""The command line: `quoth …`."""

from __future__ import annotations

import click

from quoth.commands.evaluate import evaluate


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="quoth")
def main() -> None:
    """Ask the book; it answers in its own words."""


main.add_command(evaluate)
