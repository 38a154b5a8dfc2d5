"""CloudFormation's own functions, worked out for a part of a template that was deployed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
_VARIABLE = re.compile(r"\$\{([^!}][^}]*)\}")
_NOTHING = object()


class Unknown(ValueError):
    """A function or a name that is not known here. The message says which."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Names to values: parameters as deployed, resources as made, and the template's conditions.

    `arns` are of the resources that have one.
    """

    values: Mapping[str, str]
    arns: Mapping[str, str]
    conditions: Mapping[str, Any]

    def resolve(self, part: Any) -> Any:
        """The part with every function worked out; what is `AWS::NoValue` is left out."""
        if isinstance(part, list):
            return [each for each in map(self.resolve, part) if each is not _NOTHING]
        if not isinstance(part, dict):
            return part
        if len(part) == 1:
            ((name, argument),) = part.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self._call(name.removeprefix("Fn::"), argument)
        found = {name: self.resolve(each) for name, each in part.items()}
        return {name: each for name, each in found.items() if each is not _NOTHING}

    def _call(self, name: str, argument: Any) -> Any:
        if name == "Ref":
            return _NOTHING if argument == "AWS::NoValue" else self._value(argument)
        if name == "Sub":
            text = argument if isinstance(argument, str) else argument[0]
            return _VARIABLE.sub(lambda found: self._value(found.group(1)), text)
        if name == "GetAtt":
            path = argument if isinstance(argument, str) else ".".join(argument)
            return self._value(path)
        if name == "Split":
            return str(self.resolve(argument[1])).split(argument[0])
        if name == "Join":
            return str(argument[0]).join(map(str, self.resolve(argument[1])))
        if name == "If":
            condition, yes, no = argument
            return self.resolve(yes if self._holds(self.conditions[condition]) else no)
        raise Unknown(f"the function {name} is not known")

    def _holds(self, condition: Any) -> bool:
        ((name, argument),) = condition.items()
        if name == "Fn::Not":
            return not self._holds(argument[0])
        if name == "Fn::Equals":
            one, other = map(self.resolve, argument)
            return str(one) == str(other)
        if name == "Condition":
            return self._holds(self.conditions[argument])
        raise Unknown(f"the condition {name} is not known")

    def _value(self, name: str) -> str:
        if name in self.values:
            return self.values[name]
        resource, _, attribute = name.partition(".")
        if attribute == "Arn" and resource in self.arns:
            return self.arns[resource]
        raise Unknown(f"{name} is not known")
