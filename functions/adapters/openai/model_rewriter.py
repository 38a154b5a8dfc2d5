"""A rewriter that asks a language model."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from functions.adapters.openai.model import Model, ModelFailed
from functions.adapters.openai.model_calls import Request
from functions.answer.deadline import Deadline
from functions.answer.rewriter import Rewriter, RewriterFailed, Rewritten
from functions.answer.write import prompts

REWRITE_TOKENS = 300
LONGEST_QUESTION = 500
"""Characters of a rewritten question."""
LONGEST_SUBJECT = 120


class _Rewritten(BaseModel):
    question: str
    about: str


class ModelRewriter(Model, Rewriter):
    """A Rewriter that uses a model."""

    async def rewrite(
        self, question: str, earlier: str, headings: Sequence[str], deadline: Deadline
    ) -> Rewritten:
        """The question as the model understands it, on one line. Raises RewriterFailed."""
        request = Request(
            "rewrite",
            prompts.REWRITE_SCHEMA,
            prompts.REWRITE_INSTRUCTIONS,
            prompts.render_follow_up(question, earlier, headings),
            REWRITE_TOKENS,
        )
        try:
            rewritten, _ = await self._ask(_Rewritten, request, deadline)
        except ModelFailed as failure:
            raise RewriterFailed(str(failure)) from failure
        text = " ".join(rewritten.question.split()) if rewritten else ""
        about = " ".join(rewritten.about.split()) if rewritten else ""
        if not text or len(text) > LONGEST_QUESTION or len(about) > LONGEST_SUBJECT:
            raise RewriterFailed("The model gave no question.")
        return Rewritten(text, about)
