"""A ModelWriter that calls the model through the OpenAI Agents SDK (the extra "agents").

Imported only with QUOTH_WRITER=agents.
"""

from __future__ import annotations

from typing import Any

from agents import (
    Agent,
    AgentOutputSchemaBase,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
)
from agents.exceptions import AgentsException
from openai import AsyncOpenAI
from openai.types.shared import Reasoning

from functions.adapters.openai.client import OpenAIFailure
from functions.adapters.openai.model import ModelWriter
from functions.adapters.openai.model_calls import Dialect, Reply, Request, model_name
from functions.answer.write.writer import Usage


class _Schema(AgentOutputSchemaBase):
    """The request's schema. The output is passed on unparsed: the writer validates it."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def is_plain_text(self) -> bool:
        return False

    def name(self) -> str:
        return self._request.name

    def json_schema(self) -> dict[str, Any]:
        return self._request.schema

    def is_strict_json_schema(self) -> bool:
        return True

    def validate_json(self, json_str: str) -> str:
        return json_str


class AgentsWriter(ModelWriter):
    """A ModelWriter whose calls are single-turn agent runs without tools. It needs a service with
    structured output."""

    async def _call(self, sdk: AsyncOpenAI, dialect: Dialect, request: Request) -> Reply:
        kind = OpenAIResponsesModel if dialect.api == "responses" else OpenAIChatCompletionsModel
        agent = Agent(
            name=request.name,
            instructions=request.instructions,
            model=kind(self._model, sdk),
            model_settings=ModelSettings(
                max_tokens=request.max_output_tokens,
                store=False,
                reasoning=Reasoning(effort=self._effort) if self._effort else None,
            ),
            output_type=_Schema(request),
        )
        try:
            # Tracing would send readers' questions to another service.
            result = await Runner.run(
                agent, request.data, max_turns=1, run_config=RunConfig(tracing_disabled=True)
            )
        except AgentsException as error:
            raise OpenAIFailure("garbled", "The agent run gave no answer.") from error
        used = result.context_wrapper.usage
        usage = Usage(used.input_tokens, used.output_tokens, model_name(self._model))
        if not isinstance(result.final_output, str):
            raise OpenAIFailure("garbled", "The agent run gave no text.")
        return Reply(result.final_output, usage)
