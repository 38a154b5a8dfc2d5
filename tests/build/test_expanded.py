"""The template as CloudFormation gets it: no stage has a cycle or a reference to nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.build.deployment import PROJECT
from tools.build.expanded import Parameters, expand, faults, resolve, stages, turned

GUARDED = "Alarms: [!Ref QueryErrorsAlarm, "
ON_THE_API = """
  ApiAlarm:
    Type: AWS::CloudWatch::Alarm
    Properties:
      Namespace: AWS/ApiGateway
      MetricName: 5xx
      Dimensions: [{Name: ApiId, Value: !Ref Api}]

Outputs:
"""


def faults_of(project: Path, named: dict[str, Parameters]) -> dict[str, list[str]]:
    expanded = expand(project / "template.yaml", list(named.values()))
    return {
        name: faults(resolve(template, parameters))
        for (name, parameters), template in zip(named.items(), expanded, strict=True)
    }


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("template.yaml", "samconfig.toml"):
        shutil.copy(PROJECT / name, tmp_path)
    return tmp_path


def test_every_stage_can_be_deployed_with_each_condition_on_and_off() -> None:
    own = stages(PROJECT)
    assert set(own) == {"dev", "staging", "prod"}
    assert own["prod"]["Canary"] == "true"
    (template,) = expand(PROJECT / "template.yaml", [own["prod"]])
    other = dict(turned(template, own["prod"]))
    assert {"Canary=false", "JwtIssuer=x", "SnapStart=true", "QueryConcurrency=-1"} <= set(other)
    found = faults_of(PROJECT, {**own, **other})
    assert not {name: said for name, said in found.items() if said}


def test_a_canary_guarded_by_an_alarm_on_the_api_is_a_cycle(copy: Path) -> None:
    text = (copy / "template.yaml").read_text("utf-8")
    assert GUARDED in text
    text = text.replace(GUARDED, f"{GUARDED}!Ref ApiAlarm, ").replace("\nOutputs:\n", ON_THE_API)
    (copy / "template.yaml").write_text(text, "utf-8")
    found = faults_of(copy, stages(copy))
    assert [stage for stage in found if found[stage]] == ["prod"]
    (said,) = found["prod"]
    assert said.startswith("a cycle: ")
    assert {"Api", "ApiAlarm", "QueryFunctionAliaslive"} <= set(said.split())


def test_a_reference_to_what_a_condition_leaves_out_is_found(copy: Path) -> None:
    text = (copy / "template.yaml").read_text("utf-8")
    text += "  Told: {Description: Who is told., Value: !Ref AlertsSubscription}\n"
    (copy / "template.yaml").write_text(text, "utf-8")
    own = stages(copy)["dev"]
    found = faults_of(copy, {"nobody": own, "somebody": {**own, "AlertEmail": "a@example.org"}})
    assert found == {
        "nobody": ["Told refers to AlertsSubscription, which is not there"],
        "somebody": [],
    }
