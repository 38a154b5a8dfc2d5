"""The command line: `quoth …`."""

from __future__ import annotations

import importlib
from typing import ClassVar

import click


class _Lazy(click.Group):
    """Imports a command when it is used: starting one must not load the parts of all."""

    commands_by_name: ClassVar[dict[str, str]] = {
        "up": "quoth.commands.up:up",
        "ask": "quoth.commands.ask:ask",
        "ingest": "quoth.commands.ingest:ingest",
        "preview": "quoth.commands.preview:preview",
        "rebuild": "quoth.commands.rebuild:rebuild",
        "cost": "quoth.commands.cost:cost",
        "steps": "quoth.commands.steps:steps",
        "setup": "quoth.commands.setup:setup",
        "doctor": "quoth.commands.doctor:doctor",
        "push": "quoth.commands.push:push_book",
        "smoke": "quoth.commands.smoke:smoke",
        "purge": "quoth.commands.retention:purge",
        "forget": "quoth.commands.retention:forget",
        "replay": "quoth.commands.replay:replay",
        "audit": "quoth.commands.audit:audit",
        "simulate": "quoth.commands.simulate:simulate",
        "calibrate": "quoth.commands.calibrate:calibrate",
        "eval": "tools.evaluate.commands:evaluate",
        "links": "quoth.commands.links:links",
        "edge-cases": "tools.edge_cases.command:edge_cases",
        "openapi": "tools.openapi:openapi",
        "check-demo": "tools.check_demo:check_demo",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands_by_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = self.commands_by_name.get(cmd_name)
        if target is None:
            return None
        module, name = target.split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="quoth")
def main() -> None:
    """Ask the book; it answers in its own words."""
