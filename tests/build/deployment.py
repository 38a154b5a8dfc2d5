"""template.yaml as plain Python, its short tags written out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

PROJECT = Path(__file__).resolve().parents[2]

Json = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """Reads `!Sub x` as `{"Fn::Sub": x}`, and so on."""


def _read_tag(loader: _Loader, suffix: str, node: yaml.Node) -> Json:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_mapping(node, deep=True)
    return {suffix if suffix == "Ref" else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _read_tag)


@dataclass(frozen=True)
class Function:
    """A function of the template. `variables` has those of Globals as well, and those that depend
    on a condition as if it held."""

    name: str
    properties: Json
    metadata: Json
    variables: Json

    @property
    def room(self) -> str:
        """query, lookup, selected, analytics or ingest."""
        return self.name.removesuffix("Function").lower()

    @property
    def package(self) -> str:
        """The package of its code, as in functions.query."""
        return str(self.properties["Handler"]).removesuffix(".handler.handler")


@cache
def template(name: str = "template.yaml") -> Json:
    return dict(yaml.load((PROJECT / name).read_text(), _Loader))  # a SafeLoader


def resources(kind: str) -> dict[str, Json]:
    """Name to properties, of one type."""
    return {
        name: resource.get("Properties", {})
        for name, resource in template()["Resources"].items()
        if resource["Type"] == kind
    }


def functions() -> dict[str, Function]:
    """Room to function."""
    every = template()["Globals"]["Function"]["Environment"]["Variables"]
    found = [
        Function(
            name,
            properties,
            template()["Resources"][name].get("Metadata", {}),
            switched_on(every | properties.get("Environment", {}).get("Variables", {})),
        )
        for name, properties in resources("AWS::Serverless::Function").items()
    ]
    return {function.room: function for function in found}


def statements(room: str) -> list[Json]:
    """What the role of a function allows at most."""
    role = functions()[room].properties["Role"]["Fn::GetAtt"].removesuffix(".Arn")
    policies = resources("AWS::IAM::Role")[role]["Policies"]
    found = [each for policy in policies for each in policy["PolicyDocument"]["Statement"]]
    return list(switched_on(found))


def switched_on(part: Any) -> Any:
    """The part as it is when every condition holds."""
    if isinstance(part, list):
        return [switched_on(each) for each in part]
    if not isinstance(part, dict):
        return part
    if "Fn::If" in part:
        return switched_on(part["Fn::If"][1])
    return {name: switched_on(each) for name, each in part.items()}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
