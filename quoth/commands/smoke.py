"""`quoth smoke`: does what is deployed answer the golden questions?"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import click

from quoth.commands.start_stack import check_book
from quoth.doctor.aws_checks import StackUnknown, stack_outputs
from quoth.golden.ask import FILE_NAME, DeployedReader, GoldenSet, NotAsked, ask_golden, load_golden
from quoth.golden.evaluate import falling_short, line_of
from quoth.golden.grade import Judged, figures
from quoth.json_lines import BadRow


@click.command()
@click.option("--api", help="The API's address: the stack's output ApiUrl.")
@click.option("--stack", help="The stack, as in quoth-prod, instead of its address.")
@click.option("--region", envvar="AWS_REGION", help="The stack's AWS region.")
@click.option("--origin", required=True, help="A site that may carry the widget, scheme://host.")
@click.option("--book", type=click.Path(path_type=Path), required=True, help="The book's folder.")
@click.option("--golden", type=click.Path(path_type=Path), help="golden.yaml of the book else.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask only every so manieth, so many.")
@click.option("--report", type=click.Path(path_type=Path), help="Write Markdown there.")
def smoke(
    api: str | None,
    stack: str | None,
    region: str | None,
    origin: str,
    book: Path,
    golden: Path | None,
    limit: int | None,
    report: Path | None,
) -> None:
    """Ask a deployed API the book's golden questions, as its readers would.

    The answers are recorded like any reader's. Exits with 1 when a share is out of its bounds (see
    the guide to golden questions), 2 when the API does not answer or the file is wrong.
    """
    if bool(api) == bool(stack):
        raise click.UsageError("Give either --api or --stack.")
    try:
        asked = _some(load_golden(check_book(book), golden or book / FILE_NAME), limit)
        url = api or stack_outputs(stack or "", region)["ApiUrl"]
        judged = asyncio.run(_ask(asked, url.rstrip("/"), origin))
    except (BadRow, NotAsked, StackUnknown) as error:
        click.echo(f"Error: {error}", err=True)
        raise SystemExit(2) from error
    found = figures(judged)
    short = falling_short(found)
    lines = [line_of(each) for each in judged if each.why]
    for line in lines:
        click.echo(line)
    click.echo(json.dumps(found | {"short": short}))
    if report is not None:
        report.write_text(_as_markdown(found, lines, short), "utf-8")
    raise SystemExit(int(bool(short)))


async def _ask(asked: GoldenSet, api: str, origin: str) -> list[Judged]:
    async with DeployedReader(api, origin) as reader:
        return await ask_golden(asked, reader.ask)


def _some(golden: GoldenSet, limit: int | None) -> GoldenSet:
    """At most `limit` questions, spread over the file."""
    if limit is None or len(golden.questions) <= limit:
        return golden
    step = len(golden.questions) / limit
    return replace(golden, questions=[golden.questions[int(at * step)] for at in range(limit)])


def _as_markdown(found: dict[str, object], lines: list[str], short: list[str]) -> str:
    verdict = f"falls short: {', '.join(short)}" if short else "all shares are in their bounds"
    rows = [f"| {name} | {value} |" for name, value in found.items()]
    failed = [f"- {line}" for line in lines] or ["- none"]
    head = ["## Golden questions", "", verdict, "", "| | |", "|---|---|"]
    return "\n".join([*head, *rows, "", "### Not as asked", "", *failed, ""])
