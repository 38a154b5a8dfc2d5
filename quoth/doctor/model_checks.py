"""Three questions to the model that is to write answers: does it keep to the schema and cite?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from functions.adapters.openai.client import OpenAIFailure
from functions.adapters.openai.model import Model, ModelFailed, ModelRejected, ModelTimedOut
from functions.answer.check.check_claims import check_claims
from functions.answer.context import Context, Sentence, Source
from functions.answer.deadline import Deadline
from functions.answer.write.writer import Draft
from functions.lifecycle.choose_writer import FIRST_TRY, ChosenWriter, Writers
from functions.runtime.plural import plural
from functions.runtime.settings import Settings
from quoth.doctor.findings import Finding, failed, passed, warned

SECONDS = 120.0
"""For one answer; readers are given less."""
SENTENCES = (
    "The Zero Moment Point (ZMP) is the point on the ground where the horizontal moments of"
    " gravity and inertia vanish.",
    "The ZMP is used for dynamic balance control in bipedal walking.",
    "The robot does not fall as long as the ZMP stays inside the support polygon.",
    "Each leg of the robot has six motors, which run at 48 V.",
)
ANSWERED = ("What is the ZMP used for?", "How many motors does each leg have?")
NOT_ANSWERED = "How much does the robot cost?"
NO_RESPONSES = (
    "by chat completions: the server has no Responses API, which Ollama has since 0.13.3, vLLM"
    " since 0.10.0 and llama.cpp since January 2026"
)


@dataclass(frozen=True, slots=True)
class _Written:
    draft: Draft
    seconds: float


class NoModel(ValueError):
    """No model is set. The message says which variables set one."""


def ask_model(settings: Settings) -> list[Finding]:
    """What the model makes of two questions that the sentences answer and one that they do not.

    Raises NoModel.
    """
    chosen = Writers.of(settings.model_copy(update={"request_seconds": 2 * SECONDS})).large
    if chosen is None:
        raise NoModel(
            "No model is set: OPENAI_BASE_URL and QUOTH_MODEL name a model of your own,"
            " OPENAI_API_KEY is for OpenAI's."
        )
    return asyncio.run(_ask(chosen, settings))


async def _ask(chosen: ChosenWriter, settings: Settings) -> list[Finding]:
    written: list[_Written] = []
    try:
        for question in (*ANSWERED, NOT_ANSWERED):
            started = time.monotonic()
            draft = await chosen.writer.write(question, _context(), Deadline.after(SECONDS))
            written.append(_Written(draft, time.monotonic() - started))
        api, wording = _api(chosen), _wording(chosen)
    except ModelFailed as failure:
        return [_failure(failure, settings)]
    finally:
        await chosen.close()
    answers = [each.draft for each in written[: len(ANSWERED)]]
    return [
        passed("model.api", api),
        passed("model.schema", f"3 of 3 answers of {settings.model} keep to it, {wording}"),
        _citations(answers),
        _proofs(answers),
        _refusal(written[-1].draft),
        _speed([each.seconds for each in written], settings.request_seconds),
    ]


def _api(chosen: ChosenWriter) -> str:
    is_chat = isinstance(chosen.writer, Model) and chosen.writer.dialect.api == "chat"
    return f"it is asked {NO_RESPONSES if is_chat else 'by the Responses API'}"


def _wording(chosen: ChosenWriter) -> str:
    if not isinstance(chosen.writer, Model) or not chosen.writer.dialect.is_told:
        return "asked for as structured output"
    return "which it is told in words: its server does not enforce structured output"


def _failure(failure: ModelFailed, settings: Settings) -> Finding:
    if isinstance(failure, ModelRejected):
        remedy = "correct QUOTH_MODEL, OPENAI_BASE_URL or OPENAI_API_KEY"
        return failed("model.answers", f"{settings.model}: {failure}", remedy)
    if isinstance(failure, ModelTimedOut):
        return failed("model.answers", str(failure), "choose a smaller model")
    if isinstance(failure.__cause__, OpenAIFailure):
        remedy = "start the server, or correct OPENAI_BASE_URL; it usually ends in /v1"
        return failed("model.answers", str(failure), remedy)
    remedy = "choose another model: with this one readers get quotes"
    return failed("model.schema", f"{settings.model}: {failure}", remedy)


def _citations(answers: Sequence[Draft]) -> Finding:
    known = {each.id for each in _context().sentences}
    claims = [claim for draft in answers for claim in draft.claims]
    cited = sum(bool(each.sentence_ids) and known >= set(each.sentence_ids) for each in claims)
    silent = sum(not draft.claims for draft in answers)
    if silent:
        said = f"{silent} of {plural(len(answers), 'question')} that it could answer got no answer"
        return failed("model.cites", said, "choose another model")
    said = f"of {plural(len(claims), 'claim')} {cited} cite only sentences it was given"
    if cited < len(claims):
        return failed("model.cites", said, "choose another model: other claims cannot be checked")
    return passed("model.cites", said)


def _proofs(answers: Iterable[Draft]) -> Finding:
    checks = [check for draft in answers for check in check_claims(draft.claims, _context())]
    proven = sum(check.passed for check in checks)
    said = f"of {plural(len(checks), 'claim')} {proven} proven by the rules alone"
    if proven:
        return passed("model.proof", f"{said}; what is not is quoted")
    remedy = "readers get the cited sentences in their place, as without a model"
    return warned("model.proof", said, remedy)


def _refusal(draft: Draft) -> Finding:
    if not draft.claims:
        return passed("model.refuses", "it says so when the sentences do not answer")
    remedy = "its claims are checked all the same; another model will be refused less often"
    return warned("model.refuses", "it answers what the sentences do not say", remedy)


def _speed(seconds: Sequence[float], allowed: float) -> Finding:
    said = f"an answer takes {min(seconds):.1f} to {max(seconds):.1f} s"
    if max(seconds) > allowed * FIRST_TRY:
        remedy = (
            f"readers wait {allowed:.0f} s at most (QUOTH_REQUEST_SECONDS, up to 40), two"
            " thirds of it for the first try; set more, or choose a smaller model"
        )
        return warned("model.speed", said, remedy)
    return passed("model.speed", said)


def _context() -> Context:
    sentences = tuple(
        Sentence(f"S1.{at}", text, 0, "paragraph", at, at, at, at)
        for at, text in enumerate(SENTENCES, 1)
    )
    return Context((Source("selection", 1.0),), sentences)
