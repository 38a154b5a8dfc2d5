"""Quoth's own rules for its templates: `cfn-lint --append-rules infra/lint`.

Each class is one rule; its text is what the reader of the complaint needs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cfnlint.decode import decode
from cfnlint.rules import CloudFormationLintRule, RuleMatch

FUNCTION = "AWS::Serverless::Function"
ALARM = "AWS::CloudWatch::Alarm"
QUEUE = "AWS::SQS::Queue"
STACK = "AWS::CloudFormation::Stack"
GATEWAY = "AWS::Serverless::HttpApi"
WATCHED = ("Errors", "Throttles", "Duration")
WAITING = "ApproximateNumberOfMessagesVisible"
SECRET_NAME = re.compile(r"KEY|SECRET|PASSWORD|TOKEN|CREDENTIAL|DATABASE_URL|DSN")
SECRET_VALUE = re.compile(r"sk-|resolve:|postgres(ql)?://|://[^/\s]*@|AKIA|eyJ")

Found = tuple[list[str | int], str]
"""Where in the template, and what is wrong there."""


class Convention(CloudFormationLintRule):  # type: ignore[misc]
    source_url = "infra/lint/conventions.py"
    tags = ("quoth",)

    def find(self, cfn: Any) -> Iterator[Found]:
        raise NotImplementedError

    def match(self, cfn: Any) -> list[RuleMatch]:
        return [RuleMatch(path, said) for path, said in self.find(cfn)]


def resources(cfn: Any, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, resource in cfn.template.get("Resources", {}).items():
        if isinstance(resource, dict) and resource.get("Type") == kind:
            yield name, resource.get("Properties") or {}


class LogGroups(Convention):
    id = "E9101"
    shortdesc = "A function writes into a log group that forgets"
    description = "Lambda's own log group keeps everything for ever."

    def find(self, cfn: Any) -> Iterator[Found]:
        groups = dict(resources(cfn, "AWS::Logs::LogGroup"))
        for name, group in groups.items():
            if "RetentionInDays" not in group:
                yield ["Resources", name], f"{name} keeps its lines for ever: set RetentionInDays"
        for name, function in resources(cfn, FUNCTION):
            named = function.get("LoggingConfig", {}).get("LogGroup", {})
            if not isinstance(named, dict) or named.get("Ref") not in groups:
                yield ["Resources", name], f"{name} has no log group of this template"


class Concurrency(Convention):
    id = "E9102"
    shortdesc = "A parameter says how many of a function run at once"
    description = "An operator must be able to hold a function back, or stop it."

    def find(self, cfn: Any) -> Iterator[Found]:
        for name, function in resources(cfn, FUNCTION):
            text = json.dumps(function.get("ReservedConcurrentExecutions"))
            if not any(f'"Ref": "{each}"' in text for each in cfn.template.get("Parameters", {})):
                yield ["Resources", name], f"{name}: no parameter sets ReservedConcurrentExecutions"


class Alarms(Convention):
    id = "E9103"
    shortdesc = "Alarms on its alias guard a function with a canary, and a dead letter has an alarm"
    description = "A dead letter's may be in a nested template that gets the name."

    def find(self, cfn: Any) -> Iterator[Found]:
        alarms = dict(resources(cfn, ALARM))
        for name, function in resources(cfn, FUNCTION):
            guards = function.get("DeploymentPreference", {}).get("Alarms")
            if guards is None:
                continue
            guarded = {
                alarms[each["Ref"]].get("MetricName")
                for each in guards
                if _of_alias(alarms.get(each["Ref"], {})) == name
            }
            if missing := [metric for metric in WATCHED if metric not in guarded]:
                yield ["Resources", name], f"{name}: no alarm on {', '.join(missing)} guards it"
            for each in guards:
                if _of_alias(alarms.get(each["Ref"], {})) != name:
                    yield ["Resources", name], f"{name}: {each['Ref']} is not of its alias"
        watched = set(_watched(cfn.template, {}))
        # `sam validate` hands over a template without its name, from the project's folder.
        beside = Path(cfn.filename or "template.yaml").parent
        for name, stack in resources(cfn, STACK):
            url = stack.get("TemplateURL")
            nested = beside / str(url)
            if not nested.is_file():
                yield ["Resources", name], f"{name}: there is no {url}"
                continue
            template, problems = decode(str(nested))
            if problems:
                yield ["Resources", name], f"{name}: {url} cannot be read"
                continue
            watched.update(_watched(template, stack.get("Parameters", {})))
        for name, _ in resources(cfn, QUEUE):
            if "DeadLetters" in name and (name, WAITING) not in watched:
                yield ["Resources", name], f"{name} has no alarm on {WAITING}"


def _of_alias(alarm: dict[str, Any]) -> str:
    """The function whose alias `live` an alarm watches, and nothing else; "" for another alarm."""
    said = {each["Name"]: each["Value"] for each in alarm.get("Dimensions", [])}
    name = str(said.get("FunctionName", {}).get("Ref", ""))
    alias = {"FunctionName": {"Ref": name}, "Resource": {"Fn::Sub": f"${{{name}}}:live"}}
    return name if said == alias else ""


def _watched(template: Any, given: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(queue, metric) of each alarm; `given` has a nested template's parameters."""
    for resource in template.get("Resources", {}).values():
        properties = resource.get("Properties") or {}
        dimensions = properties.get("Dimensions", [])
        if resource.get("Type") != ALARM or len(dimensions) != 1:
            continue
        value = dimensions[0]["Value"]
        name = str(value.get("Ref") if isinstance(value, dict) else value)
        (said,) = given.get(name, {"Ref": name}).values()
        watched = said[0] if isinstance(said, list) else str(said).split(".")[0]
        yield watched, str(properties.get("MetricName"))


