"""A language model asked for structured output, and the writer that uses one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, TypeVar

from openai import AsyncOpenAI
from pydantic import BaseModel, ValidationError

from functions.adapters.openai.client import (
    SHORTEST_TRY_S,
    Kind,
    OpenAIClient,
    OpenAIFailure,
    is_openai,
)
from functions.adapters.openai.model_calls import (
    REFUSED_FORM,
    Dialect,
    Reply,
    Request,
    ask_model,
    find_object,
)
from functions.answer.context import Context
from functions.answer.deadline import Deadline
from functions.answer.write import prompts
from functions.answer.write.writer import LONGEST_OUTPUT, Draft, Usage, WriterFailed, draft_of
from functions.runtime.logs import logger
from functions.runtime.metrics import count_tokens, counted_call

ANSWER_TOKENS = 1_200

Parsed = TypeVar("Parsed", bound=BaseModel)


class ModelFailed(WriterFailed):
    """The model gave no usable output. `usage` is what the attempts cost."""

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage


class ModelUnavailable(ModelFailed):
    """The service was unavailable or busy, or both attempts gave unusable output."""


class ModelTimedOut(ModelFailed):
    """The deadline passed first."""


class ModelRejected(ModelFailed):
    """The service rejects these requests. The message says which setting to check."""


_FAILED: Mapping[Kind, type[ModelFailed]] = {
    "rejected": ModelRejected,
    "missing": ModelRejected,
    "timed_out": ModelTimedOut,
}
"""All others are ModelUnavailable."""


class _Claim(BaseModel):
    text: str
    sentence_ids: list[str]


class _Answer(BaseModel):
    status: Literal["full", "partial", "none"]
    claims: list[_Claim]


def _parse(shape: type[Parsed], text: str) -> Parsed:
    try:
        return shape.model_validate_json(text)
    except ValidationError:
        return shape.model_validate_json(find_object(text))


class Model:
    """A model of an OpenAI-compatible service. It is asked once more if its output is unusable.

    `seconds` bounds a call with its second attempt, `try_s` each attempt. `effort` is the reasoning
    effort, for models that have one. `on_usage` is called with the usage of each reply, usable or
    not. `dialect` is what the service understands, as far as its replies have shown.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        model: str,
        *,
        effort: str | None = None,
        seconds: float = math.inf,
        try_s: float = 12.0,
        on_usage: Callable[[Usage], None] | None = None,
    ) -> None:
        self._client = OpenAIClient(base_url, api_key)
        self._model = model
        self._effort = effort
        self._seconds = seconds
        self._try_s = try_s
        self._on_usage = on_usage
        self.dialect = Dialect(has_effort=bool(effort))

    async def close(self) -> None:
        await self._client.close()

    async def _ask(
        self, shape: type[Parsed], request: Request, deadline: Deadline
    ) -> tuple[Parsed | None, Reply]:
        """The parsed output, or None if the model declined. The usage covers both attempts."""
        try:
            within = Deadline.after(deadline.within(self._seconds))
            return await self._ask_twice(shape, request, within)
        except ModelFailed as failure:
            logger().error(
                "model failed", part=request.name, error=type(failure).__name__,
                detail=str(failure),
            )  # fmt: skip
            raise

    async def _ask_twice(
        self, shape: type[Parsed], request: Request, deadline: Deadline
    ) -> tuple[Parsed | None, Reply]:
        spent: Usage | None = None
        problem = "The model wrote nothing usable."
        for last in (False, True):
            try:
                reply = await self._post(request, deadline)
            except OpenAIFailure as failure:
                if failure.kind == "garbled" and not last:
                    problem = str(failure)
                    continue
                raise _FAILED.get(failure.kind, ModelUnavailable)(str(failure), spent) from failure
            spent = self._count(spent, reply.usage)
            if reply.declined:
                return None, Reply(reply.text, spent, declined=True)
            try:
                if len(reply.text) <= LONGEST_OUTPUT:
                    return _parse(shape, reply.text), Reply(reply.text, spent)
                problem = "The model's output was too long."
            except ValidationError:
                problem = "The model's output did not match the schema."
                if not reply.cut:
                    self.dialect = replace(self.dialect, is_told=True)
            if reply.cut:
                request = replace(request, max_output_tokens=2 * request.max_output_tokens)
            if deadline.left() < SHORTEST_TRY_S:
                break
        raise ModelUnavailable(problem, spent)

    async def _post(self, request: Request, deadline: Deadline) -> Reply:
        dialect = self.dialect
        refused: OpenAIFailure | None = None
        while True:
            try:
                with counted_call("chat", self._model):
                    calling = self._client.calling(deadline.left(), try_s=self._try_s, retries=1)
                    async with calling as sdk:
                        reply = await self._call(sdk, dialect, request)
            except OpenAIFailure as failure:
                following = dialect.after(failure, is_openai(self._client.base_url))
                if failure.status in REFUSED_FORM:
                    refused = refused or failure
                if following is None:
                    # The first refusal says what is wrong; later ones are of other forms.
                    is_final = failure.kind in ("missing", "rejected")
                    raise (refused if refused and is_final else failure) from failure
                dialect = following
            else:
                self.dialect = dialect  # only after a successful call
                return reply

    async def _call(self, sdk: AsyncOpenAI, dialect: Dialect, request: Request) -> Reply:
        return await ask_model(sdk, dialect, self._model, self._effort, request)

    def _count(self, spent: Usage | None, used: Usage) -> Usage:
        count_tokens("chat", self._model, used.input_tokens, used.output_tokens)
        if self._on_usage:
            self._on_usage(used)
        if spent is None:
            return used
        tokens = spent.input_tokens + used.input_tokens, spent.output_tokens + used.output_tokens
        return Usage(*tokens, used.model)


class ModelWriter(Model):
    """A Writer that uses a model."""

    async def write(self, question: str, context: Context, deadline: Deadline) -> Draft:
        """Write a draft that cites the context's sentences. Raises ModelFailed."""
        data = "\n\n".join(
            (
                prompts.render_context((one.id, one.text) for one in context.sentences),
                prompts.render_question(question),
            )
        )
        answer, reply = await self._ask(
            _Answer,
            Request("answer", prompts.ANSWER_SCHEMA, prompts.INSTRUCTIONS, data, ANSWER_TOKENS),
            deadline,
        )
        if answer is None:
            return draft_of("none", (), reply.text, reply.usage)
        claims = ((claim.text, claim.sentence_ids) for claim in answer.claims)
        return draft_of(answer.status, claims, reply.text, reply.usage)
