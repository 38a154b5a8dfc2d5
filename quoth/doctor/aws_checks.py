"""Checks of the AWS account, and of the stack and its API after a deployment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from quoth.doctor.deployment import Deployment
from quoth.doctor.findings import Finding, failed, passed, warned

if TYPE_CHECKING:
    from collections.abc import Callable
import httpx2

SECONDS = 10


class AwsUnreachable(Exception):
    """AWS cannot be asked. The message says why."""


def client(service: str, region: str | None) -> Any:
    """A boto3 client with time-outs. Addresses and rights come from AWS's own environment."""
    import boto3
    from botocore.config import Config

    limits = Config(
        connect_timeout=SECONDS, read_timeout=SECONDS, retries={"total_max_attempts": 2}
    )
    make: Callable[..., Any] = boto3.client
    return make(service, region_name=region, config=limits)


def read_account(deployment: Deployment) -> Finding:
    """Identity of the account. Raises AwsUnreachable."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        answer = client("sts", deployment.region).get_caller_identity()
    except (BotoCoreError, ClientError) as error:
        raise AwsUnreachable(str(error)) from error
    return passed("aws.account", f"{answer['Account']} as {answer['Arn'].rsplit('/')[-1]}")


def read_secrets(deployment: Deployment) -> tuple[dict[str, str], list[Finding]]:
    """The values of the secrets that are there, and a finding for each that is not right."""
    names = {deployment.secret_name(secret): secret for secret in deployment.secrets}
    ssm = client("ssm", deployment.region)
    found: list[dict[str, Any]] = []
    asked = list(names)
    for start in range(0, len(asked), 10):  # SSM takes ten at a time
        some = asked[start : start + 10]
        found += ssm.get_parameters(Names=some, WithDecryption=True)["Parameters"]
    findings = list(_judge(found))
    missing = sorted(set(names) - {each["Name"] for each in found})
    if missing:
        findings.append(
            failed("ssm.parameters", f"not there: {', '.join(missing)}", "run `quoth setup`")
        )
    if not findings:
        findings.append(passed("ssm.parameters", f"all {len(names)} are there, encrypted"))
    return {names[each["Name"]]: str(each["Value"]).strip() for each in found}, findings


def _judge(found: list[dict[str, Any]]) -> Iterator[Finding]:
    for each in found:
        if each["Type"] != "SecureString":
            yield failed(
                "ssm.encrypted",
                f"{each['Name']} is a plain {each['Type']}",
                "delete it and store it with `quoth setup`",
            )
        if not each["Value"].strip() or each["Value"] != each["Value"].strip():
            yield failed(
                "ssm.value",
                f"{each['Name']} is empty, or has spaces or a line feed around it",
                "store it again with `quoth setup`",
            )


API_SECONDS = 15.0
STRANGER = "https://stranger.example"


class StackUnknown(Exception):
    """There is no such stack, or AWS cannot be asked. The message says which."""


def stack_outputs(stack: str, region: str | None) -> dict[str, str]:
    """Outputs of a deployed stack. Raises StackUnknown."""
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
    """Check the syntax of AllowedOrigins, before anything is deployed."""
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
        with httpx2.Client(timeout=API_SECONDS) as http:
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
    """Check the dead-letter queues."""
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
