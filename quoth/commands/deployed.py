"""`quoth push` and `quoth smoke`: publish a book to a stage, and ask its golden questions there."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from functions.book.site.manifest import FILE_NAME
from functions.ingest.prepare import is_markdown
from functions.runtime.plural import plural
from quoth.commands.start_stack import check_book
from quoth.doctor.aws_checks import StackUnknown, client, stack_outputs
from quoth.golden.ask import FILE_NAME as GOLDEN_FILE
from quoth.golden.ask import DeployedReader, GoldenSet, NotAsked, ask_golden, load_golden
from quoth.golden.evaluate import falling_short, line_of
from quoth.golden.grade import Judged, figures
from quoth.json_lines import BadRow


@click.command("push")
@click.argument("book", type=click.Path(path_type=Path))
@click.option("--stack", required=True, help="Stack name, such as quoth-prod.")
@click.option("--region", envvar="AWS_REGION", help="AWS region of the stack.")
@click.option("--folder", default="docs", show_default=True, help="The folder of the Markdown.")
@click.option(
    "--manifest",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The built site's quoth-manifest.json, so that links are the site's own.",
)
@click.option("--seconds", default=900.0, show_default=True, help="Longest wait for the index.")
def push_book(
    book: Path, stack: str, region: str | None, folder: str, manifest: Path | None, seconds: float
) -> None:
    """Synchronise the stage's bucket with BOOK, and wait until its index is up to date.

    Only changed files are uploaded; Markdown that is no longer in BOOK is deleted from the bucket
    and the index. Exits with 1 when a change could not be indexed.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    book = check_book(book)
    if not (book / folder).is_dir():
        raise click.ClickException(f"{book} has no folder {folder}: nothing was changed")
    try:
        outputs = stack_outputs(stack, region)
        target = Target(
            outputs["BookBucketName"], outputs["ChangesQueueUrl"], outputs["DeadLettersUrl"]
        )
        sqs = client("sqs", region)
        before = lost_messages(sqs, target)
        pushed = push(client("s3", region), target.bucket, book, folder, manifest)
        for done, keys in pushed.items():
            for key in keys:
                click.echo(f"{done:<8} {key}")
        click.echo(f"{len(pushed['put'])} put, {len(pushed['deleted'])} deleted")
        if any(pushed.values()):
            wait_until_indexed(sqs, target, before, seconds)
            click.echo("The index has followed.")
    except (BotoCoreError, ClientError, NotIndexed, StackUnknown) as error:
        raise click.ClickException(str(error)) from error
    except KeyError as error:
        raise click.ClickException(f"the stack {stack} has no output {error}") from error


POLL_SECONDS = 2.0
QUIET_POLLS = 3
"""SQS's counts are approximate: the queue counts as empty when it was so often in a row."""

TYPES = {".json": "application/json"}
Pushed = dict[str, list[str]]


class NotIndexed(Exception):
    """The index is not up to date. The message says how many changes wait or were lost."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a stage takes its book from: its bucket, and the addresses of its two queues."""

    bucket: str
    queue_url: str
    dead_letter_url: str


def push(s3: Any, bucket: str, book: Path, folder: str, manifest: Path | None) -> Pushed:
    """Upload what differs, delete what is gone; the keys by `put` and `deleted`.

    `folder` is the book's folder of Markdown, named as in the bucket. The manifest goes first, so
    that links are known when the pages are read. Files of other kinds are left alone.
    """
    wanted = dict(_files(book, folder))
    there = dict(_objects(s3, bucket, f"{folder}/"))
    pushed: Pushed = {"put": [], "deleted": []}
    if manifest is not None:
        there |= dict(_objects(s3, bucket, FILE_NAME))
        wanted = {FILE_NAME: manifest, **wanted}
    for key, path in wanted.items():
        data = path.read_bytes()
        if there.get(key) != hashlib.md5(data, usedforsecurity=False).hexdigest():
            kind = TYPES.get(path.suffix, "text/markdown; charset=utf-8")
            s3.put_object(Bucket=bucket, Key=key, Body=data, ContentType=kind)
            pushed["put"].append(key)
    for key in sorted(set(there) - set(wanted)):
        if is_markdown(key):
            s3.delete_object(Bucket=bucket, Key=key)
            pushed["deleted"].append(key)
    return pushed


def lost_messages(sqs: Any, target: Target) -> int:
    return _messages(sqs, target.dead_letter_url)


def wait_until_indexed(sqs: Any, target: Target, lost_before: int, seconds: float) -> None:
    """Wait until no change is pending. NotIndexed after `seconds`, or when a change was lost."""
    until = time.monotonic() + seconds
    quiet = 0
    while quiet < QUIET_POLLS:
        waiting = _messages(sqs, target.queue_url)
        quiet = 0 if waiting else quiet + 1
        lost = _messages(sqs, target.dead_letter_url) - lost_before
        if lost > 0:
            raise NotIndexed(
                f"{plural(lost, 'change')} could not be indexed: read the log of ingest"
            )
        if time.monotonic() > until:
            raise NotIndexed(f"{plural(waiting, 'change')} still pending after {seconds:.0f} s")
        time.sleep(POLL_SECONDS)


def _files(book: Path, folder: str) -> Iterator[tuple[str, Path]]:
    for path in sorted((book / folder).rglob("*")):
        if path.is_file() and is_markdown(path.name):
            yield path.relative_to(book).as_posix(), path


def _objects(s3: Any, bucket: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Key and MD5 (the ETag of an object put in one piece, encrypted with S3's own key)."""
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for each in page.get("Contents", []):
            yield each["Key"], each["ETag"].strip('"')


def _messages(sqs: Any, url: str) -> int:
    names = [
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
        "ApproximateNumberOfMessagesDelayed",
    ]
    found: Mapping[str, str] = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)[
        "Attributes"
    ]
    return sum(int(found.get(name, 0)) for name in names)


@click.command()
@click.option("--api", help="The API's address: the stack's output ApiUrl.")
@click.option("--stack", help="Stack name, such as quoth-prod, instead of --api.")
@click.option("--region", envvar="AWS_REGION", help="AWS region of the stack.")
@click.option("--origin", required=True, help="An origin the stack allows, scheme://host.")
@click.option("--book", type=click.Path(path_type=Path), required=True, help="The book's folder.")
@click.option("--golden", type=click.Path(path_type=Path), help="Default: golden.yaml of the book.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask at most this many questions.")
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
        asked = _some(load_golden(check_book(book), golden or book / GOLDEN_FILE), limit)
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
