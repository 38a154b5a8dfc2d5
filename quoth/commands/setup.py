"""`quoth setup`: everything a stage needs from outside, asked for, tested, stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from quoth.doctor.aws_checks import AwsUnreachable
from quoth.doctor.deployment import NotConfigured, read_deployment
from quoth.setup.ask import NotGiven, read_answers
from quoth.setup.walk import SetupFailed, begin


@click.command()
@click.option("--stage", default="dev", show_default=True, help="A stage of samconfig.toml.")
@click.option("--region", envvar="AWS_REGION", help="The AWS region, written to samconfig.toml.")
@click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    help="The folder of samconfig.toml and template.yaml.",
)
@click.option(
    "--from",
    "answers",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A YAML file with the values, instead of questions; only you may be able to read it.",
)
def setup(stage: str, region: str | None, project: Path, answers: Path | None) -> None:
    """Ask for each outside value of a stage, test it, and store it.

    Secrets go to SSM as SecureStrings and are never shown; the rest goes to samconfig.toml. The
    database gets its migrations and one role per function. No value is stored before all were
    tested. Run it again to change a value: what works already is kept.
    """
    try:
        deployment = read_deployment(project, stage)
        if region:
            deployment = replace(deployment, region=region)
        if not deployment.region:
            raise NotGiven("no region: give --region, as in --region eu-central-1")
        given = read_answers(answers) if answers else {}
        walk = begin(deployment, given, interactive=answers is None, say=click.echo)
        written = walk.run(project)
    except (AwsUnreachable, NotConfigured, NotGiven, SetupFailed) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Written: {', '.join(written)}")
    click.echo(f"Next: make build && infra/pipeline/deploy.sh {stage}")
    click.echo(f"Then: quoth doctor --stage {stage}")
