"""The test server itself: its answers have OpenAI's form, and it refuses what OpenAI refuses."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from functions.answer.write import prompts
from tests.openai_server.replies import Answer, Declined, Reply, Text
from tests.openai_server.service import API_KEY, OpenAIServer
from tests.openai_server.spec import find_reply_error

MODEL = "gpt-4.1-mini-2025-04-14"
GOOD = Answer([("The arm has seven joints.", ["S1.1"])])


@pytest.mark.parametrize("reply", [GOOD, Declined(), Text("{", cut=True)], ids=str)
async def test_the_test_server_answers_in_the_form_of_the_api(
    openai_server: OpenAIServer, reply: Reply
) -> None:
    headers = {"authorization": f"Bearer {API_KEY}"}
    bodies: dict[str, dict[str, Any]] = {
        "responses": {"model": MODEL, "input": "a"},
        "chat/completions": {"model": MODEL, "messages": [{"role": "user", "content": "a"}]},
        "moderations": {"input": "a"},
    }
    openai_server.script(reply, reply)
    async with httpx2.AsyncClient(headers=headers, timeout=10) as client:
        for path, body in bodies.items():
            answer = await client.post(f"{openai_server.base_url}/{path}", json=body)
            assert answer.status_code == 200
            error = find_reply_error(f"/v1/{path}", answer.json())
            assert error is None, f"{path}: {error}"


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("responses", {"colour": "red"}),
        ("responses", {"reasoning": {"effort": "low"}}),
        ("responses", {"reasoning": {"efort": "low"}}),
        ("responses", {"max_output_tokens": 3}),
        ("responses", {"text": {"format": {"type": "json_schema", "name": "a"}}}),
        (
            "responses",
            {
                "text": {
                    "format": {
                        "type": "json_schema",
                        "name": "a",
                        "strict": True,
                        "schema": {**prompts.ANSWER_SCHEMA, "required": ["status"]},
                    }
                }
            },
        ),
        ("chat/completions", {"messages": []}),
        ("chat/completions", {"messages": [{"role": "boss", "content": "a"}]}),
        ("chat/completions", {"temperature": 9}),
        ("chat/completions", {"model": "gpt-5-mini-2025-08-07", "max_tokens": 100}),
        ("moderations", {"input": None}),
    ],
    ids=str,
)
def test_the_test_server_refuses_what_the_api_refuses(
    openai_server: OpenAIServer, path: str, change: dict[str, Any]
) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "responses": {"model": MODEL, "input": "a"},
        "chat/completions": {"model": MODEL, "messages": [{"role": "user", "content": "a"}]},
        "moderations": {},
    }
    answer = httpx2.post(
        f"{openai_server.base_url}/{path}",
        json={**bodies[path], **change},
        headers={"authorization": f"Bearer {API_KEY}"},
        timeout=10,
    )
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert len(openai_server.refused) == 1
