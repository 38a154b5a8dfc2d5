"""A model call with the SDK: Responses API, or Chat Completions without it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from openai import AsyncOpenAI, omit
from openai.types.shared import ReasoningEffort

from functions.adapters.openai.client import OpenAIFailure
from functions.answer.write import prompts
from functions.answer.write.writer import Usage

REFUSED_FORM = (400, 422)
"""Statuses that compatible services answer to a parameter they do not know."""

MAX_MODEL_NAME = 100
MAX_TOKENS = 10_000_000
"""More than any call can use: bounds what a faulty service may report."""
_FENCED = re.compile(r"^```\w*[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_UNNAMED = re.compile(r"[^A-Za-z0-9.:_/-]")
REASONING_MODEL = re.compile(r"^(o\d|gpt-[5-9])")


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's output. `cut`: the token limit was reached; `declined`: the model refused."""

    text: str
    usage: Usage
    cut: bool = False
    declined: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a service understands: its API, the reasoning effort, and structured output.

    `is_told`: the instructions hold the schema, for a service that does not enforce it.
    """

    api: Literal["responses", "chat"] = "responses"
    has_effort: bool = True
    has_schema: bool = True
    is_told: bool = False

    def after(self, failure: OpenAIFailure, is_openai: bool) -> Dialect | None:
        """What to try after this failure; None for nothing else.

        OpenAI's own refusals stand. A service that refuses all of the Responses API is asked
        without `store`, which chat completions do not need.
        """
        if failure.kind == "missing" and self.api == "responses":
            return replace(self, api="chat")
        if is_openai or failure.status not in REFUSED_FORM:
            return None
        if self.has_effort:
            return replace(self, has_effort=False)
        if self.has_schema:
            return replace(self, has_schema=False, is_told=True)
        return replace(self, api="chat") if self.api == "responses" else None


@dataclass(frozen=True, slots=True)
class Request:
    """A model call, independent of the API. The output follows `schema`."""

    name: str
    schema: dict[str, Any]
    instructions: str
    data: str
    max_output_tokens: int


async def ask_model(
    sdk: AsyncOpenAI, dialect: Dialect, model: str, effort: str | None, request: Request
) -> Reply:
    """Make the call. Raises OpenAIFailure if the response lacks the model's output.

    The response is read here: compatible services leave out fields of the SDK's types, and a
    function would start a seventh slower for building their schemas.
    """
    told, name, schema = request.instructions, request.name, request.schema
    if dialect.is_told:
        told = prompts.tell_schema(told, schema)
    effort = effort if dialect.has_effort else None
    if dialect.api == "responses":
        answer = await sdk.responses.with_raw_response.create(
            model=model, instructions=told, input=request.data,
            max_output_tokens=request.max_output_tokens,
            store=False,  # otherwise the service stores readers' questions
            text={"format": {"type": "json_schema", "name": name, "schema": schema, "strict": True}}
            if dialect.has_schema else omit,
            reasoning={"effort": cast(ReasoningEffort, effort)} if effort else omit,
        )  # fmt: skip
        return _read_reply(_read_response, answer.http_response)
    # Compatible services support the older name; OpenAI's reasoning models reject it.
    is_newer = REASONING_MODEL.match(model) is not None
    completion = await sdk.chat.completions.with_raw_response.create(
        model=model,
        messages=[{"role": "system", "content": told}, {"role": "user", "content": request.data}],
        response_format={
            "type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": True},
        } if dialect.has_schema else omit,
        max_completion_tokens=request.max_output_tokens if is_newer else omit,
        max_tokens=omit if is_newer else request.max_output_tokens,
        reasoning_effort=cast(ReasoningEffort, effort) if effort else omit,
    )  # fmt: skip
    return _read_reply(_read_completion, completion.http_response)


def _read_reply(read: Callable[[dict[str, Any]], Reply], response: Any) -> Reply:
    """Read the model's output from a response. Raises OpenAIFailure if it is missing."""
    answer = response.json()
    try:
        return read(answer)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise OpenAIFailure("garbled", "The answer did not have the expected fields.") from error


def find_object(text: str) -> str:
    """The JSON object in an output with a code fence, prose or thoughts around it."""
    text = text.rpartition("</think>")[2]
    fenced = _FENCED.findall(text)
    text = fenced[-1] if fenced else text
    return text[max(text.find("{"), 0) : text.rfind("}") + 1]


def _read_response(answer: dict[str, Any]) -> Reply:
    status = answer.get("status")
    if status == "failed":
        raise OpenAIFailure("broken", "The service reported that the answer failed.")
    parts = [
        part
        for item in answer["output"]
        if item.get("type") == "message"
        for part in item["content"]
    ]
    text = "".join(part["text"] for part in parts if part.get("type") == "output_text")
    refusals = [part["refusal"] for part in parts if part.get("type") == "refusal"]
    reason = (answer.get("incomplete_details") or {}).get("reason")
    return Reply(
        text=_storable(text or "".join(refusals)),
        usage=_usage(answer, "input_tokens", "output_tokens"),
        cut=status == "incomplete" and reason == "max_output_tokens",
        declined=bool(refusals) or reason == "content_filter",
    )


def _read_completion(answer: dict[str, Any]) -> Reply:
    choice = answer["choices"][0]
    message, reason = choice["message"], choice.get("finish_reason")
    refusal = message.get("refusal") or ""
    return Reply(
        text=_storable(message.get("content") or refusal),
        usage=_usage(answer, "prompt_tokens", "completion_tokens"),
        cut=reason == "length",
        declined=bool(refusal) or reason == "content_filter",
    )


def _usage(answer: dict[str, Any], read: str, written: str) -> Usage:
    usage = answer.get("usage") or {}  # optional in compatible services
    return Usage(
        _tokens(usage.get(read, 0)),
        _tokens(usage.get(written, 0)),
        model_name(answer.get("model")),
    )


def model_name(given: object) -> str:
    """A model name as reported, sanitized for display and storage; "" for none."""
    return _UNNAMED.sub("", str(given or ""))[:MAX_MODEL_NAME]


def _tokens(given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(given)
    return min(max(int(given), 0), MAX_TOKENS)


def _storable(text: object) -> str:
    """The text without NUL and lone surrogates, which Postgres rejects."""
    if not isinstance(text, str):
        raise TypeError(text)
    return text.replace("\0", "").encode("utf-8", "replace").decode()
