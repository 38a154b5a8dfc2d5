"""`python -m tools.build.expanded`: checks the template as CloudFormation gets it.

The SAM transform adds aliases, versions and deployment groups, and with them dependencies that the
source does not show. So the template is expanded with each stage's own parameters, and with each
condition turned the other way; cfn-lint reads the expansion of each stage, and every expansion is
searched for cycles and for references to what its conditions leave out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from quoth.doctor.deployment import SAMCONFIG, TEMPLATE, read_deployment
from tools.build.artifacts import SAM
from tools.build.environments import find_uv

ASKED = {"QdrantUrl": "https://index.example.org:6333"}
"""Values for the parameters that have no default: `quoth setup` asks for them."""
OTHER = {"": "x", "-1": "5"}
"""A value that is not the one of a condition."""
NEEDLESS = ("W2001", "W3002")
"""True of every expansion: SAM has used the parameter, and `sam package` did not run."""
NO_VALUE = {"Ref": "AWS::NoValue"}

Json = dict[str, Any]
Parameters = Mapping[str, str]


class Unresolved(Exception):
    """A condition of a form that is not evaluated here. The message has it."""


def expand(template: Path, wanted: Sequence[Parameters]) -> list[Json]:
    """The template as the SAM transform leaves it, once for each set of parameters."""
    project = Path(__file__).parents[2]
    done = subprocess.run(
        [
            *(find_uv(project), "tool", "run", "--quiet", "--from", SAM, "python"),
            *(Path(__file__).with_name("transform.py"), template),
        ],
        input=json.dumps([dict(each) for each in wanted]),
        env=os.environ | {"AWS_DEFAULT_REGION": "eu-central-1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode != 0:
        raise Unresolved(f"the SAM transform failed: {done.stderr[-2000:]}")
    return list(json.loads(done.stdout))


def stages(project: Path) -> dict[str, Parameters]:
    """Stage to the parameters that it is deployed with."""
    config = tomllib.loads((project / SAMCONFIG).read_text("utf-8"))
    named = [name for name, each in config.items() if isinstance(each, dict) and "deploy" in each]
    return {name: ASKED | dict(read_deployment(project, name).parameters) for name in named}


def turned(template: Json, parameters: Parameters) -> Iterator[tuple[str, Parameters]]:
    """(name, parameters) for each condition, and each parameter that says true or false, with that
    one turned the other way."""
    for name, declared in template["Parameters"].items():
        if declared.get("AllowedValues") == ["true", "false"]:
            value = "false" if parameters[name] == "true" else "true"
            yield f"{name}={value}", {**parameters, name: value}
    for name, condition in template["Conditions"].items():
        (operator, inner), *_ = condition.items()
        if operator == "Fn::And":  # of others, each turned by itself
            continue
        (form,) = inner if operator == "Fn::Not" else [condition]
        if set(form) != {"Fn::Equals"} or set(form["Fn::Equals"][0]) != {"Ref"}:
            raise Unresolved(f"{name}: {json.dumps(condition)}")
        parameter, value = form["Fn::Equals"][0]["Ref"], str(form["Fn::Equals"][1])
        if value in ("true", "false"):
            continue
        if str(parameters[parameter]) == value:
            value = OTHER.get(value, f"not-{value}")
        yield f"{parameter}={value}", {**parameters, parameter: value}


def resolve(template: Json, parameters: Parameters) -> Json:
    """The template with these parameters: no condition is left."""

    def holds(condition: Json) -> bool:
        ((operator, inner),) = condition.items()
        if operator == "Fn::Not":
            return not holds(inner[0])
        if operator == "Fn::And":
            return all(map(holds, inner))
        if operator == "Condition":
            return holds(template["Conditions"][inner])
        if operator != "Fn::Equals":
            raise Unresolved(json.dumps(condition))
        left, right = (parameters[e["Ref"]] if isinstance(e, dict) else e for e in inner)
        return str(left) == str(right)

    held = {name: holds(each) for name, each in template.get("Conditions", {}).items()}

    def pruned(part: Any) -> Any:
        if isinstance(part, list):
            return [kept for kept in map(pruned, part) if kept != NO_VALUE]
        if not isinstance(part, dict):
            return part
        if set(part) == {"Fn::If"}:
            name, yes, no = part["Fn::If"]
            return pruned(yes if held[name] else no)
        kept = {name: pruned(each) for name, each in part.items()}
        return {name: each for name, each in kept.items() if each != NO_VALUE}

    sections = {}
    for section in ("Resources", "Outputs"):
        parts = template.get(section, {})
        sections[section] = {
            name: pruned({key: part[key] for key in part if key != "Condition"})
            for name, part in parts.items()
            if held.get(part.get("Condition", ""), True)
        }
    return {"Parameters": template.get("Parameters", {}), **sections}


def faults(resolved: Json) -> list[str]:
    """One sentence for each reference to nothing, and one for a cycle."""
    resources = resolved["Resources"]
    known = {*resources, *resolved["Parameters"]}
    found = []
    graph: dict[str, set[str]] = {}
    for section in ("Resources", "Outputs"):
        for name, part in resolved[section].items():
            named = {each for each in _references(part) if not each.startswith("AWS::")}
            found += [f"{name} refers to {each}, which is not there" for each in named - known]
            if section == "Resources":
                graph[name] = named & resources.keys()
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append(f"a cycle: {' → '.join(reversed(error.args[1]))}")
    return sorted(found)


def _references(part: Any) -> Iterator[str]:
    """The logical ids that a part of a template names."""
    if isinstance(part, list):
        for each in part:
            yield from _references(each)
    if not isinstance(part, dict):
        return
    for key, value in part.items():
        if key == "Ref":
            yield value
        elif key == "Fn::GetAtt":
            yield (value if isinstance(value, str) else value[0]).split(".")[0]
        elif key == "Fn::Sub":
            text, given = (value, {}) if isinstance(value, str) else value
            yield from set(re.findall(r"\$\{([\w:]+)[.}]", text)) - given.keys()
            yield from _references(given)
        elif key == "DependsOn":
            yield from [value] if isinstance(value, str) else value
        else:
            yield from _references(value)


def lint(project: Path, template: Json, parameters: Parameters) -> list[str]:
    """What cfn-lint says of an expansion with these parameters, and of what it nests."""
    with tempfile.TemporaryDirectory(prefix="quoth-expanded-") as folder:
        Path(folder, "infra").mkdir()
        shutil.copy(project / "infra" / "monitoring.yaml", Path(folder, "infra"))
        Path(folder, "expanded.json").write_text(json.dumps(template), "utf-8")
        used = [f"{name}={parameters[name]}" for name in template["Parameters"]]
        done = subprocess.run(
            [
                Path(sys.executable).with_name("cfn-lint"),
                *("--template", "expanded.json", "--format", "parseable"),
                *("--ignore-checks", *NEEDLESS, "--parameters", *used),
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    return (done.stdout + (done.stderr if done.returncode else "")).splitlines()


def check(project: Path) -> list[str]:
    """One line for each fault of the template in any stage, with any condition turned."""
    own = stages(project)
    (first,) = expand(project / TEMPLATE, [next(iter(own.values()))])
    wanted = [
        (f"{stage} {said}".strip(), parameters)
        for stage, given in own.items()
        for said, parameters in [("", given), *turned(first, given)]
    ]
    found = []
    expanded = expand(project / TEMPLATE, [parameters for _, parameters in wanted])
    for (name, parameters), template in zip(wanted, expanded, strict=True):
        found += [f"{name}: {each}" for each in faults(resolve(template, parameters))]
        if name in own:
            found += [f"{name}: {each}" for each in lint(project, template, parameters)]
    return found


def main(arguments: list[str] | None = None) -> int:
    """Returns 1 when the template has a fault."""
    parser = argparse.ArgumentParser(prog="tools.build.expanded", description=__doc__)
    parser.add_argument("--project", type=Path, default=Path.cwd())
    found = check(parser.parse_args(arguments).project)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
