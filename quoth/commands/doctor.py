"""`quoth doctor`: is everything outside right, before and after a deployment?"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict
from pathlib import Path

import click

from functions.book.site.manifest import ManifestUnreadable, read_manifest
from functions.runtime.plural import plural
from functions.runtime.settings import MissingSettings, read_settings
from quoth.doctor.deployment import NotConfigured, read_deployment
from quoth.doctor.examine import check_site, examine
from quoth.doctor.findings import Finding, exit_code
from quoth.doctor.model_checks import NoModel, ask_model
from quoth.models import NoModelNamed, model_settings


@click.group(invoke_without_command=True)
@click.option("--stage", default="dev", show_default=True, help="A stage of samconfig.toml.")
@click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    help="The folder of samconfig.toml and template.yaml.",
)
@click.option(
    "--site", metavar="URL", help="Origin of the published site, whose pages are requested."
)
@click.option(
    "--manifest",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The site's quoth-manifest.json; needed with --site.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings as well.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(
    called: click.Context,
    stage: str,
    project: Path,
    site: str | None,
    manifest: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Check accounts, keys, database, index, models and the deployed API of a stage.

    It changes nothing; its calls to the models cost a few tokens. Exits with 1 when a check
    fails, and says what to do. `quoth doctor model` checks a model of your own instead.
    """
    if called.invoked_subcommand is not None:
        return
    if (site is None) != (manifest is None):
        raise click.UsageError("--site and --manifest belong together.")
    findings: list[Finding] = []
    try:
        for finding in examine(read_deployment(project, stage)):
            findings.append(finding)
            if not as_json:
                click.echo(finding.lines)
        if site is not None and manifest is not None:
            for finding in check_site(read_manifest(manifest.read_bytes()), site):
                findings.append(finding)
                if not as_json:
                    click.echo(finding.lines)
    except (NotConfigured, ManifestUnreadable) as error:
        raise click.ClickException(str(error)) from error
    _finish(findings, strict, as_json)


@doctor.command()
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings as well.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def model(strict: bool, as_json: bool) -> None:
    """Ask the model three questions: does it keep to the schema and cite?

    OPENAI_BASE_URL and QUOTH_MODEL name it. Exits with 1 when it cannot write answers.
    """
    logging.disable()  # the findings say what the log would
    try:
        findings = ask_model(read_settings(model_settings(os.environ)))
    except (NoModel, NoModelNamed, MissingSettings) as error:
        raise click.ClickException(str(error)) from error
    finally:
        logging.disable(logging.NOTSET)
    if not as_json:
        click.echo("\n".join(each.lines for each in findings))
    _finish(findings, strict, as_json)


def _finish(findings: list[Finding], strict: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([asdict(each) for each in findings], indent=2, ensure_ascii=False))
    else:
        wrong = sum(each.verdict == "failed" for each in findings)
        doubtful = sum(each.verdict == "warning" for each in findings)
        click.echo(
            f"{plural(len(findings), 'check')}: {wrong} failed, {plural(doubtful, 'warning')}"
        )
    raise SystemExit(exit_code(findings, strict))
