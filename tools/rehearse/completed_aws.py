"""Starts the local AWS with what it lacks: run by the Python that has the emulator.

It has no CodeDeploy, so applications and deployment groups are recorded and nothing is shifted, and
no saved queries of Logs Insights, so they are recorded, too. It also orders resources without their
update policies, by which an alias waits for its deployment group: with them it refuses a cycle, as
CloudFormation does.
"""

from __future__ import annotations

import json
import runpy
import sys
from typing import Any

sys.path.pop(0)  # this folder: its modules have names that libraries have, too

from ministack.core import iam_actions  # type: ignore[import-untyped]
from ministack.services.cloudformation import (  # type: ignore[import-untyped]
    engine,
    provisioners,
)

_of_request = iam_actions.extract_resource_arn
_of_properties = engine._extract_deps


def _dependencies(resource: dict[str, Any], names: set[str]) -> set[str]:
    waits = {"Properties": resource.get("UpdatePolicy", {})}
    found: set[str] = _of_properties(resource, names) | _of_properties(waits, names)
    return found


def _record(logical_id: str, properties: Any, stack: str) -> tuple[str, dict[str, str]]:
    return f"{stack}-{logical_id}", {}


def _forget(physical_id: str, properties: Any) -> None:
    """Nothing was made."""


def _resource(service: str, method: str, path: str, headers: Any, body: bytes, *rest: Any) -> str:
    """It asks for "*" where a call names several parameters: the first of them is looked at. The
    rehearsal asks IAM about others, one by one."""
    names = json.loads(body).get("Names", []) if service == "ssm" and body else []
    if names:
        body = json.dumps({"Name": names[0]}).encode()
    found: str = _of_request(service, method, path, headers, body, *rest)
    return found


iam_actions.extract_resource_arn = _resource
engine._extract_deps = _dependencies
for kind in ("CodeDeploy::Application", "CodeDeploy::DeploymentGroup", "Logs::QueryDefinition"):
    handlers = {"create": _record, "delete": _forget}
    provisioners._RESOURCE_HANDLERS[f"AWS::{kind}"] = handlers
runpy.run_module("ministack", run_name="__main__", alter_sys=True)
