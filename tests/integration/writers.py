"""Functions whose answers the test server writes, and what it is told to write."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from tests.integration.events import Function
from tests.openai_server.replies import Answer, Reply, Verdicts
from tests.openai_server.service import Recorded

MODEL = "gpt-6-luna"
QUESTION = "What is the ZMP used for?"
USE = "The ZMP is used for dynamic balance control in bipedal walking"
USE_WHOLE = (
    f"{USE}: the motion is planned and corrected so that the ZMP stays inside the support polygon."
)
PARAPHRASE = "Dynamic balance control in bipedal walking relies on the ZMP."
OTHER_PARAPHRASE = "The ZMP serves dynamic balance control in bipedal walking."
"""Two that no rule proves or objects to, on the sentence with `USE`."""
ELBOW = "The elbow can turn from −1.57 to 1.57 radians"
LAMP = "Its lamp can be seen from a distance of twenty nautical miles."
LAMP_PARAPHRASE = "The lamp is visible from twenty nautical miles away."
SELECTION = (
    "The lighthouse of Pellworm was lit in 1907. Its lamp can be seen from a distance of twenty "
    "nautical miles. Couples have been marrying in its small round chamber since 1998."
)


def ask(function: Function, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    body = {"question": question, "session_id": str(uuid.uuid4()), "fresh": True, **more}
    return function.post("/query", body).answer


def ask_selected(function: Function, question: str, text: str = SELECTION) -> dict[str, Any]:
    body = {"question": question, "selected_text": text, "session_id": str(uuid.uuid4())}
    return function.post("/query-selected-text", body).answer


def is_judging(request: Recorded) -> bool:
    return bool(request.body["text"]["format"]["name"] == "entailment")


def writes(
    *claims: tuple[str, str], status: str = "full", verdicts: Sequence[bool] = ()
) -> Callable[[Recorded], Reply]:
    """A model that claims each text on the sentence with these words (or the id itself)."""

    def script(request: Recorded) -> Reply:
        if is_judging(request):
            return Verdicts(verdicts or [False] * 8)
        found = request.sentences
        ids = [
            words if words.startswith("S") and words[1].isdigit()
            else next(id for id, text in found.items() if words in text)
            for _, words in claims
        ]  # fmt: skip
        return Answer([(text, [id]) for (text, _), id in zip(claims, ids, strict=True)], status)

    return script
