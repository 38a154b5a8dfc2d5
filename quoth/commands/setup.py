"""`quoth setup`: asks for what a stage needs from outside, tests all of it, then stores it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from functions.runtime.networks import read_networks
from quoth.commands.cost import set_ceilings
from quoth.doctor.aws_checks import (
    AwsUnreachable,
    check_origins,
    read_account,
    read_secrets,
)
from quoth.doctor.deployment import (
    CLIENT_SECRET,
    CONFIDENTIAL,
    ROOMS,
    SAMCONFIG,
    Deployment,
    NotConfigured,
    read_deployment,
)
from quoth.doctor.examine import concurrency, index_access, model_access
from quoth.doctor.findings import Finding, failed
from quoth.doctor.postgres_checks import check_database
from quoth.doctor.service_checks import check_index, check_models
from quoth.setup.ask import DATABASE, INDEX, MODELS, SITE, Asking, NotGiven, Question, read_answers
from quoth.setup.write import (
    DatabaseNotReady,
    prepare_database,
    random_values,
    store_secrets,
    stored_ceiling,
    write_parameters,
)

PARAMETERS = {
    "allowed_origins": "AllowedOrigins",
    "alert_email": "AlertEmail",
    "networks": "Networks",
    "jwt_issuer": "JwtIssuer",
    "jwt_audience": "JwtAudience",
    "qdrant_url": "QdrantUrl",
}
SECRETS = {
    "qdrant_query_key": "query/qdrant-api-key",
    "qdrant_ingest_key": "ingest/qdrant-api-key",
    "openai_api_key": "openai-api-key",
    "jwt_client_secret": CLIENT_SECRET,
}
Answers = dict[str, str]
Say = Callable[[str], None]


class SetupFailed(Exception):
    """A value failed its test, and the run is not interactive. Nothing was written."""


@dataclass
class Walk:
    """One run of `quoth setup`."""

    deployment: Deployment
    asking: Asking
    stored: Mapping[str, str]
    say: Say

    def run(self, project: Path) -> list[str]:
        """The names of what was written. SetupFailed, NotGiven, NotConfigured."""
        self.asking.check_complete()
        site = self._settle(SITE, self._check_site)
        index = self._settle(INDEX, self._check_index)
        addresses: dict[str, str] = {}
        database = self._settle(DATABASE, lambda answers: self._check_database(answers, addresses))
        models = self._settle(MODELS, self._check_models)
        answers = site | index | models
        values = {SECRETS[n]: value for n, value in answers.items() if n in SECRETS and value}
        values |= {f"{room}/database-url": url for room, url in addresses.items()}
        given = {*values, CLIENT_SECRET}  # which only the issuer can make up
        own = [name for name in self.deployment.secrets if name not in given]
        values |= random_values(own, self.stored)
        written = store_secrets(self.deployment, values, self.stored)
        if owner := database["database_owner_url"]:
            set_ceilings(owner, {"monthly": float(database["monthly_ceiling"])})
        parameters = {PARAMETERS[n]: v for n, v in answers.items() if n in PARAMETERS and v}
        if answers["jwt_client_secret"]:
            parameters["JwtClient"] = CONFIDENTIAL
        config = project / SAMCONFIG
        write_parameters(config, self.deployment.stage, parameters, self.deployment.region)
        return [*written, SAMCONFIG]

    def _settle(
        self, questions: Iterable[Question], check: Callable[[Answers], Iterable[Finding]]
    ) -> Answers:
        again = False
        while True:
            answers = {each.name: self.asking.ask(each, again=again) for each in questions}
            findings = list(check(answers))
            for finding in findings:
                self.say(finding.lines)
            if not any(each.verdict == "failed" for each in findings):
                return answers
            if not self.asking.interactive:
                raise SetupFailed("nothing was written: mend what failed and run it again")
            self.say("Once more, please.")
            again = True

    def _check_site(self, answers: Answers) -> Iterable[Finding]:
        yield from check_origins(self._with(answers))
        if bool(answers["jwt_issuer"]) != bool(answers["jwt_audience"]):
            yield failed(
                "administrators", "an issuer without an audience, or the other way round",
                "give both, or neither: without them there are no pages for administrators",
            )  # fmt: skip
        if self.deployment["JwtClient"] == CONFIDENTIAL and not answers["jwt_client_secret"]:
            yield failed(
                "administrators", "JwtClient is confidential, and its secret is not stored",
                "give jwt_client_secret, or set JwtClient=public in samconfig.toml",
            )  # fmt: skip
        try:
            read_networks(answers["networks"])
        except ValueError as error:
            yield failed("networks", str(error), "write 203.0.113.0/24=300,2001:db8:7::/48=600")

    def _check_index(self, answers: Answers) -> Iterable[Finding]:
        keys = {SECRETS[n]: answers[n] for n in ("qdrant_query_key", "qdrant_ingest_key")}
        return check_index(index_access(self._with(answers), keys))

    def _check_database(self, answers: Answers, found: dict[str, str]) -> Iterable[Finding]:
        known = {
            room: self.stored[f"{room}/database-url"]
            for room in ROOMS
            if f"{room}/database-url" in self.stored
        }
        if not re.fullmatch(r"\d+(\.\d+)?", answers["monthly_ceiling"]):
            yield failed("postgres.budget", "no number of dollars", "give one, as in 30")
            return
        owner = answers["database_owner_url"]
        if not owner and len(known) < len(ROOMS):
            yield failed("postgres.owner", "no address is stored yet", "give the owner's address")
            return
        try:
            found |= (
                known
                if not owner
                else prepare_database(owner, answers["database_pooled_host"], known)
            )
        except DatabaseNotReady as error:
            yield failed("postgres.owner", str(error), "correct the address, or the database")
            return
        # The ceiling is stored last, with everything else.
        yield from (each for each in check_database(found) if each.check != "postgres.budget")

    def _check_models(self, answers: Answers) -> Iterable[Finding]:
        return check_models(model_access(self.deployment, answers["openai_api_key"]))

    def _with(self, answers: Answers) -> Deployment:
        changed = {PARAMETERS[n]: v for n, v in answers.items() if n in PARAMETERS}
        return replace(self.deployment, parameters={**self.deployment.parameters, **changed})


def begin(deployment: Deployment, given: Mapping[str, str], interactive: bool, say: Say) -> Walk:
    """Check the account, then prepare the questions. Raises AwsUnreachable."""
    say(read_account(deployment).lines)
    for finding in concurrency(deployment):
        say(finding.lines)
    stored, _ = read_secrets(deployment)
    known = {name: stored[secret] for name, secret in SECRETS.items() if secret in stored}
    for name, parameter in PARAMETERS.items():
        value = deployment.parameters.get(parameter, "")
        if value and value != "http://localhost:3000":
            known[name] = value
    known["monthly_ceiling"] = stored_ceiling(stored.get("analytics/database-url", ""))
    return Walk(deployment, Asking(given, known, interactive), stored, say)


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
