"""The pipeline's roles: taken by one environment of one repository, and no mightier than needed."""

from __future__ import annotations

import json
from typing import Any

from tests.build.deployment import as_list, resources, template

ROLES = "infra/github-role.yaml"
SERVICES = {
    "ApiGatewayV2": "apigateway",
    "Serverless": "lambda",
    "CloudFormation": "cloudformation",
    "CloudFront": "cloudfront",
    "CloudWatch": "cloudwatch",
    "Events": "events",
    "IAM": "iam",
    "Lambda": "lambda",
    "Logs": "logs",
    "S3": "s3",
    "SNS": "sns",
    "SQS": "sqs",
    "SSM": "ssm",
}
"""The middle of a resource's type to the service of its actions."""
READS = ("Describe", "Get", "List", "Validate")


def statements(role: str) -> dict[str, Any]:
    """Sid to statement."""
    (policy,) = template(ROLES)["Resources"][role]["Properties"]["Policies"]
    return {each["Sid"]: each for each in policy["PolicyDocument"]["Statement"]}


def test_one_environment_of_one_repository_takes_the_role() -> None:
    role = template(ROLES)["Resources"]["DeployRole"]["Properties"]
    (trusted,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trusted["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert list(trusted["Condition"]) == ["StringEquals"]  # no pattern
    asked = trusted["Condition"]["StringEquals"]
    assert asked["token.actions.githubusercontent.com:aud"] == "sts.amazonaws.com"
    subject = asked["token.actions.githubusercontent.com:sub"]
    assert subject == {"Fn::Sub": "repo:${Repository}:environment:${Stage}"}


def test_the_workflow_itself_makes_nothing_but_change_sets_and_packages() -> None:
    own = statements("DeployRole")
    writes = {
        action
        for each in own.values()
        for action in as_list(each["Action"])
        if not action.split(":")[1].startswith(READS)
    }
    assert writes == {
        "cloudformation:CreateChangeSet",
        "cloudformation:DeleteChangeSet",
        "cloudformation:ExecuteChangeSet",
        "iam:PassRole",
        "s3:PutObject",
    }
    assert own["HandOver"]["Resource"] == {"Fn::GetAtt": "StackRole.Arn"}


def test_only_cloudformation_takes_the_role_that_makes_the_stack() -> None:
    role = template(ROLES)["Resources"]["StackRole"]["Properties"]
    (trusted,) = role["AssumeRolePolicyDocument"]["Statement"]
    assert trusted["Principal"] == {"Service": "cloudformation.amazonaws.com"}


def test_the_stacks_role_has_rights_for_every_kind_of_resource_and_on_no_other_stage() -> None:
    every = [template(), template("infra/monitoring.yaml")]
    kinds = {each["Type"] for one in every for each in one["Resources"].values()}
    needed = {SERVICES[kind.split("::")[1]] for kind in kinds}
    needed |= {"codedeploy", "wafv2"}  # of the canary, and a firewall that stands elsewhere
    own = statements("StackRole")
    granted = {action.split(":")[0] for each in own.values() for action in as_list(each["Action"])}
    assert granted == needed
    for sid, each in own.items():
        text = json.dumps(each)
        without_name = sid in ("AccessLogs", "Firewall", "Gateway", "SavedQueries")
        assert without_name or "${Stage}" in text, sid
        assert not [action for action in as_list(each["Action"]) if "*" in action], sid


def test_the_stacks_role_hands_out_the_roles_of_the_template_alone() -> None:
    own = statements("StackRole")
    prefix = "arn:${AWS::Partition}:iam::${AWS::AccountId}:role/quoth-${Stage}-"
    for sid in ("Roles", "GiveRoles"):
        names = {each["Fn::Sub"].removeprefix(prefix) for each in own[sid]["Resource"]}
        assert names == {f"{name}-*" for name in resources("AWS::IAM::Role")}
