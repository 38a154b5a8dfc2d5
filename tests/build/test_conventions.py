"""The templates keep our conventions, and each rule finds what breaks it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml
from cfnlint.decode import decode
from cfnlint.rules import Rules
from cfnlint.template import Template

from tests.build.deployment import PROJECT

RULES = PROJECT / "infra" / "lint"
TEMPLATE, MONITORING = "template.yaml", "infra/monitoring.yaml"

BROKEN = [
    # rule, file, what stands there, what is put instead, what must be said
    ("E9101", TEMPLATE, 'query", RetentionInDays: !Ref LogRetentionDays', 'query"', "QueryLog"),
    ("E9101", TEMPLATE, "{LogGroup: !Ref IngestLog, ", "{", "IngestFunction has no log group"),
    (
        "E9102",
        TEMPLATE,
        "!If [LimitsQuery, !Ref QueryConcurrency,",
        "!If [LimitsQuery, 7,",
        "Query",
    ),
    (
        "E9103",
        TEMPLATE,
        "MetricName: Throttles\n",
        "MetricName: Errors\n",
        "SelectedFunction: no alarm on Throttles guards it",
    ),
    (
        "E9103",
        TEMPLATE,
        "Alarms: [!Ref SelectedErrorsAlarm,",
        "Alarms: [!Ref QueryErrorsAlarm,",
        "SelectedFunction: QueryErrorsAlarm is not of its alias",
    ),
    (
        "E9103",
        TEMPLATE,
        "        TasksDeadLetters: !GetAtt TasksDeadLetters.QueueName\n",
        "        TasksDeadLetters: !GetAtt ChangesDeadLetters.QueueName\n",
        "TasksDeadLetters has no alarm on ApproximateNumberOfMessagesVisible",
    ),
    ("E9103", TEMPLATE, "infra/monitoring.yaml", "infra/none.yaml", "there is no infra/none.yaml"),
    ("E9104", TEMPLATE, "QUOTH_MODEL: ", "QUOTH_MODEL_KEY: ", "QUOTH_MODEL_KEY sounds like"),
    ("E9104", TEMPLATE, "Default: omni-moderation-latest", "Default: sk-proj-1", "looks like a"),
    (
        "E9104",
        TEMPLATE,
        "Type: String, Default: book}",
        "Type: String, NoEcho: true}",
        "Collection",
    ),
    ("E9105", TEMPLATE, '["s3:ListBucket", "s3:ListBucketVersions"]', '"s3:List*"', "BookFiles"),
    ("E9105", TEMPLATE, "Resource: !GetAtt QueryLog.Arn", 'Resource: "*"', "QueryRole"),
    ("E9105", TEMPLATE, "- Sid: Book\n", "- Sid: Files\n", "the statement Files has a * and no"),
    (
        "E9105",
        TEMPLATE,
        "lists alarms without naming one. It reads their state and changes nothing.",
        "",
        "the statement Alarms",
    ),
    (
        "E9105",
        TEMPLATE,
        "stars: {NoPlainHttp",
        "stars: {Old: no longer of use here, NoPlainHttp",
        "Old",
    ),
    ("E9106", TEMPLATE, "{SqsManagedSseEnabled: true, ", "{", "is not encrypted"),
    (
        "E9106",
        TEMPLATE,
        "RedrivePolicy: {deadLetterTargetArn: !GetAtt ChangesDeadLetters.Arn, ",
        "RedrivePolicy: {",
        "ChangesQueue has no queue for what fails",
    ),
    ("E9106", TEMPLATE, "MessageRetentionPeriod: 1209600", "MessageRetentionPeriod: 60", "14 days"),
    ("E9107", TEMPLATE, 'Name: !Sub "quoth-${Stage}-purge"\n', "State: ENABLED\n", "Purge of"),
    ("E9107", TEMPLATE, "{OnFailure: ", "{OnSuccess: ", "a failed Purge goes nowhere"),
    ("E9108", MONITORING, "      AlarmActions: [!Ref Alerts]\n", "", "has no AlarmActions"),
    ("E9109", TEMPLATE, "Path: /session}", "Path: /sessions}", "POST /sessions has no throttle"),
    ("E9109", TEMPLATE, "Path: /session}", "Path: /sessions}", "there is no route POST /session"),
    (
        "E9109",
        TEMPLATE,
        '"GET /health": {',
        '"GET /analytics": {',
        "there is no route GET /analytics in any case",
    ),
    ("E9109", TEMPLATE, "      DefaultRouteSettings:", "      Tags:", "no DefaultRouteSettings"),
]


@cache
def rules() -> Rules:
    return Rules.create_from_directory(str(RULES))


def complaints(file: Path) -> list[str]:
    template, problems = decode(str(file))
    assert not problems
    cfn = Template(str(file), template, ["us-east-1"])
    return [f"{rule.id} {match.message}" for rule in rules().values() for match in rule.match(cfn)]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in (TEMPLATE, MONITORING):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(PROJECT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(("rule", "name", "old", "new", "said"), BROKEN)
def test_each_rule_finds_what_breaks_it(
    copy: Path, rule: str, name: str, old: str, new: str, said: str
) -> None:
    text = (copy / name).read_text("utf-8")
    assert old in text
    (copy / name).write_text(text.replace(old, new), "utf-8")
    found = complaints(copy / (MONITORING if rule == "E9108" else TEMPLATE))
    assert any(each.startswith(rule) and said in each for each in found), found


def test_every_rule_is_broken_by_a_test() -> None:
    assert {each[0] for each in BROKEN} == set(rules())


def test_cfn_lint_has_nothing_to_say_with_our_rules() -> None:
    asked = yaml.safe_load((PROJECT / ".cfnlintrc.yaml").read_text("utf-8"))
    every = [TEMPLATE, MONITORING, "infra/github-role.yaml"]
    assert asked == {"templates": every, "append_rules": ["infra/lint"]}
    checked = yaml.safe_load((PROJECT / "infra" / "checkov.yaml").read_text("utf-8"))
    assert checked["file"] == every
    done = subprocess.run(
        [Path(sys.executable).with_name("cfn-lint")],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_what_checkov_leaves_out_has_its_reason() -> None:
    text = (PROJECT / "infra" / "checkov.yaml").read_text("utf-8")
    left_out = [line for line in text.splitlines() if "- CKV" in line]
    assert len(left_out) == len(yaml.safe_load(text)["skip-check"])
    assert all(len(line.partition("#")[2].split()) >= 5 for line in left_out)
