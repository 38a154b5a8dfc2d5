"""A judge that asks a language model."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from functions.adapters.openai.model import Model, ModelFailed
from functions.adapters.openai.model_calls import Request
from functions.answer.deadline import Deadline
from functions.answer.judge import JudgeFailed
from functions.answer.write import prompts

VERDICT_TOKENS = 600


class _Verdict(BaseModel):
    pair: int
    supported: bool


class _Verdicts(BaseModel):
    verdicts: list[_Verdict]


class ModelJudge(Model):
    """A Judge that uses a model."""

    async def entails(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        """For each (claim, evidence), whether the evidence entails the claim. Raises JudgeFailed.

        A pair that the model omits or judges both ways is not supported.
        """
        return await self._judge(prompts.ENTAILMENT_INSTRUCTIONS, pairs, deadline)

    async def answers(self, pairs: Sequence[tuple[str, str]], deadline: Deadline) -> list[bool]:
        """For each (question, answer), whether the answer addresses the question. As `entails`."""
        return await self._judge(prompts.RELEVANCE_INSTRUCTIONS, pairs, deadline)

    async def _judge(
        self, instructions: str, pairs: Sequence[tuple[str, str]], deadline: Deadline
    ) -> list[bool]:
        if not pairs:
            return []
        request = Request(
            "entailment",
            prompts.ENTAILMENT_SCHEMA,
            instructions,
            prompts.render_pairs(pairs),
            VERDICT_TOKENS,
        )
        try:
            verdicts, _ = await self._ask(_Verdicts, request, deadline)
        except ModelFailed as failure:
            raise JudgeFailed(str(failure)) from failure
        rows = verdicts.verdicts if verdicts else []
        supported = {row.pair for row in rows if row.supported}
        denied = {row.pair for row in rows if not row.supported}
        return [number in supported - denied for number in range(1, len(pairs) + 1)]
