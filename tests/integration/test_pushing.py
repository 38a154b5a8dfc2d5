"""`quoth push` and `quoth smoke`: a book goes to a stage, and the stage is asked about it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from quoth.commands.deployed import NotIndexed, Target, push, push_book, smoke, wait_until_indexed
from quoth.doctor.aws_checks import client
from quoth.events.resources import ACCESS_KEY, REGION, SECRET_KEY
from tests.openai_server.running import serving

STACK = "quoth-pushed"
TEMPLATE = {
    "Resources": {
        "Book": {
            "Type": "AWS::S3::Bucket",
            "Properties": {
                "BucketName": "quoth-pushed-book",
                "VersioningConfiguration": {"Status": "Enabled"},
            },
        },
        "Changes": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "pushed-changes"}},
        "Lost": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "pushed-lost"}},
    },
    "Outputs": {
        "BookBucketName": {"Value": {"Ref": "Book"}},
        "ChangesQueueUrl": {"Value": {"Ref": "Changes"}},
        "DeadLettersUrl": {"Value": {"Ref": "Lost"}},
    },
}


@pytest.fixture
def target(aws: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    monkeypatch.setenv("AWS_ENDPOINT_URL", aws)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    monkeypatch.setattr("quoth.commands.deployed.POLL_SECONDS", 0.05)
    formation = client("cloudformation", REGION)
    with contextlib.suppress(formation.exceptions.AlreadyExistsException):
        formation.create_stack(StackName=STACK, TemplateBody=json.dumps(TEMPLATE))
    formation.get_waiter("stack_create_complete").wait(
        StackName=STACK, WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )
    stack = formation.describe_stacks(StackName=STACK)["Stacks"][0]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
    yield Target(outputs["BookBucketName"], outputs["ChangesQueueUrl"], outputs["DeadLettersUrl"])
    s3, bucket = client("s3", REGION), outputs["BookBucketName"]
    for each in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
        s3.delete_object(Bucket=bucket, Key=each["Key"])
    for url in (outputs["ChangesQueueUrl"], outputs["DeadLettersUrl"]):
        client("sqs", REGION).purge_queue(QueueUrl=url)


def book_in(folder: Path, **pages: str) -> Path:
    for name, text in pages.items():
        path = folder / "docs" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def run(book: Path, *options: str) -> Any:
    return CliRunner().invoke(
        push_book, [str(book), "--stack", STACK, "--region", REGION, *options]
    )


def test_brings_the_bucket_to_the_state_of_the_folder(target: Target, tmp_path: Path) -> None:
    book = book_in(tmp_path, one="# One", two="# Two", drei="# Drü")
    (tmp_path / "docs" / "picture.png").write_bytes(b"png")
    (tmp_path / "README.md").write_text("not the book")
    manifest = tmp_path / "built" / "quoth-manifest.json"
    manifest.parent.mkdir()
    manifest.write_text("{}")
    first = run(book, "--manifest", str(manifest))
    assert first.exit_code == 0, first.output
    assert first.output.splitlines()[0].split() == ["put", "quoth-manifest.json"]
    assert "4 put, 0 deleted" in first.output
    assert "The index has followed." in first.output
    s3 = client("s3", REGION)
    s3.put_object(Bucket=target.bucket, Key="docs/kept.png", Body=b"not Markdown")
    (tmp_path / "docs" / "two.md").unlink()
    book_in(tmp_path, one="# One, again")
    again = run(book, "--manifest", str(manifest))
    assert "put      docs/one.md" in again.output
    assert "deleted  docs/two.md" in again.output
    assert "1 put, 1 deleted" in again.output
    listed = s3.list_objects_v2(Bucket=target.bucket)["Contents"]
    assert sorted(each["Key"] for each in listed) == [
        *("docs/drei.md", "docs/kept.png", "docs/one.md", "quoth-manifest.json")
    ]
    assert "0 put, 0 deleted" in run(book).output  # without a manifest the old one stays


def test_waits_for_the_index_and_tells_of_what_was_lost(target: Target, tmp_path: Path) -> None:
    sqs, s3 = client("sqs", REGION), client("s3", REGION)
    assert push(s3, target.bucket, book_in(tmp_path, one="# One"), "docs", None)["put"]
    sqs.send_message(QueueUrl=target.queue_url, MessageBody="a change")
    with pytest.raises(NotIndexed, match="1 change still pending after 0 s"):
        wait_until_indexed(sqs, target, 0, 0.2)
    sqs.purge_queue(QueueUrl=target.queue_url)
    sqs.send_message(QueueUrl=target.dead_letter_url, MessageBody="lost long ago")
    wait_until_indexed(sqs, target, 1, 5)
    with pytest.raises(NotIndexed, match="1 change could not be indexed"):
        wait_until_indexed(sqs, target, 0, 5)


def test_changes_nothing_without_a_folder_or_a_stack(target: Target, tmp_path: Path) -> None:
    book = book_in(tmp_path, one="# One")
    wrong = run(book, "--folder", "pages")
    assert wrong.exit_code == 1
    assert "has no folder pages: nothing was changed" in wrong.output
    unknown = CliRunner().invoke(
        push_book, [str(book), "--stack", "quoth-moon", "--region", REGION]
    )
    assert unknown.exit_code == 1
    assert "the stack quoth-moon" in unknown.output


class Deployed:
    """An API that answers every question with the same response, to readers with a token."""

    def __init__(self, response: dict[str, Any], tokens: bool = True) -> None:
        self.response, self.tokens = response, tokens
        self.sessions: list[str] = []
        self.busy = 1

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = json.loads((await receive())["body"])
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        path = scope["path"].removeprefix("/v1")
        status, answer, extra = 200, self.response, []
        if headers.get("origin") != "https://book.example.org":
            status, answer = 403, {}
        elif path == "/session":
            status, answer = (200, {"token": body["session_id"]}) if self.tokens else (404, {})
        elif self.tokens and headers.get("authorization") != f"Bearer {body['session_id']}":
            status, answer = 401, {}
        elif self.busy:
            self.busy -= 1
            status, answer, extra = 429, {}, [(b"retry-after", b"0.01")]
        else:
            self.sessions.append(body["session_id"])
        start = {"type": "http.response.start", "status": status, "headers": extra}
        await send(start)
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    book = book_in(tmp_path, one="# Walking\n\nThe ankle strategy corrects small pushes.\n")
    questions = [
        {"question": "Who painted the Mona Lisa?", "refuse": True, "kind": "out-of-book"},
        {"question": "Who won the cup?", "refuse": True, "kind": "out-of-book"},
        {"question": "What corrects small pushes?", "section": "one.md#walking"},
    ]
    (book / "golden.yaml").write_text(yaml.safe_dump(questions))
    return book


def ask(api: Deployed, book: Path, *options: str, origin: str = "https://book.example.org") -> Any:
    with serving(api) as url:
        asked = ["--api", url, "--book", str(book), "--origin", origin, *options]
        return CliRunner().invoke(smoke, asked)


async def refusal() -> dict[str, Any]:
    from functions.answer.refusals import OUT_OF_SCOPE
    from functions.web.responses import Metadata, QueryResponse, RefusalBody

    response = QueryResponse.model_construct(
        query_id="q", response_id="r", status="refused", mode="book-wide", response=OUT_OF_SCOPE,
        claims=[], citations=[], refusal=RefusalBody(reason="out_of_scope", closest=[]), related=[],
        clarify=[], notices=[], metadata=Metadata.model_construct(confidence=0.1),
        session_id="s",
    )  # fmt: skip
    return response.model_dump(mode="json", warnings=False)


@pytest.mark.parametrize("tokens", [True, False])
def test_asks_as_a_reader_and_tells_what_falls_short(
    asked: Path, tmp_path: Path, tokens: bool
) -> None:
    api = Deployed(asyncio.run(refusal()), tokens)
    report = tmp_path / "report.md"
    done = ask(api, asked, "--report", str(report))
    assert done.exit_code == 1, done.output
    found = json.loads(done.output.splitlines()[-1])
    assert (found["n"], found["failed"], found["short"]) == (3, 1, ["answered_in_place"])
    assert len(set(api.sessions)) == 3  # the limit per reader is never met
    assert "falls short: answered_in_place" in report.read_text()
    assert "What corrects small pushes?" in report.read_text()
    assert ask(api, asked, "--limit", "2").exit_code == 0  # the two refusals


def test_says_when_nothing_can_be_asked(asked: Path) -> None:
    api = Deployed(asyncio.run(refusal()))
    stranger = ask(api, asked, origin="https://other.example.org")
    assert stranger.exit_code == 2
    assert "is https://other.example.org let in?" in stranger.output
    away = ["--api", "http://127.0.0.1:9", "--book", str(asked), "--origin", "https://x.example"]
    assert CliRunner().invoke(smoke, away).exit_code == 2
    assert ask(Deployed({"status": "odd"}), asked).exit_code == 2
