"""The command line: `quoth …`."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from typing import ClassVar

import click


class CommandMissing(click.ClickException):
    """A command's modules are not installed. The message says where they are."""

    exit_code = 2


class LazyGroup(click.Group):
    """Imports a command when it is used: starting one must not load the parts of all."""

    targets: ClassVar[Mapping[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        tools = importlib.util.find_spec("tools") is not None
        return [name for name, at in self.targets.items() if tools or not at.startswith("tools.")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = self.targets.get(cmd_name)
        if target is None:
            return None
        module, name = target.split(":")
        try:
            command: click.Command = getattr(importlib.import_module(module), name)
        except ModuleNotFoundError as missing:
            raise _explained(missing, cmd_name) from missing
        return command


def _explained(missing: ModuleNotFoundError, command: str) -> Exception:
    package = (missing.name or "").partition(".")[0]
    if package == "tools":
        return CommandMissing(
            f"`{command}` is not in the installed package: run it in a checkout of Quoth, where"
            " tools/ has it."
        )
    if package in ("quoth", "functions"):
        return missing
    extra = "mcp" if command == "mcp" else "local"
    return CommandMissing(f'`{command}` needs {package}: pip install "quoth[{extra}]"')


class _Commands(LazyGroup):
    targets: ClassVar[Mapping[str, str]] = {
        "up": "quoth.commands.up:up",
        "link": "quoth.commands.link:link",
        "ask": "quoth.commands.ask:ask",
        "ingest": "quoth.commands.up:ingest",
        "preview": "quoth.commands.preview:preview",
        "rebuild": "quoth.commands.rebuild:rebuild",
        "cost": "quoth.commands.cost:cost",
        "steps": "quoth.commands.steps:steps",
        "setup": "quoth.commands.setup:setup",
        "doctor": "quoth.commands.doctor:doctor",
        "push": "quoth.commands.deployed:push_book",
        "smoke": "quoth.commands.deployed:smoke",
        "purge": "quoth.commands.retention:purge",
        "forget": "quoth.commands.retention:forget",
        "replay": "quoth.commands.replay:replay",
        "audit": "quoth.commands.audit:audit",
        "simulate": "quoth.commands.simulate:simulate",
        "calibrate": "quoth.commands.calibrate:calibrate",
        "eval": "quoth.cli:evaluate",
        "links": "quoth.commands.links:links",
        "llms-txt": "quoth.commands.llms_txt:llms_txt",
        "mcp": "quoth.commands.mcp:mcp",
        "edge-cases": "tools.edge_cases:edge_cases",
        "openapi": "tools.openapi:openapi",
        "check-demo": "tools.check_demo:check_demo",
    }


class _Evaluations(LazyGroup):
    """An author's `golden`; the others measure Quoth itself and are in tools/."""

    targets: ClassVar[Mapping[str, str]] = {
        "golden": "quoth.commands.evaluation:golden",
        **{
            name: f"tools.evaluate.commands:{name.replace('-', '_')}"
            for name in (
                "retrieval", "scope", "selected", "selected-outside", "source-proof", "grounding",
                "topics", "chunking", "citations", "conduct", "injection", "chunk-recall",
                "redaction", "highlight", "chapters", "near-misses", "transfer", "random-swaps",
                "follow-ups", "verdicts", "reader",
            )
        },
        "all": "tools.evaluate.commands:everything",
    }  # fmt: skip


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="quoth")
def main() -> None:
    """Ask the book; it answers in its own words."""


@click.group(name="eval", cls=_Evaluations)
def evaluate() -> None:
    """Measure quality on question sets. Shares are 0 to 1, counts are integers."""
