"""The template as CloudFormation gets it: no stage has a cycle or a reference to nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from functions.web.cdn import SECRET_HEADER
from tests.build.deployment import PROJECT
from tools.build.expanded import Parameters, expand, faults, lint, resolve, stages, turned
from tools.build.release import parameters

ACCOUNT = "111122223333"
CERTIFICATE = f"arn:aws:acm:us-east-1:{ACCOUNT}:certificate/0a1b"
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


ISSUER = {"JwtIssuer": "https://login.example.org", "JwtAudience": "dashboard"}
SET_LATER = {"Api", "AnalyticsFunction", "AdministratorsPermission"}
"""What an issuer changes: the gateway's document, the variables, the right to call."""


def test_an_issuer_may_come_later_and_go_again() -> None:
    own = stages(PROJECT)["dev"]
    given = {**own, **ISSUER}
    wanted = [own, given]
    expanded = expand(PROJECT / "template.yaml", wanted)
    without, having = (resolve(t, p) for t, p in zip(expanded, wanted, strict=True))
    assert having["Resources"].keys() - without["Resources"].keys() == {"AdministratorsPermission"}
    assert not without["Resources"].keys() - having["Resources"].keys()
    changed = {
        name for name, each in having["Resources"].items() if each != without["Resources"].get(name)
    }
    assert changed <= SET_LATER
    old, new = (each["Resources"]["Api"]["Properties"]["Body"] for each in (without, having))
    # Every route that readers use is the same; what came is of administrators, and goes whole.
    assert {path: new["paths"][path] for path in old["paths"]} == old["paths"]
    added = set(new["paths"]) - set(old["paths"])
    assert len(added) == 7
    assert all(path.startswith("/analytics") for path in added)
    assert "administrators" not in str(old)
    assert "AnalyticsFunction" in str(new["components"])
    assert "AnalyticsFunction" not in str(old["components"])
    # A stage may name only routes that are there: it names those that stay.
    stage = having["Resources"]["ApiApiGatewayDefaultStage"]["Properties"]
    named = {tuple(route.lower().split()) for route in stage["RouteSettings"]}
    assert named == {(method, path) for path, item in old["paths"].items() for method in item}


def test_another_release_is_another_version_of_each_function() -> None:
    own = stages(PROJECT)["prod"]
    releases = [{**own, "Release": each} for each in ("0a" * 8, "0b" * 8)]
    first, second = (
        {name for name, each in t["Resources"].items() if each["Type"] == "AWS::Lambda::Version"}
        for t in expand(PROJECT / "template.yaml", releases)
    )
    assert len(first) == len(second) == 5
    assert not first & second


def test_a_release_is_another_with_a_parameter_the_template_or_the_code(tmp_path: Path) -> None:
    code = tmp_path / "QueryFunction" / "functions"
    code.mkdir(parents=True)
    (tmp_path / "template.yaml").write_text("Resources: {}")
    (code / "a.py").write_text("A = 1")
    (tmp_path / "samconfig.toml").write_text(
        '[dev.deploy.parameters]\nparameter_overrides = ["Stage=dev", "Model=one"]\n'
    )
    config = tmp_path / "samconfig.toml"
    first = parameters(config, "dev", tmp_path)
    assert first == parameters(config, "dev", tmp_path)
    assert set(first) == {"Stage", "Model", "Release"}
    seen = {first["Release"]}
    for file, text in (
        (config, config.read_text().replace("one", "two")),
        (tmp_path / "template.yaml", "Resources: {A: {}}"),
        (code / "a.py", "A = 2"),
    ):
        file.write_text(text)
        seen.add(parameters(config, "dev", tmp_path)["Release"])
    assert len(seen) == 4


CDN = {"Cdn": "true", "DomainName": "ask.example.org", "CertificateArn": CERTIFICATE}
FIREWALL = {"WebAclArn": f"arn:aws:wafv2:us-east-1:{ACCOUNT}:global/webacl/quoth/0a1b"}


def test_behind_a_cdn_the_name_and_the_firewall_are_the_cdns() -> None:
    own = {**stages(PROJECT)["prod"], **CDN, **FIREWALL}
    (expanded,) = expand(PROJECT / "template.yaml", [own])
    template = resolve(expanded, own)
    assert faults(template) == []
    assert lint(PROJECT, expanded, own) == []
    assert "ApiDomain" not in template["Resources"]
    config = template["Resources"]["Distribution"]["Properties"]["DistributionConfig"]
    assert config["Aliases"] == [{"Ref": "DomainName"}]
    assert config["WebACLId"] == {"Ref": "WebAclArn"}
    (origin,) = config["Origins"]
    (header,) = origin["OriginCustomHeaders"]
    assert header["HeaderName"] == SECRET_HEADER
    named = header["HeaderValue"]["Fn::Sub"].removeprefix("{{resolve:ssm:").removesuffix("}}")
    for room in ("Query", "Lookup", "Selected", "Analytics"):
        properties = template["Resources"][f"{room}Function"]["Properties"]
        variables = properties["Environment"]["Variables"]
        assert variables["QUOTH_CDN_SECRET_PARAMETER"] == {"Fn::Sub": named}
    assert "Distribution" in str(template["Outputs"]["ApiUrl"])
    assert "Distribution" in str(template["Outputs"]["DomainTarget"])
