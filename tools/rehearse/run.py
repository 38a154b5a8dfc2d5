"""The rehearsal of a deployment, from the build to the widget, in one run."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from functions.runtime.settings import Settings
from quoth.local_server import served
from quoth.site.app import create_site
from tools.build.artifacts import Artifacts, build_artifacts, machine_architecture
from tools.build.environments import find_uv, make_runtime
from tools.build.run import CACHE, measured_folder
from tools.rehearse.administrator_steps import running_issuer, sign_in
from tools.rehearse.artifact_steps import run_artifacts
from tools.rehearse.book_steps import (
    Stage,
    ask_questions,
    delete_and_ask_again,
    run_scripts,
    upload_and_ingest,
)
from tools.rehearse.cloud import Cloud, make_certificate, make_cloud_python, running_cloud
from tools.rehearse.deploy import (
    STAGE,
    Deployed,
    checkout,
    deploy,
    store_secrets,
)
from tools.rehearse.gateway import Gateway, GatewayReader, complete_gateway
from tools.rehearse.log import Log
from tools.rehearse.outside import Outside, running_outside
from tools.rehearse.page import LaterSite, ask_in_browser
from tools.rehearse.service_steps import (
    check_preflight,
    check_roles,
    fail_and_come_again,
    open_session,
    run_schedules,
    switch_off_and_on,
)

SAMPLE = Path("examples") / "book"
LIMITS = (
    "the gateway's throttles, its access log and its limit of 30 s: they are stored, not applied",
    "the functions' memory and processors, and the arm64 build: they run here as x86_64 processes",
    "API Gateway's own check of tokens: the local AWS's did it, by the authorizer of the document;"
    " the issuer is the tests' own",
    "concurrency and alarms: they are stored, not acted on; a canary's shift: the local AWS has no"
    " CodeDeploy, so its resources are recorded and ordered as CloudFormation orders them",
    "the saved queries: the local AWS has no Logs Insights, so they are recorded",
    "rights to read several parameters in one call: the local AWS looked at the first of them",
    "Qdrant Cloud and Neon: Qdrant's own engine behind a local server, and"
    " PostgreSQL 18 of this machine",
    "OpenAI: MiniLM embeds, and the test server writes the first sentences of the context",
)


def rehearse(project: Path, log: Log) -> None:
    """Deploy the stack to a local AWS and use it as readers do.

    It writes to `.aws-sam` in the project and to a temporary folder. Raises StepFailed when a
    step does not end as it must, and the errors of the parts.
    """
    uv, cache = find_uv(project), project / CACHE
    with tempfile.TemporaryDirectory(prefix="quoth-rehearsal-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the database runs under an account of its own
        with log.step("Build the functions with SAM") as seen:
            python = make_runtime(project, uv, cache)
            cloud_python = make_cloud_python(project, uv, cache)
            here = machine_architecture()
            artifacts = build_artifacts(project, uv, python, here, measured_folder(project))
            seen.append(f"{here}, Python of the runtime; in {artifacts.folder.name}")
        later, certificate = LaterSite(), make_certificate(folder)
        with (
            running_outside(folder, project) as outside,
            running_issuer(certificate, folder, project) as issuer,
            running_cloud(folder, certificate, cloud_python, cache / "rehearsal-aws.log") as cloud,
            served(later) as site,
        ):
            if not outside.pooled:
                log.could_not("a pooled database host: pgbouncer is not on this machine")
            given = {**outside.parameters(), "AllowedOrigins": site, **issuer.parameters()}
            job = checkout(project, folder / "checkout")
            deployed = _deploy(log, cloud, outside, given, artifacts, job, folder)
            gateway = _complete(log, cloud, deployed)
            book = folder / "book"
            ignored = shutil.ignore_patterns("node_modules", "build", ".docusaurus")
            shutil.copytree(project / SAMPLE, book, ignore=ignored)
            reader = GatewayReader(cloud, gateway.api_id, site)
            stage = Stage(cloud, deployed, book, outside.owner_dsn(), reader, outside.pooled)
            address = f"https://{cloud.gateway_host(gateway.api_id)}"
            later.app = create_site(book, Settings(), address)
            check_roles(log, stage)
            check_preflight(log, stage)
            open_session(log, stage)
            sync = upload_and_ingest(log, stage)
            answer = ask_questions(log, stage)
            ask_in_browser(log, stage)
            sign_in(log, stage, issuer)
            run_scripts(log, stage, job, folder)
            run_artifacts(log, stage, artifacts, python, folder)
            fail_and_come_again(log, stage, sync, outside.absence)
            delete_and_ask_again(log, stage, sync, answer)
            run_schedules(log, stage)
            switch_off_and_on(log, stage)
    log.could_not(*LIMITS)


def _deploy(
    log: Log,
    cloud: Cloud,
    outside: Outside,
    given: Mapping[str, str],
    artifacts: Artifacts,
    project: Path,
    folder: Path,
) -> Deployed:
    with log.step("Put the secrets into SSM, and deploy by deploy.sh") as seen:
        secrets = outside.secrets()
        store_secrets(cloud, secrets)
        seen.append(f"{len(secrets)} SecureString parameters")
        parameters = {
            **given,
            "Stage": STAGE,
            "Architecture": artifacts.architecture,
            "SnapStart": "true",
            "Canary": "true",
            "Sessions": "required",
            "SessionSeconds": "7200",  # a slow machine must not end the reader's session
        }
        deployed = deploy(cloud, project, artifacts.folder, folder, parameters, outside.pooled)
        kinds = Counter(kind.removeprefix("AWS::") for kind in deployed.types.values())
        made = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        seen.append(f"{len(deployed.resources)} resources: {made}")
    return deployed


def _complete(log: Log, cloud: Cloud, deployed: Deployed) -> Gateway:
    with log.step("Bring the gateway to what the template says") as seen:
        gateway = complete_gateway(cloud, deployed)
        seen.append(f"{len(gateway.routes)} routes in the expanded template")
        seen += [f"made by call: {each}" for each in gateway.by_call]
    if gateway.by_call:
        log.could_not(
            "the gateway's document: the local AWS drops it, so these were made from it by call: "
            + ", ".join(gateway.by_call)
        )
    return gateway
