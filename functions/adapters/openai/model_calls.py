"""A model call with the SDK: Responses API, or Chat Completions without it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, cast

from openai import AsyncOpenAI, omit
from openai.types.chat import ChatCompletion
from openai.types.responses import Response, ResponseTextConfigParam
from openai.types.shared import ReasoningEffort
from openai.types.shared_params import ResponseFormatJSONSchema

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

Body = TypeVar("Body", Response, ChatCompletion)


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
    """Make the call. Raises OpenAIFailure if the response lacks the model's output."""
    instructions = request.instructions
    if dialect.is_told:
        instructions = prompts.tell_schema(instructions, request.schema)
    wanted = cast(ReasoningEffort, effort if dialect.has_effort else None)
    name, schema = request.name, request.schema
    if dialect.api == "responses":
        text: ResponseTextConfigParam = {
            "format": {"type": "json_schema", "name": name, "schema": schema, "strict": True}
        }
        response = await sdk.responses.create(
            model=model,
            instructions=instructions,
            input=request.data,
            max_output_tokens=request.max_output_tokens,
            store=False,  # otherwise the service stores readers' questions
            text=text if dialect.has_schema else omit,
            reasoning={"effort": wanted} if wanted else omit,
        )
        return _read(_read_response, response)
    form: ResponseFormatJSONSchema = {
        "type": "json_schema",
        "json_schema": {"name": name, "schema": schema, "strict": True},
    }
    # Compatible services support the older name; OpenAI's reasoning models reject it.
    is_newer = REASONING_MODEL.match(model) is not None
    completion = await sdk.chat.completions.create(
        model=model,
        messages=[
            {"role": "system", "content": instructions},
            {"role": "user", "content": request.data},
        ],
        response_format=form if dialect.has_schema else omit,
        max_completion_tokens=request.max_output_tokens if is_newer else omit,
        max_tokens=omit if is_newer else request.max_output_tokens,
        reasoning_effort=wanted or omit,
    )
    return _read(_read_completion, completion)


def _read(read: Callable[[Body], Reply], body: Body) -> Reply:
    # The SDK fills its types without checking: what a service left out or mistook shows here.
    try:
        return read(body)
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        raise OpenAIFailure("garbled", "The answer did not have the expected fields.") from error


def find_object(text: str) -> str:
    """The JSON object in an output with a code fence, prose or thoughts around it."""
    text = text.rpartition("</think>")[2]
    fenced = _FENCED.findall(text)
    text = fenced[-1] if fenced else text
    return text[max(text.find("{"), 0) : text.rfind("}") + 1]


def _read_response(response: Response) -> Reply:
    if response.status == "failed":
        raise OpenAIFailure("broken", "The service reported that the answer failed.")
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    refusals = [part.refusal for part in parts if part.type == "refusal"]
    reason = response.incomplete_details.reason if response.incomplete_details else None
    return Reply(
        text=_storable(response.output_text or "".join(refusals)),
        usage=_usage(response, "input_tokens", "output_tokens"),
        cut=response.status == "incomplete" and reason == "max_output_tokens",
        declined=bool(refusals) or reason == "content_filter",
    )


def _read_completion(completion: ChatCompletion) -> Reply:
    choice = completion.choices[0]
    message, reason = choice.message, choice.finish_reason
    refusal = message.refusal or ""
    return Reply(
        text=_storable(message.content or refusal),
        usage=_usage(completion, "prompt_tokens", "completion_tokens"),
        cut=reason == "length",
        declined=bool(refusal) or reason == "content_filter",
    )


def _usage(answer: Response | ChatCompletion, read: str, written: str) -> Usage:
    used = answer.usage  # optional in compatible services, as are its fields
    return Usage(
        _tokens(getattr(used, read, 0)),
        _tokens(getattr(used, written, 0)),
        model_name(getattr(answer, "model", None)),
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
