"""What surrounds the functions: preflight, session, roles, schedules, repeated deliveries."""

from __future__ import annotations

import json
import time
from typing import Any

from botocore.exceptions import ClientError

from quoth.events.sync import FolderSync
from tools.rehearse.book_steps import (
    Stage,
    markdown_keys,
    messages_in,
    wait_for_book,
    wait_for_empty_queue,
)
from tools.rehearse.deploy import PREFIX
from tools.rehearse.log import Log, StepFailed, require
from tools.rehearse.outside import Absence

FOREIGN = "https://elsewhere.example"
SESSION = "rehearsal"
SWITCH_SECONDS = 90.0


def check_preflight(log: Log, stage: Stage) -> None:
    """The site's own origin is let in, another is not."""
    with log.step("Preflight requests") as seen:
        for origin, allowed in ((stage.reader.origin, True), (FOREIGN, False)):
            reply = stage.reader.send(
                "OPTIONS",
                "/query",
                origin=origin,
                access_control_request_method="POST",
                access_control_request_headers="content-type,authorization",
            )
            named = reply.headers.get("access-control-allow-origin")
            require((named == origin) is allowed, f"{origin}: {reply.status_code} {named}")
            require(named != "*", "any origin is allowed")
            seen.append(f"{origin}: {reply.status_code}, {'let in' if allowed else 'kept out'}")


def open_session(log: Log, stage: Stage) -> None:
    """Nobody is answered without a session's token, and only the site's own readers get one."""
    with log.step("A reader's session") as seen:
        body = {"question": "What is a gait?", "session_id": SESSION}
        without = stage.reader.send("POST", "/query", body)
        require(without.status_code == 401, f"answered without a token: {without.status_code}")
        seen.append("a question without a token: 401")
        token = stage.reader.open_session(SESSION)
        seen.append(f"POST /session: a token of {len(token)} characters")
        other = stage.reader.send("POST", "/query", {**body, "session_id": "x"}, session=SESSION)
        require(other.status_code == 401, f"another session is let in: {other.status_code}")
        seen.append("the same token for another session: 401")
        foreign = stage.reader.send("POST", "/session", {"session_id": SESSION}, origin=FOREIGN)
        require(foreign.status_code == 403, f"{FOREIGN} is given one: {foreign.status_code}")
        seen.append(f"a token for {FOREIGN}: 403")


def switch_off_and_on(log: Log, stage: Stage) -> None:
    """Take `query` out of service by its parameter, without a deployment, and back."""
    ssm = stage.cloud.client("ssm")
    with log.step("Switch query off, and on again") as seen:
        for value, status in (("off", 503), ("on", 200)):
            ssm.put_parameter(Name=f"{PREFIX}/query/switch", Value=value, Overwrite=True)
            began = time.monotonic()
            while True:
                said = stage.reader.send("GET", "/search?q=gait", session=SESSION).status_code
                if said == status:
                    break
                late = time.monotonic() - began > SWITCH_SECONDS
                require(not late, f"{value}, and it still answers {said}")
                time.sleep(1)
            seen.append(f"{value}: {status} after {time.monotonic() - began:.0f} s")


def check_roles(log: Log, stage: Stage) -> None:
    """The roles as deployed: what each may, and above all what it may not, by AWS's own rules."""
    account = stage.cloud.client("sts").get_caller_identity()["Account"]
    secrets = f"arn:aws:ssm:us-east-1:{account}:parameter{PREFIX}"
    bucket = f"arn:aws:s3:::{stage.deployed.outputs['BookBucketName']}/docs/intro.md"
    cases = (
        ("query", "ssm:GetParameters", f"{secrets}/query/database-url", True),
        ("query", "ssm:GetParameters", f"{secrets}/ingest/qdrant-api-key", False),
        ("query", "s3:GetObject", bucket, False),
        ("selected", "ssm:GetParameters", f"{secrets}/selected/database-url", True),
        ("selected", "ssm:GetParameters", f"{secrets}/query/qdrant-api-key", False),
        ("selected", "ssm:GetParameters", f"{secrets}/ingest/qdrant-api-key", False),
        ("analytics", "ssm:GetParameters", f"{secrets}/query/qdrant-api-key", False),
        ("ingest", "sqs:ChangeMessageVisibility", queue_arn(stage), True),
        ("ingest", "s3:GetObject", bucket, True),
        ("ingest", "s3:PutObject", bucket, False),
        ("ingest", "s3:DeleteObject", bucket, False),
    )
    functions = {
        each.split("Function")[0].lower(): each
        for each in stage.deployed.resources
        if stage.deployed.types[each] == "AWS::Lambda::Function"
    }
    lambdas, iam = stage.cloud.client("lambda"), stage.cloud.client("iam")
    with log.step("The roles, asked of IAM") as seen:
        for room, action, target, allowed in cases:
            name = stage.deployed.resources[functions[room]]
            role = lambdas.get_function_configuration(FunctionName=name)["Role"]
            answer = iam.simulate_principal_policy(
                PolicySourceArn=role, ActionNames=[action], ResourceArns=[target]
            )
            said = answer["EvaluationResults"][0]["EvalDecision"]
            require((said == "allowed") is allowed, f"{room} {action} {target}: {said}")
            seen.append(
                f"{room} {'may' if allowed else 'may not'} {action} {target.split(':')[-1]}"
            )


