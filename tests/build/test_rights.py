"""Every right that anybody gets, in the template as AWS sees it: after the SAM transform."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.build.deployment import PROJECT, as_list, switched_on
from tools.build.expanded import expand

PARAMETER = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter${ParameterPrefix}"
LOG = "logs:CreateLogStream logs:PutLogEvents"
OUTBOX = "sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage sqs:SendMessage"


def secrets(*names: str) -> tuple[str, str]:
    return "ssm:GetParameters", " ".join(sorted(f"{PARAMETER}/{name}" for name in names))


FAILED_TASKS = ("sqs:SendMessage", "TasksDeadLetters.Arn")

ALLOWED = {
    "QueryRole": {
        (LOG, "QueryLog.Arn"),
        secrets(
            "cdn-secret",
            "openai-api-key",
            "query/database-url",
            "query/qdrant-api-key",
            "query/switch",
            "session-key",
            "ticket-key",
            "user-key",
        ),
        (OUTBOX, "QueryOutbox.Arn"),
        FAILED_TASKS,
    },
    "SelectedRole": {
        (LOG, "SelectedLog.Arn"),
        secrets(
            "cdn-secret",
            "openai-api-key",
            "selected/database-url",
            "selected/switch",
            "session-key",
            "ticket-key",
        ),
        (OUTBOX, "SelectedOutbox.Arn"),
        FAILED_TASKS,
    },
    "AnalyticsRole": {
        (LOG, "AnalyticsLog.Arn"),
        secrets(
            "analytics/client-secret",
            "analytics/database-url",
            "analytics/session-key",
            "analytics/switch",
            "cdn-secret",
            "openai-api-key",
            "session-key",
        ),
        FAILED_TASKS,
    },
    "IngestRole": {
        (LOG, "IngestLog.Arn"),
        secrets("ingest/database-url", "ingest/qdrant-api-key", "ingest/switch", "openai-api-key"),
        ("s3:GetObject s3:GetObjectVersion", "${BookBucket.Arn}/*"),
        ("s3:ListBucket s3:ListBucketVersions", "BookBucket.Arn"),
        (
            "sqs:ChangeMessageVisibility sqs:DeleteMessage sqs:GetQueueAttributes"
            " sqs:ReceiveMessage",
            "ChangesQueue.Arn",
        ),
        FAILED_TASKS,
    },
    "DeploymentRole": {
        (
            "lambda:GetAlias lambda:GetProvisionedConcurrencyConfig lambda:UpdateAlias",
            "${LookupFunction.Arn}:live ${QueryFunction.Arn}:live ${SelectedFunction.Arn}:live"
            " LookupFunction.Arn QueryFunction.Arn SelectedFunction.Arn",
        ),
        ("cloudwatch:DescribeAlarms", "*"),
    },
}
"""Role to its rights. A new right is written here, or it does not pass."""

TRUSTED = dict.fromkeys(ALLOWED, "lambda.amazonaws.com") | {
    "DeploymentRole": "codedeploy.amazonaws.com"
}


@cache
def translated(canary: str = "true") -> dict[str, Any]:
    """The resources after the transform, with everything switched on."""
    given = {"Canary": canary, "JwtIssuer": "https://login.example.org"}
    return dict(expand(PROJECT / "template.yaml", [given])[0]["Resources"])


def of_kind(kind: str) -> dict[str, Any]:
    return {name: each["Properties"] for name, each in translated().items() if each["Type"] == kind}


def words(value: Any) -> str:
    """`!GetAtt A.Arn` as "A.Arn", `!Sub text` as its text, a list sorted."""
    if isinstance(value, list):
        return " ".join(sorted(words(each) for each in value))
    if isinstance(value, dict):
        (inner,) = value.values()
        return ".".join(inner) if isinstance(inner, list) else str(inner)
    return str(value)


def test_the_roles_are_those_that_are_written_here() -> None:
    assert set(of_kind("AWS::IAM::Role")) == set(ALLOWED)
    for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::User"):
        assert not of_kind(kind)


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_has_these_rights_and_no_other(role: str) -> None:
    found = of_kind("AWS::IAM::Role")[role]
    assert not found.get("ManagedPolicyArns")
    documents = switched_on([each["PolicyDocument"] for each in found["Policies"]])
    statements = [each for document in documents for each in document["Statement"]]
    assert {each["Effect"] for each in statements} == {"Allow"}
    rights = [(words(as_list(s["Action"])), words(as_list(s["Resource"]))) for s in statements]
    assert sorted(rights) == sorted(ALLOWED[role])


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_is_taken_by_one_service(role: str) -> None:
    (statement,) = of_kind("AWS::IAM::Role")[role]["AssumeRolePolicyDocument"]["Statement"]
    assert words(as_list(statement["Principal"]["Service"])) == TRUSTED[role]
    assert set(statement) == {"Effect", "Principal", "Action"}


def test_selected_has_no_way_to_the_index() -> None:
    everything = {name: each for name, each in translated().items() if name.startswith("Selected")}
    assert {"SelectedFunction", "SelectedRole"} < set(everything)
    assert "qdrant" not in json.dumps(everything).lower()


def test_query_and_ingest_have_keys_of_their_own() -> None:
    keys = {
        room: words(
            of_kind("AWS::Lambda::Function")[f"{room}Function"]["Environment"]["Variables"][
                "QUOTH_QDRANT_API_KEY_PARAMETER"
            ]
        )
        for room in ("Query", "Ingest")
    }
    assert keys == {
        "Query": "${ParameterPrefix}/query/qdrant-api-key",
        "Ingest": "${ParameterPrefix}/ingest/qdrant-api-key",
    }


def test_a_function_is_called_by_its_own_routes_and_schedules_only() -> None:
    for name, permission in of_kind("AWS::Lambda::Permission").items():
        assert permission["Action"] == "lambda:InvokeFunction", name
        assert permission["Principal"] in ("apigateway.amazonaws.com", "events.amazonaws.com")
        source = json.dumps(permission["SourceArn"])
        assert "Api" in source or "Fn::GetAtt" in source, name


def test_queues_take_messages_of_our_own_rules_only() -> None:
    policies = of_kind("AWS::SQS::QueuePolicy")
    assert set(policies) == {"ChangesQueuePolicy", "TasksDeadLettersPolicy"}
    for policy in policies.values():
        (statement,) = policy["PolicyDocument"]["Statement"]
        assert statement["Action"] == "sqs:SendMessage"
        assert statement["Principal"] == {"Service": "events.amazonaws.com"}
        assert "aws:SourceArn" in json.dumps(statement["Condition"])


BY_COOKIE = {
    "GET /analytics",
    "GET /analytics/sign-in",
    "GET /analytics/callback",
    "POST /analytics/sign-out",
    "GET /analytics/static/{proxy+}",
    "GET /analytics/pages/{proxy+}",
    "POST /analytics/pages/{proxy+}",
}
"""A browser opens these by itself, without a token: the function looks at its own cookie."""


def test_paths_of_administrators_exist_only_with_an_issuer_and_need_its_token() -> None:
    body = of_kind("AWS::ApiGatewayV2::Api")["Api"]["Body"]
    paths = {path: item for path, item in body["paths"].items() if path.startswith("/analytics")}
    guarded, open_ = set(), set()
    for path, item in paths.items():
        condition, with_issuer, without = item["Fn::If"]
        assert (condition, without) == ("WithAdministrators", {"Ref": "AWS::NoValue"}), path
        for method, operation in with_issuer.items():
            has_token = operation.get("security") == [{"administrators": []}]
            (guarded if has_token else open_).add(f"{method.upper()} {path}")
    assert open_ == BY_COOKIE
    assert guarded == {f"{method} /analytics/{{proxy+}}" for method in ("GET", "POST", "DELETE")}
    scheme = body["components"]["securitySchemes"]["administrators"]["Fn::If"]
    assert scheme[0] == "WithAdministrators"
    jwt = scheme[1]["x-amazon-apigateway-authorizer"]["jwtConfiguration"]
    assert jwt == {"issuer": {"Ref": "JwtIssuer"}, "audience": [{"Ref": "JwtAudience"}]}


def test_the_gateway_gets_a_list_of_origins() -> None:
    cors = of_kind("AWS::ApiGatewayV2::Api")["Api"]["Body"]["x-amazon-apigateway-cors"]
    assert cors["allowOrigins"] == {"Fn::Split": [",", {"Ref": "AllowedOrigins"}]}


def test_every_route_has_a_throttle_of_its_own_or_a_low_default() -> None:
    body = of_kind("AWS::ApiGatewayV2::Api")["Api"]["Body"]
    assert not [path for path in body["paths"] if path.endswith("/")]  # which AWS does not have
    always = {
        f"{method.upper()} {path}"
        for path, item in body["paths"].items()
        if "Fn::If" not in item
        for method in item
    }
    (stage,) = of_kind("AWS::ApiGatewayV2::Stage").values()
    assert set(stage["RouteSettings"]) == always
    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] <= 20


def test_old_versions_are_deleted() -> None:
    versions = {
        name: each for name, each in translated().items() if each["Type"] == "AWS::Lambda::Version"
    }
    assert len(versions) == 5
    assert {each["DeletionPolicy"] for each in versions.values()} == {"Delete"}


def test_code_is_shifted_by_codedeploy_only_with_a_canary() -> None:
    assert len(of_kind("AWS::CodeDeploy::DeploymentGroup")) == 3
    assert not [n for n, e in translated("false").items() if "CodeDeploy" in e["Type"]]
