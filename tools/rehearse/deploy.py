"""Deploys the built stack into the local AWS with the same script as into the real one."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quoth.doctor.deployment import SAMCONFIG, TEMPLATE
from quoth.events.clients import REGION
from quoth.setup.samconfig import write_parameters
from tools.build.interpreters import RUNTIME_PYTHON
from tools.rehearse import secrets_extension
from tools.rehearse.cloud import Cloud
from tools.rehearse.scripts import run_script

STACK = "quoth-rehearsal"
STAGE = "rehearsal"
PREFIX = "/quoth/rehearsal"
LAYER = "AWS-Parameters-and-Secrets-Lambda-Extension"
_MODULE = "quoth_secrets_extension"


@dataclass(frozen=True, slots=True)
class Deployed:
    """A deployed stack. `resources` are physical names by logical id."""

    outputs: Mapping[str, str]
    resources: Mapping[str, str]
    types: Mapping[str, str]


def publish_extension(cloud: Cloud) -> str:
    """Publish the stand-in for AWS's extension as a layer, and return its ARN."""
    packed = io.BytesIO()
    site = f"python/lib/python{RUNTIME_PYTHON}/site-packages"
    with zipfile.ZipFile(packed, "w") as layer:
        layer.write(secrets_extension.__file__, f"{site}/{_MODULE}.py")
        layer.writestr(f"{site}/{_MODULE}.pth", f"import {_MODULE}; {_MODULE}.start()\n")
    answer = cloud.client("lambda").publish_layer_version(
        LayerName=LAYER, Content={"ZipFile": packed.getvalue()}
    )
    return str(answer["LayerVersionArn"])


def store_secrets(cloud: Cloud, secrets: Mapping[str, str]) -> None:
    """Put the secrets where the functions look, as `quoth setup` does in the real account."""
    ssm = cloud.client("ssm")
    for name, value in secrets.items():
        ssm.put_parameter(Name=f"{PREFIX}/{name}", Value=value, Type="SecureString", Overwrite=True)


def deploy(
    cloud: Cloud, project: Path, build: Path, folder: Path, parameters: Mapping[str, str]
) -> Deployed:
    """Look the stage over and deploy a build, by the pipelines' scripts, with a samconfig.toml in
    `folder` that is written as `quoth setup` does it. Raises StepFailed with what they said."""
    config = folder / SAMCONFIG
    shutil.copy(project / TEMPLATE, folder)
    config.write_text((project / SAMCONFIG).read_text("utf-8").replace("staging", STAGE), "utf-8")
    write_parameters(config, STAGE, parameters, REGION)
    run_script(project, "examine.sh", [STAGE, str(folder)], cloud.environment)
    run_script(project, "deploy.sh", [STAGE, str(build), str(config)], cloud.environment)
    return read_stack(cloud)


def read_stack(cloud: Cloud) -> Deployed:
    """What the stack is now made of."""
    formation = cloud.client("cloudformation")
    (stack,) = formation.describe_stacks(StackName=STACK)["Stacks"]
    pages = formation.get_paginator("list_stack_resources").paginate(StackName=STACK)
    made = [each for page in pages for each in page["StackResourceSummaries"]]
    return Deployed(
        {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", [])},
        {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in made},
        {each["LogicalResourceId"]: each["ResourceType"] for each in made},
    )