def queue_arn(stage: Stage) -> str:
    """The ARN of the queue of the book's changes."""
    said = stage.cloud.client("sqs").get_queue_attributes(
        QueueUrl=stage.deployed.outputs["ChangesQueueUrl"], AttributeNames=["QueueArn"]
    )
    return str(said["Attributes"]["QueueArn"])


def run_schedules(log: Log, stage: Stage) -> None:
    """Trigger each schedule of the stack once, without waiting for it to be due."""
    events, lambdas = stage.cloud.client("events"), stage.cloud.client("lambda")
    with log.step("Each schedule, once") as seen:
        for rule in _schedules(events, stage.deployed.resources):
            for target in events.list_targets_by_rule(Rule=rule["Name"])["Targets"]:
                event = target.get("Input") or json.dumps({"source": "aws.events", "detail": {}})
                reply = lambdas.invoke(FunctionName=target["Arn"], Payload=event.encode())
                said = reply["Payload"].read().decode()
                name = target["Arn"].rsplit("-", 1)[0].rsplit("-", 1)[-1]
                if reply.get("FunctionError"):
                    raise StepFailed(f"{rule['ScheduleExpression']} {name}: {said[:500]}")
                seen.append(f"{rule['ScheduleExpression']}: {name} {event} → {said[:200]}")
    log.could_not("the passing of hours: each schedule was fired by hand, with its own input")


def _schedules(events: Any, resources: Any) -> list[dict[str, Any]]:
    names = set(resources.values())
    rules: list[dict[str, Any]] = []
    try:
        for page in events.get_paginator("list_rules").paginate():
            rules += page["Rules"]
    except ClientError as error:
        raise StepFailed(f"the rules cannot be listed: {error}") from error
    return [
        rule
        for rule in rules
        if rule.get("ScheduleExpression") and (rule["Name"] in names or rule["Arn"] in names)
    ]


PAGE = "docs/98-comes-again.md"
TEXT = "# Comes again\n\nThe green hoist of hall nine waits for spare bearings from Ostrava.\n"
FAIL_SECONDS = 60.0
AGAIN_SECONDS = 120.0
"""Well below the half hour for which the queue's own visibility time-out hides a message."""


def fail_and_come_again(log: Log, stage: Stage, sync: FolderSync, absence: Absence) -> None:
    """Put a page while nothing embeds; it must come in soon after that is over."""
    with log.step("A failed change is retried") as seen:
        _grant(stage)
        (stage.book / PAGE).write_text(TEXT, "utf-8")
        absence.on = True
        require(PAGE in sync.run().put, f"{PAGE} was not put")
        until = time.monotonic() + FAIL_SECONDS
        while absence.refused < 2:  # the call, and its one repetition
            require(time.monotonic() < until, "no embeddings were requested")
            time.sleep(0.1)
        failed = time.monotonic()
        seen.append(f"put {PAGE}; its embeddings: {absence.refused} × 503, the change failed")
        absence.on = False
        waiting = messages_in(stage.cloud, stage.deployed, "ChangesQueueUrl")
        require(waiting, "the queue forgot the change")
        wait_for_book(stage.owner_dsn, markdown_keys(stage.book), AGAIN_SECONDS)
        seen.append(f"it came again and is in the book {time.monotonic() - failed:.0f} s later")
        wait_for_empty_queue(stage.cloud, stage.deployed, AGAIN_SECONDS)
        lost = messages_in(stage.cloud, stage.deployed, "DeadLettersUrl")
        require(lost == 0, f"{lost} changes are in the dead-letter queue")
        found = stage.reader.send("GET", "/search?q=green%20hoist%20bearings", session="rehearsal")
        first = found.json()["sections"][0]
        require("comes-again" in first["url"], f"{first}")
        seen.append(f"GET /search finds it: {first['url']}; queue empty, no dead letter")
    log.could_not(
        "the right to set when a failed change is retried: the local AWS asks for one of the"
        " batch call's own, which AWS does not have, so the role of ingest was given it here"
    )


def _grant(stage: Stage) -> None:
    """What only the local AWS asks for. The template has `sqs:ChangeMessageVisibility`, by which
    AWS judges the batch call as well."""
    statement = {
        "Effect": "Allow",
        "Action": "sqs:ChangeMessageVisibilityBatch",
        "Resource": queue_arn(stage),
    }
    stage.cloud.client("iam").put_role_policy(
        RoleName=stage.deployed.resources["IngestRole"],
        PolicyName="of-the-local-aws",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
    )
