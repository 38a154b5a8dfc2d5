"""What template.yaml promises: no secret, least rights, the routes of the apps."""

from __future__ import annotations

import importlib
import json
import re

import pytest

from functions.adapters.aws.outbox import MAX_BYTES
from functions.ingest.retry_delay import Backoff
from functions.lifecycle import retry
from functions.runtime.settings import PREFIX, Settings
from tests.build.deployment import (
    as_list,
    functions,
    resources,
    statements,
    template,
)

ROOMS = ["query", "lookup", "selected", "analytics", "ingest"]
SECRET_NAME = re.compile(r"KEY|SECRET|PASSWORD|TOKEN|CREDENTIAL|DATABASE_URL|DSN")
SECRET_VALUE = re.compile(r"sk-|resolve:|postgres(ql)?://|://[^/\s]*@|AKIA|eyJ", re.I)


def test_has_these_functions() -> None:
    assert sorted(functions()) == sorted(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_no_variable_carries_a_secret(room: str) -> None:
    for name, value in functions()[room].variables.items():
        text = json.dumps(value)
        assert not SECRET_VALUE.search(text), name
        if SECRET_NAME.search(name):
            assert name.endswith("_PARAMETER"), name
            assert value["Fn::Sub"].startswith("${ParameterPrefix}/"), name


def test_no_parameter_of_the_stack_is_a_secret() -> None:
    for name, parameter in template()["Parameters"].items():
        assert "NoEcho" not in parameter, name
        assert not re.search(r"Key|Password|Token|DatabaseUrl|Dsn", name), name
        assert not SECRET_VALUE.search(str(parameter.get("Default", ""))), name


def test_selected_knows_nothing_of_the_index() -> None:
    selected = functions()["selected"]
    assert not [name for name in selected.variables if "QDRANT" in name.upper()]
    assert "qdrant" not in json.dumps([selected.properties, statements("selected")]).lower()


@pytest.mark.parametrize("room", ROOMS)
def test_every_variable_is_a_setting(room: str) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    assert set(functions()[room].variables) <= known


@pytest.mark.parametrize("room", ROOMS)
def test_every_function_has_a_log_group_that_forgets(room: str) -> None:
    logging = functions()[room].properties["LoggingConfig"]
    group = resources("AWS::Logs::LogGroup")[logging["LogGroup"]["Ref"]]
    assert group["RetentionInDays"] == {"Ref": "LogRetentionDays"}
    package = functions()[room].package.removeprefix("functions.")
    assert group["LogGroupName"] == {"Fn::Sub": f"/quoth/${{Stage}}/{package}"}
    assert logging["ApplicationLogLevel"] == "INFO", "above it Lambda drops metric lines"


def test_all_functions_are_built_once_from_one_folder() -> None:
    every = template()["Globals"]["Function"]
    assert every["CodeUri"] == "functions/"
    assert every["Runtime"] == "python3.13"
    for function in functions().values():
        assert not {"CodeUri", "Runtime", "Architectures"} & set(function.properties)
        assert function.metadata == {
            "BuildProperties": {"ParentPackageMode": "explicit", "ParentPackages": "functions"}
        }


@pytest.mark.parametrize("room", ROOMS)
def test_the_handler_exists(room: str) -> None:
    module, _, name = functions()[room].properties["Handler"].rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize("room", ["query", "selected", "analytics"])
def test_the_routes_are_those_of_the_app(room: str) -> None:
    package = f"functions.{room}"
    app = importlib.import_module(f"{package}.app").create(Settings)
    served = {
        (method.upper(), re.sub(r"{\w+}", "{}", path))
        for path, methods in app.openapi()["paths"].items()
        if not path.startswith("/analytics")  # those have one route together; see test_rights
        for method in methods
    }
    routed = {
        (event["Properties"]["Method"], re.sub(r"{\w+}", "{}", event["Properties"]["Path"]))
        for function in functions().values()
        if function.package == package
        for event in function.properties["Events"].values()
        if event["Type"] == "HttpApi"
    }
    assert routed == served


def test_questions_run_apart_from_what_readers_ask_beside_them() -> None:
    query, lookup = functions()["query"], functions()["lookup"]
    asked = {
        each.room: {
            event["Properties"]["Path"]
            for event in each.properties["Events"].values()
            if event["Type"] == "HttpApi"
        }
        for each in (query, lookup)
    }
    assert asked["query"] == {"/query"}
    assert asked["lookup"] == {"/search", "/suggestions", "/tickets/{id}", "/session"}
    assert lookup.package == query.package
    assert lookup.variables == query.variables
    assert lookup.properties["Role"] == query.properties["Role"]


@pytest.mark.parametrize("room", ROOMS)
def test_a_role_reads_the_parameters_of_its_own_variables_and_no_other(room: str) -> None:
    named = {
        value["Fn::Sub"]
        for name, value in functions()[room].variables.items()
        if name.endswith("_PARAMETER")
    }
    readable = [
        resource["Fn::Sub"].partition(":parameter")[2]
        for statement in statements(room)
        if "ssm:GetParameters" in as_list(statement["Action"])
        for resource in as_list(statement["Resource"])
    ]
    assert sorted(readable) == sorted(named)


def test_every_function_logs_in_to_the_database_by_a_parameter_of_its_own() -> None:
    named = {
        each.package: each.variables["QUOTH_DATABASE_URL_PARAMETER"]["Fn::Sub"]
        for each in functions().values()
    }
    assert len(set(named.values())) == len(named) == 4


@pytest.mark.parametrize("room", ROOMS)
def test_no_role_has_a_star(room: str) -> None:
    for statement in statements(room):
        assert statement["Effect"] == "Allow"
        assert not [action for action in as_list(statement["Action"]) if "*" in action]
        for resource in as_list(statement["Resource"]):
            assert resource == {"Fn::Sub": "${BookBucket.Arn}/*"} or "*" not in json.dumps(resource)


@pytest.mark.parametrize("room", ["query", "selected"])
def test_keeps_what_its_database_cannot_take_in_a_queue_of_its_own(room: str) -> None:
    queue = f"{room.capitalize()}Outbox"
    variables = functions()[room].variables
    assert variables["QUOTH_OUTBOX_URL"] == {"Ref": queue}
    assert variables["QUOTH_RETRY_MINUTES"] == {"Ref": "RetryMinutes"}  # what its tickets say
    kept = resources("AWS::SQS::Queue")
    assert kept[queue]["SqsManagedSseEnabled"] is True
    assert kept[queue]["MaximumMessageSize"] == MAX_BYTES
    assert kept[queue]["VisibilityTimeout"] > template()["Globals"]["Function"]["Timeout"]
    letters = kept[queue]["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"].split(".")[0]
    assert kept[letters]["MessageRetentionPeriod"] >= kept[queue]["MessageRetentionPeriod"]


@pytest.mark.parametrize("room", ["query", "selected"])
def test_retries_what_waits_each_minute_within_the_functions_time(room: str) -> None:
    (schedule,) = (
        each["Properties"]
        for each in functions()[room].properties["Events"].values()
        if each["Type"] == "Schedule"
    )
    assert schedule["Schedule"] == {"Fn::Sub": "rate(${RetryMinutes} minutes)"}
    assert schedule["Input"] == '{"task": "retry-deferred"}'
    assert template()["Globals"]["Function"]["Timeout"] > retry.RUN_SECONDS


def test_a_message_is_hidden_six_times_as_long_as_the_function_may_run() -> None:
    queue = resources("AWS::SQS::Queue")["ChangesQueue"]
    assert queue["VisibilityTimeout"] >= 6 * functions()["ingest"].properties["Timeout"]
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": "ChangesDeadLetters.Arn"}


def test_a_change_is_tried_for_two_hours_and_soon_after_the_first_failure() -> None:
    queue = resources("AWS::SQS::Queue")["ChangesQueue"]
    assert functions()["ingest"].variables["QUOTH_CHANGES_URL"] == {"Ref": "ChangesQueue"}
    waits = [Backoff().delay_after(n) for n in range(1, queue["RedrivePolicy"]["maxReceiveCount"])]
    assert waits[0] <= 60
    assert sum(waits) >= 2 * 3600
    assert Backoff().max_s == queue["VisibilityTimeout"]


def test_the_functions_give_up_before_the_gateway_does() -> None:
    assert template()["Globals"]["Function"]["Timeout"] < 30
    assert Settings().request_seconds < template()["Globals"]["Function"]["Timeout"]
