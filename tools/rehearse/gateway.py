"""Completes the deployed gateway where the local AWS ignores the template, and sends it requests.

SAM writes the routes, CORS settings and authorizers of an HTTP API to one OpenAPI document, the
API's `Body`. The local AWS creates the API and its stage but drops the document, so the document is
read from the expanded template and each part of it created by API calls.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
import yaml

from tools.rehearse.cloud import Cloud
from tools.rehearse.deploy import STACK, Deployed
from tools.rehearse.log import StepFailed

_METHODS = ("get", "post", "put", "delete", "patch", "head", "x-amazon-apigateway-any-method")
_AROUND = ":lambda:path/2015-03-31/functions/"


class NoGateway(RuntimeError):
    """The stack has no HTTP API with a readable document. The message says what is missing."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route: the gateway's key ("POST /query"), the function's ARN, the authorizer's name."""

    key: str
    function: str
    authorizer: str = ""


@dataclass(frozen=True, slots=True)
class Gateway:
    """The completed API. `by_call` names the parts that `sam deploy` did not create here."""

    api_id: str
    routes: tuple[Route, ...]
    by_call: tuple[str, ...]


def complete_gateway(cloud: Cloud, deployed: Deployed) -> Gateway:
    """Create the missing parts of the API. Raises NoGateway and Unknown."""
    template = _template(cloud, "Processed")
    name, document = _document(template)
    scope = read_scope(cloud, deployed, template)
    body: Json = scope.resolve(document)
    api_id = deployed.resources[name]
    client = cloud.client("apigatewayv2")
    known = {each["RouteKey"] for each in client.get_routes(ApiId=api_id)["Items"]}
    routes = tuple(routes_of(body))
    made: list[str] = []
    schemes = body.get("components", {}).get("securitySchemes", {})
    authorizers = {
        name: _make_authorizer(client, api_id, name, schemes[name])
        for name in dict.fromkeys(each.authorizer for each in routes if each.authorizer)
    }
    made += [f"authorizer {name}" for name in authorizers]
    for route in routes:
        if route.key not in known:
            _make_route(client, api_id, route, authorizers)
            made.append(f"route {route.key}")
    cors = body.get("x-amazon-apigateway-cors")
    if cors and not client.get_api(ApiId=api_id).get("CorsConfiguration"):
        said = {name[0].upper() + name[1:]: value for name, value in cors.items()}
        client.update_api(ApiId=api_id, CorsConfiguration=said)
        made.append("answers to preflight requests")
    return Gateway(api_id, routes, tuple(made))


def read_scope(cloud: Cloud, deployed: Deployed, template: Json) -> Scope:
    """The values of the template's names in the deployed stack."""
    (stack,) = cloud.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"]
    region, account = stack["StackId"].split(":")[3:5]
    values = {
        "AWS::StackName": STACK,
        "AWS::StackId": stack["StackId"],
        "AWS::Partition": "aws",
        "AWS::Region": region,
        "AWS::AccountId": account,
        "AWS::URLSuffix": "amazonaws.com",
        **{each["ParameterKey"]: each["ParameterValue"] for each in stack["Parameters"]},
        **deployed.resources,
    }
    lambdas = cloud.client("lambda")
    arns = {
        logical: lambdas.get_function_configuration(FunctionName=deployed.resources[logical])[
            "FunctionArn"
        ]
        for logical, kind in deployed.types.items()
        if kind == "AWS::Lambda::Function"
    }
    return Scope(values, arns, template.get("Conditions", {}))


def _template(cloud: Cloud, stage: str) -> Json:
    said = cloud.client("cloudformation").get_template(StackName=STACK, TemplateStage=stage)
    body = said["TemplateBody"]
    template: Json = yaml.safe_load(body) if isinstance(body, str) else body
    return template


def _document(template: Json) -> tuple[str, Json]:
    """The API's logical id, and its document from the template."""
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::ApiGatewayV2::Api":
            body = resource["Properties"].get("Body")
            if not body:
                raise NoGateway(f"{name} has no document")
            return name, body
    raise NoGateway("the expanded template has no HTTP API")


