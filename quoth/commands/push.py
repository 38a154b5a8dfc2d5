"""`quoth push`: publish a book's Markdown to a deployed stage."""

from __future__ import annotations

from pathlib import Path

import click

from quoth.commands.start_stack import check_book
from quoth.doctor.aws_checks import client
from quoth.doctor.stack_checks import StackUnknown, stack_outputs
from quoth.push import NotTakenIn, Target, lost_messages, push, wait_until_taken_in


@click.command("push")
@click.argument("book", type=click.Path(path_type=Path))
@click.option("--stack", required=True, help="The stack of the stage, as in quoth-prod.")
@click.option("--region", envvar="AWS_REGION", help="Its AWS region.")
@click.option("--folder", default="docs", show_default=True, help="The folder of the Markdown.")
@click.option(
    "--manifest",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The built site's quoth-manifest.json, so that links are the site's own.",
)
@click.option("--seconds", default=900.0, show_default=True, help="The longest wait for the index.")
def push_book(
    book: Path, stack: str, region: str | None, folder: str, manifest: Path | None, seconds: float
) -> None:
    """Bring the stage's bucket to the state of BOOK, and wait until its index has followed.

    Only what differs is uploaded; Markdown that BOOK has no more is deleted, and then no longer
    answered from. Exits with 1 when a change could not be indexed.
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
            wait_until_taken_in(sqs, target, before, seconds)
            click.echo("The index has followed.")
    except (BotoCoreError, ClientError, NotTakenIn, StackUnknown) as error:
        raise click.ClickException(str(error)) from error
    except KeyError as error:
        raise click.ClickException(f"the stack {stack} has no output {error}") from error