class NoSecrets(Convention):
    id = "E9104"
    shortdesc = "No variable and no parameter of the stack is a secret"
    description = "A function is told the name of an SSM parameter, in a variable …_PARAMETER."

    def find(self, cfn: Any) -> Iterator[Found]:
        everywhere = cfn.template.get("Globals", {}).get("Function", {})
        places = [(["Globals", "Function"], everywhere)] + [
            (["Resources", name, "Properties"], each) for name, each in resources(cfn, FUNCTION)
        ]
        for path, properties in places:
            variables = properties.get("Environment", {}).get("Variables", {})
            for name, value in variables.items():
                at = [*path, "Environment", "Variables", name]
                if SECRET_NAME.search(name) and not name.endswith("_PARAMETER"):
                    yield at, f"{name} sounds like a secret: give a parameter's name instead"
                if SECRET_VALUE.search(json.dumps(value)):
                    yield at, f"{name} looks like a secret"
        for name, parameter in cfn.template.get("Parameters", {}).items():
            if "NoEcho" in parameter or SECRET_VALUE.search(str(parameter.get("Default", ""))):
                yield ["Parameters", name], f"{name} looks like a secret"


class Stars(Convention):
    id = "E9105"
    shortdesc = "A * in a policy has a written reason"
    description = "Metadata of the resource: `quoth: {stars: {<Sid>: <reason>}}`."

    def find(self, cfn: Any) -> Iterator[Found]:
        for name, resource in cfn.template.get("Resources", {}).items():
            reasons = resource.get("Metadata", {}).get("quoth", {}).get("stars", {})
            used = set()
            for path, statement in _statements(resource.get("Properties") or {}, []):
                asked = {
                    key: statement.get(key)
                    for key in ("Action", "NotAction", "Resource", "NotResource", "Principal")
                }
                if "*" not in json.dumps(asked) and "Not" not in "".join(statement):
                    continue
                sid = str(statement.get("Sid", ""))
                used.add(sid)
                if len(str(reasons.get(sid, "")).split()) < 4:
                    at = ["Resources", name, "Properties", *path]
                    yield (
                        at,
                        f"{name}: the statement {sid or '(without Sid)'} has a * and no reason",
                    )
            for sid in set(reasons) - used:
                yield ["Resources", name], f"{name}: a reason for {sid}, which has no *"


def _statements(node: Any, path: list[str | int]) -> Iterator[tuple[list[str | int], Any]]:
    if isinstance(node, dict):
        if "Effect" in node:
            yield path, node
        for key, value in node.items():
            yield from _statements(value, [*path, key])
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _statements(value, [*path, index])


