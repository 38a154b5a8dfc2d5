"""After a deployment: is the stack whole, does its API answer the sites and nobody else?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2

from quoth.doctor.aws_checks import client
from quoth.doctor.deployment import Deployment
from quoth.doctor.findings import Finding, failed, passed, warned

SECONDS = 15.0
STRANGER = "https://stranger.example"


class StackUnknown(Exception):
    """There is no such stack, or AWS cannot be asked. The message says which."""


def stack_outputs(stack: str, region: str | None) -> dict[str, str]:
    """What a deployed stack tells of itself. Raises StackUnknown."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        answer = client("cloudformation", region).describe_stacks(StackName=stack)
    except (BotoCoreError, ClientError) as error:
        raise StackUnknown(f"the stack {stack}: {error}") from error
    outputs = answer["Stacks"][0].get("Outputs", [])
    return {each["OutputKey"]: each["OutputValue"] for each in outputs}


def read_outputs(deployment: Deployment) -> tuple[dict[str, str] | None, Finding]:
    """The stack's outputs, None while there is no stack."""
    from botocore.exceptions import ClientError

    try:
        answer = client("cloudformation", deployment.region).describe_stacks(
            StackName=deployment.stack
        )
    except ClientError as error:
        if "does not exist" in str(error):
            return None, passed("stack.state", f"{deployment.stack} is not deployed yet")
        raise
    stack: dict[str, Any] = answer["Stacks"][0]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", [])}
    state = str(stack["StackStatus"])
    if state in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
        return outputs, passed("stack.state", f"{deployment.stack} is {state}")
    return outputs, failed(
        "stack.state",
        f"{deployment.stack} is {state}",
        "look at its events in CloudFormation; a ROLLBACK_COMPLETE of a first deployment has to be"
        " deleted before the next",
    )


def check_origins(deployment: Deployment) -> Iterator[Finding]:
    """The form of the sites' names, before anything is deployed."""
    wrong = []
    for origin in deployment.origins:
        url = httpx2.URL(origin)
        if url.scheme not in ("http", "https") or not url.host or f"{origin}" != _origin(url):
            wrong.append(origin)
    if wrong or not deployment.origins:
        yield failed(
            "cors.origins",
            f"not scheme://host: {', '.join(wrong) or 'none is given'}",
            "write AllowedOrigins as https://book.example.org, without path or slash at its end",
        )
        return
    local = [o for o in deployment.origins if httpx2.URL(o).scheme == "http"]
    if local and deployment.stage == "prod":
        yield warned(
            "cors.origins",
            f"not encrypted: {', '.join(local)}",
            "give the site a certificate and write https://",
        )
    else:
        yield passed("cors.origins", ", ".join(deployment.origins))


def check_api(deployment: Deployment, url: str) -> Iterator[Finding]:
    """The API from outside: alive, open to the sites, closed to others."""
    try:
        with httpx2.Client(timeout=SECONDS) as http:
            health = http.get(f"{url}/health")
            if health.status_code == 200:
                yield passed("api.health", f"{url} answers")
            else:
                yield failed(
                    "api.health",
                    f"{url}/health answers {health.status_code}",
                    "read the log group /quoth/<stage>/analytics",
                )
            for origin in deployment.origins:
                if not _lets_in(http, url, origin):
                    yield failed(
                        "cors.preflight",
                        f"{origin} is not let in",
                        "deploy again: AllowedOrigins has changed since",
                    )
            if _lets_in(http, url, STRANGER):
                yield failed(
                    "cors.preflight", "any site is let in", "name the sites in AllowedOrigins"
                )
            else:
                yield passed("cors.preflight", "other sites are not let in")
    except httpx2.HTTPError as error:
        yield failed(
            "api.health",
            f"{url} does not answer ({type(error).__name__})",
            "look whether the stack is deployed, and at its outputs",
        )


def check_lost(deployment: Deployment, outputs: dict[str, str]) -> Iterator[Finding]:
    """What waits in the queues of failures."""
    sqs = client("sqs", deployment.region)
    for output, said in (
        ("DeadLettersUrl", "changes of the book could not be indexed"),
        ("TasksDeadLettersUrl", "scheduled tasks failed"),
    ):
        if output not in outputs:
            continue
        attributes = sqs.get_queue_attributes(
            QueueUrl=outputs[output], AttributeNames=["ApproximateNumberOfMessages"]
        )["Attributes"]
        count = int(attributes["ApproximateNumberOfMessages"])
        if count:
            yield warned(
                "stack.lost",
                f"{count} {said}",
                "read the log of the function, mend the cause, then start the redrive in SQS",
            )
        else:
            yield passed("stack.lost", f"no {said}")


def _lets_in(http: httpx2.Client, url: str, origin: str) -> bool:
    answer = http.request(
        "OPTIONS",
        f"{url}/query",
        headers={"Origin": origin, "Access-Control-Request-Method": "POST"},
    )
    return answer.headers.get("access-control-allow-origin") in (origin, "*")


def _origin(url: httpx2.URL) -> str:
    port = f":{url.port}" if url.port else ""
    return f"{url.scheme}://{url.host}{port}"
