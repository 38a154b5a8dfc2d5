"""What a stage is deployed with: the stack's parameters, and its secrets by name.

The parameters are those of samconfig.toml over the defaults of template.yaml, as `sam deploy`
has them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

TEMPLATE = "template.yaml"
SAMCONFIG = "samconfig.toml"
NAMED = re.compile(r'_PARAMETER: !Sub "\$\{ParameterPrefix\}/([a-z0-9/-]+)"')
CLIENT_SECRET = "analytics/client-secret"  # noqa: S105  # its name
"""A secret that is not always there: JwtClient says whether it is."""
CDN_SECRET = "cdn-secret"  # noqa: S105  # its name
"""One that is there with a CDN, as plain text: CloudFormation reads no SecureString for a CDN."""
CONFIDENTIAL = "confidential"
OF_THE_STACK = "/switch"
"""Parameters that the stack itself makes end so; they are no secrets."""

ROOMS = ("query", "selected", "analytics", "ingest")


class NotConfigured(Exception):
    """The stage is not described. The message says what is missing, and how to get it."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """One stage. `parameters` are the stack's; `stack` is its name; `secrets` are the names of
    SSM parameters under its ParameterPrefix; `rates` are the gateway's requests a second by route,
    as in "POST /query", of routes that exist in any case."""

    stage: str
    stack: str
    region: str | None
    parameters: Mapping[str, str]
    secrets: tuple[str, ...]
    rates: Mapping[str, float]

    def __getitem__(self, name: str) -> str:
        """A parameter of the stack. NotConfigured when it has neither value nor default."""
        value = self.parameters.get(name)
        if value is None:
            raise NotConfigured(f"{name} is not set: run `quoth setup --stage {self.stage}`")
        return value

    @property
    def origins(self) -> list[str]:
        return [each for each in self["AllowedOrigins"].split(",") if each]

    def secret_name(self, secret: str) -> str:
        return f"{self['ParameterPrefix']}/{secret}"


def read_deployment(project: Path, stage: str) -> Deployment:
    """The stage as samconfig.toml has it. NotConfigured when it does not know the stage."""
    config = _read_config(project / SAMCONFIG)
    if stage not in config:
        known = ", ".join(name for name in config if isinstance(config[name], dict))
        raise NotConfigured(f"{SAMCONFIG} has no stage {stage!r}; it has {known}")
    section = config[stage]
    deploy = section.get("deploy", {}).get("parameters", {})
    stack = section.get("global", {}).get("parameters", {}).get("stack_name", f"quoth-{stage}")
    given = split_overrides(deploy.get("parameter_overrides", []))
    text = (project / TEMPLATE).read_text("utf-8")
    template: dict[str, Any] = yaml.load(text, _TagsIgnored)  # noqa: S506  # a SafeLoader
    parameters = _defaults(template) | given
    secrets = named_secrets(text)
    if parameters["JwtClient"] == CONFIDENTIAL:
        secrets += (CLIENT_SECRET,)
    if parameters["Cdn"] == "true":
        secrets += (CDN_SECRET,)
    return Deployment(stage, stack, deploy.get("region"), parameters, secrets, _rates(template))


def named_secrets(template: str) -> tuple[str, ...]:
    """The secrets that the functions' variables always name, each once."""
    names = sorted(set(NAMED.findall(template)))
    return tuple(name for name in names if not name.endswith(OF_THE_STACK))


def _defaults(template: Mapping[str, Any]) -> dict[str, str]:
    """The defaults of the template's parameters, as text."""
    declared: dict[str, Any] = template["Parameters"]
    return {name: str(p["Default"]) for name, p in declared.items() if "Default" in p}


def _rates(template: Mapping[str, Any]) -> dict[str, float]:
    routes: dict[str, Any] = template["Resources"]["Api"]["Properties"]["RouteSettings"]
    return {name: float(each["ThrottlingRateLimit"]) for name, each in routes.items() if each}


def split_overrides(overrides: str | list[str]) -> dict[str, str]:
    """`["A=b", …]`, or SAM's one string of them, as a mapping."""
    pairs = overrides.split() if isinstance(overrides, str) else overrides
    return {name: value.strip('"') for name, _, value in (pair.partition("=") for pair in pairs)}


def _read_config(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise NotConfigured(f"{path.name} cannot be read: {error}") from error


class _TagsIgnored(yaml.SafeLoader):
    """Reads `!Ref x` and the like as nothing: only plain values are wanted."""


_TagsIgnored.add_multi_constructor("!", lambda loader, suffix, node: None)