def routes_of(body: Json) -> Iterator[Route]:
    """The routes in an API's document. NoGateway when one does not call a function."""
    shared = body.get("components", {}).get("x-amazon-apigateway-integrations", {})
    for path, methods in body["paths"].items():
        for method, operation in methods.items():
            if method not in _METHODS:
                continue
            verb = "ANY" if method.startswith("x-") else method.upper()
            integration = operation["x-amazon-apigateway-integration"]
            uri = shared.get(integration.get("$ref", "").split("/")[-1], integration)["uri"]
            if _AROUND not in uri:
                raise NoGateway(f"{verb} {path} does not call a function: {json.dumps(uri)}")
            function = uri.split(_AROUND)[1].removesuffix("/invocations")
            guarded = [name for entry in operation.get("security", []) for name in entry]
            yield Route(f"{verb} {path}", function, "".join(guarded[:1]))


def _make_authorizer(client: Any, api_id: str, name: str, scheme: Json) -> str:
    """Create the authorizer that a security scheme describes; returns its id."""
    said = scheme["x-amazon-apigateway-authorizer"]
    made = client.create_authorizer(
        ApiId=api_id,
        Name=name,
        AuthorizerType=said["type"].upper(),
        IdentitySource=[said["identitySource"]],
        JwtConfiguration={
            "Issuer": said["jwtConfiguration"]["issuer"],
            "Audience": said["jwtConfiguration"]["audience"],
        },
    )
    return str(made["AuthorizerId"])


def _make_route(client: Any, api_id: str, route: Route, authorizers: Mapping[str, str]) -> None:
    integration = client.create_integration(
        ApiId=api_id,
        IntegrationType="AWS_PROXY",
        IntegrationUri=route.function,
        PayloadFormatVersion="2.0",
    )
    target = f"integrations/{integration['IntegrationId']}"
    guard = (
        {"AuthorizationType": "JWT", "AuthorizerId": authorizers[route.authorizer]}
        if route.authorizer
        else {}
    )
    client.create_route(ApiId=api_id, RouteKey=route.key, Target=target, **guard)


Json = dict[str, Any]
_VARIABLE = re.compile(r"\$\{([^!}][^}]*)\}")
_NOTHING = object()


class Unknown(ValueError):
    """An intrinsic function or a name that cannot be resolved. The message says which."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Resolves a template's intrinsic functions.

    `values` has the parameters and resources as deployed, `arns` the ARNs of the functions,
    `conditions` the template's conditions.
    """

    values: Mapping[str, str]
    arns: Mapping[str, str]
    conditions: Mapping[str, Any]

    def resolve(self, part: Any) -> Any:
        """The part with every intrinsic function evaluated; `AWS::NoValue` entries are left out."""
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


SECONDS = 90.0


@dataclass
class GatewayReader:
    """A reader of a site at `origin`. `tokens` has each session's token from `POST /session`."""

    cloud: Cloud
    api_id: str
    origin: str
    tokens: dict[str, str] = field(default_factory=dict)
    took_ms: float = field(default=0.0, init=False)

    def send(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        session: str = "",
        origin: str | None = None,
        **headers: str,
    ) -> httpx2.Response:
        """Send one request, with the session's token if there is one; `took_ms` is its duration."""
        sent = {"host": self.cloud.gateway_host(self.api_id), "origin": origin or self.origin}
        if token := self.tokens.get(session):
            sent["authorization"] = f"Bearer {token}"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        trust = ssl.create_default_context(cafile=str(self.cloud.certificate))
        with httpx2.Client(verify=trust, timeout=SECONDS, trust_env=False) as client:
            reply = client.request(method, f"{self.cloud.url}{path}", json=body, headers=sent)
        self.took_ms = reply.elapsed.total_seconds() * 1000
        return reply

    def ask(self, path: str, body: Json) -> Json:
        """Ask a question in the session of its body. StepFailed when there is no answer."""
        session = str(body["session_id"])
        if session not in self.tokens:
            self.open_session(session)
        reply = self.send("POST", path, body, session=session)
        if reply.status_code != httpx2.codes.OK:
            raise StepFailed(f"POST {path} answers {reply.status_code}: {reply.text[:500]}")
        answer: Json = reply.json()
        return answer

    def open_session(self, session: str) -> str:
        """Get a token, as the widget does before its first question. StepFailed without one."""
        reply = self.send("POST", "/session", {"session_id": session})
        if reply.status_code != httpx2.codes.OK:
            raise StepFailed(f"POST /session answers {reply.status_code}: {reply.text[:300]}")
        self.tokens[session] = str(reply.json()["token"])
        return self.tokens[session]
