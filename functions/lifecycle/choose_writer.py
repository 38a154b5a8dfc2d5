"""Chooses the writer by budget: the model, the smaller model, or quotes alone; with its judge."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from functions.adapters.aws.secrets import secret
from functions.adapters.openai.client import load_resources
from functions.adapters.openai.model import Model, ModelWriter
from functions.adapters.openai.model_judge import ModelJudge
from functions.adapters.openai.model_rewriter import ModelRewriter
from functions.adapters.openai.spending import note_usage
from functions.adapters.postgres.admission import Begun
from functions.answer.judge import Judge
from functions.answer.rewriter import Rewriter
from functions.answer.write.quote_writer import QuoteWriter
from functions.answer.write.writer import Writer
from functions.runtime.prices import PriceTable, read_prices, shipped_prices
from functions.runtime.settings import NO_JUDGE, MissingSettings, Settings, is_agents_writer

FIRST_TRY = 2 / 3
"""The part of a request's time that a writer's first try may take."""


@dataclass(frozen=True)
class ChosenWriter:
    """A writer with the name of its model ("" for quotes), a judge with the name of its (none,
    and ""), and a rewriter of follow-up questions."""

    writer: Writer
    model: str
    judge: Judge | None = None
    judge_model: str = ""
    rewriter: Rewriter | None = None

    async def close(self) -> None:
        for each in (self.writer, self.judge, self.rewriter):
            if isinstance(each, Model):
                await each.close()


@dataclass(frozen=True)
class Writers:
    """The writers of a function. `large` is None where no model is configured."""

    quotes: QuoteWriter
    prices: PriceTable
    large: ChosenWriter | None = None
    smaller: ChosenWriter | None = None

    @property
    def model(self) -> str:
        """The model used while the budget is open; "" for none."""
        return self.large.model if self.large else ""

    @property
    def judge_model(self) -> str:
        """The model that judges its paraphrases; "" for none."""
        return self.large.judge_model if self.large else ""

    @classmethod
    def of(cls, settings: Settings) -> Writers:
        """Build the writers from the settings. Makes no call."""
        key = secret(settings, "openai_api_key")
        quotes = QuoteWriter(settings.max_quotes)
        prices = shipped_prices()
        if settings.model_prices:
            prices = prices.add(read_prices(settings.model_prices))
        if not key:
            return cls(quotes, prices)

        kind = ModelWriter if settings.writer == "model" else _agents_writer()
        url, effort = settings.openai_base_url, settings.model_effort or None

        def model(name: str) -> ChosenWriter:
            writer = kind(
                url, key, name,
                effort=effort, try_s=settings.request_seconds * FIRST_TRY, on_usage=note_usage,
            )  # fmt: skip
            rewriter = ModelRewriter(
                url, key, name,
                seconds=settings.rewrite_seconds, effort=effort, on_usage=note_usage,
            )  # fmt: skip
            if settings.judge_model == NO_JUDGE:
                return ChosenWriter(writer, name, rewriter=rewriter)
            judging = settings.judge_model or name
            judge = ModelJudge(
                url, key, judging,
                seconds=settings.judge_seconds, effort=effort, on_usage=note_usage,
            )  # fmt: skip
            return ChosenWriter(writer, name, judge, judging, rewriter)

        smaller = model(settings.smaller_model) if settings.smaller_model else None
        return cls(quotes, prices, model(settings.model), smaller)

    def choose(self, begun: Begun) -> ChosenWriter:
        """The writer that the budget allows, with its judge."""
        if self.large is None or begun.budget == "quotes":
            return ChosenWriter(self.quotes, "")
        if begun.budget == "smaller" and self.smaller is not None:
            return self.smaller
        return self.large

    async def close(self) -> None:
        for chosen in (self.large, self.smaller):
            if chosen is not None:
                await chosen.close()


def load_writer() -> None:
    """Load, while a function starts, what would delay its first reader."""
    load_resources()
    if is_agents_writer():
        with suppress(MissingSettings):  # said at the first question, as for every setting
            _agents_writer()


def _agents_writer() -> type[ModelWriter]:
    # Imported only on request: it is slow to import, and an extra of the package.
    try:
        from functions.adapters.openai.agents_writer import AgentsWriter
    except ModuleNotFoundError as error:
        raise MissingSettings("QUOTH_WRITER=agents needs the extra quoth[agents]") from error
    return AgentsWriter