class Queues(Convention):
    id = "E9106"
    shortdesc = "A queue is encrypted, and what fails in it is kept"
    description = "A queue redrives to another of this template, or is where others redrive to."

    def find(self, cfn: Any) -> Iterator[Found]:
        queues = dict(resources(cfn, QUEUE))
        for name, queue in queues.items():
            if queue.get("SqsManagedSseEnabled") is not True and "KmsMasterKeyId" not in queue:
                yield ["Resources", name], f"{name} is not encrypted"
            target = queue.get("RedrivePolicy", {}).get("deadLetterTargetArn")
            if target is None and "DeadLetters" not in name:
                yield ["Resources", name], f"{name} has no queue for what fails (…DeadLetters)"
            if "DeadLetters" in name and queue.get("MessageRetentionPeriod") != 1209600:
                yield ["Resources", name], f"{name} must keep messages for 14 days, the longest"


class Schedules(Convention):
    id = "E9107"
    shortdesc = "A schedule has a name, says what for, and keeps what it could not deliver"
    description = "An operator finds it in the console, and its failures in a queue."

    def find(self, cfn: Any) -> Iterator[Found]:
        for name, function in resources(cfn, FUNCTION):
            for event, each in function.get("Events", {}).items():
                if each.get("Type") not in ("Schedule", "ScheduleV2"):
                    continue
                needed = ("Name", "Description", "Schedule", "DeadLetterConfig")
                missing = [key for key in needed if key not in each.get("Properties", {})]
                if missing:
                    at = ["Resources", name, "Properties", "Events", event]
                    yield at, f"{event} of {name} has no {', '.join(missing)}"
                if "OnFailure" not in json.dumps(function.get("EventInvokeConfig", {})):
                    yield ["Resources", name], f"{name}: a failed {event} goes nowhere (OnFailure)"


class ToldAlarms(Convention):
    id = "E9108"
    shortdesc = "An alarm says what is wrong and tells somebody"
    description = "And says what a quiet hour means."

    def find(self, cfn: Any) -> Iterator[Found]:
        for name, alarm in resources(cfn, ALARM):
            needed = ("AlarmDescription", "AlarmActions", "TreatMissingData")
            missing = [key for key in needed if not alarm.get(key)]
            if missing:
                yield ["Resources", name], f"{name} has no {', '.join(missing)}"


class Throttles(Convention):
    id = "E9109"
    shortdesc = "A route has a throttle of its own, unless a condition adds it"
    description = (
        "How much of a flood each part may get is said where one looks for it. A stage that names a"
        " route which a condition took away cannot be deployed: such routes have the default."
    )

    def find(self, cfn: Any) -> Iterator[Found]:
        for name, gateway in resources(cfn, GATEWAY):
            limited = gateway.get("RouteSettings", {})
            routes = {*_documented(gateway), *_asked_for(cfn, name)}
            for route in sorted(routes - set(limited)):
                yield ["Resources", name], f"{name}: {route} has no throttle (RouteSettings)"
            for route in sorted(set(limited) - routes):
                at = ["Resources", name, "Properties", "RouteSettings", route]
                yield at, f"{name}: there is no route {route} in any case"
            if "DefaultRouteSettings" not in gateway:
                yield ["Resources", name], f"{name} has no DefaultRouteSettings"


def _documented(gateway: dict[str, Any]) -> Iterator[str]:
    """The routes that a gateway's own document has in any case."""
    for path, item in gateway.get("DefinitionBody", {}).get("paths", {}).items():
        if "Fn::If" not in item:
            yield from (f"{method.upper()} {path}" for method in item)


def _asked_for(cfn: Any, gateway: str) -> Iterator[str]:
    """The routes that the functions' events add to a gateway."""
    for _, function in resources(cfn, FUNCTION):
        for event in function.get("Events", {}).values():
            asked = event.get("Properties", {})
            if event.get("Type") == "HttpApi" and asked.get("ApiId") == {"Ref": gateway}:
                yield f"{asked['Method']} {asked['Path']}"
