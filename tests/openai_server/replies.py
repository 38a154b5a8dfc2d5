"""What a script can make the server answer, and the bodies OpenAI would send for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the model as they are. `cut` as if it had run out of tokens."""

    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A structured answer: claims with the ids of their sentences."""

    claims: Sequence[tuple[str, Sequence[str]]] = ()
    status: str = "full"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """A structured judgement of pairs, in their order."""

    supported: Sequence[bool]


@dataclass(frozen=True, slots=True)
class Declined:
    """The model's own refusal, as the API reports it."""

    text: str = "I cannot help with that."


@dataclass(frozen=True, slots=True)
class Flagged:
    """A moderation that flags these categories; none is an unflagged one."""

    categories: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Vectors:
    """Embeddings as usual, or, with `dimensions`, of a size nobody asked for."""

    dimensions: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error in OpenAI's form, or with `body` as it is (a proxy's page, say)."""

    status: int
    code: str | None = None
    message: str = "Scripted failure."
    retry_after: str | None = None
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """The connection ends without an answer."""


@dataclass(frozen=True, slots=True)
class Truncated:
    """The JSON of the answer stops in the middle."""

    reply: Reply = field(default_factory=Answer)


@dataclass(frozen=True, slots=True)
class Redirect:
    """The service sends the caller elsewhere."""

    location: str
    status: int = 307


@dataclass(frozen=True, slots=True)
class Endless:
    """A body that goes on for as long as it is read; `pause_s` between its pieces."""

    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Slow:
    """An answer after so many seconds."""

    seconds: float
    reply: Reply = field(default_factory=Answer)


Reply = (
    Text | Answer | Verdicts | Declined | Flagged | Vectors | Failure | Dropped | Truncated
    | Redirect | Endless | Slow
)  # fmt: skip

CATEGORIES = (
    "hate hate/threatening harassment harassment/threatening illicit illicit/violent self-harm "
    "self-harm/intent self-harm/instructions sexual sexual/minors violence violence/graphic"
).split()


def written(reply: Text | Answer | Verdicts | Declined) -> str:
    """The words the model would have written."""
    if isinstance(reply, Answer):
        claims = [{"text": text, "sentence_ids": list(ids)} for text, ids in reply.claims]
        return json.dumps({"status": reply.status, "claims": claims})
    if isinstance(reply, Verdicts):
        rows = [{"pair": at, "supported": one} for at, one in enumerate(reply.supported, 1)]
        return json.dumps({"verdicts": rows})
    return reply.text


def response_body(reply: Text | Answer | Verdicts | Declined, request: dict[str, Any]) -> Any:
    text = written(reply)
    cut = isinstance(reply, Text) and reply.cut
    if isinstance(reply, Declined):
        part: dict[str, Any] = {"type": "refusal", "refusal": text}
    else:
        part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_790_000_000,
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "instructions": request.get("instructions"),
        "max_output_tokens": request.get("max_output_tokens"),
        "model": request["model"],
        "output": [
            {
                "type": "message",
                "id": "msg_1",
                "status": "incomplete" if cut else "completed",
                "role": "assistant",
                "content": [part],
            }
        ],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "top_p": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
        "usage": {
            "input_tokens": len(str(request.get("input", ""))) // 4,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": len(text) // 4,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": len(str(request.get("input", ""))) // 4 + len(text) // 4,
        },
    }


def completion_body(reply: Text | Answer | Verdicts | Declined, request: dict[str, Any]) -> Any:
    text = written(reply)
    declined = isinstance(reply, Declined)
    cut = isinstance(reply, Text) and reply.cut
    read = len(str(request["messages"])) // 4
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": request["model"],
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None if declined else text,
                    "refusal": text if declined else None,
                },
                "logprobs": None,
                "finish_reason": "length" if cut else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": len(text) // 4,
            "total_tokens": read + len(text) // 4,
        },
    }


def moderation_body(reply: Flagged, request: dict[str, Any]) -> Any:
    texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
    result = {
        "flagged": bool(reply.categories),
        "categories": {name: name in reply.categories for name in CATEGORIES},
        "category_scores": {name: 0.9 * (name in reply.categories) for name in CATEGORIES},
        "category_applied_input_types": {name: ["text"] for name in CATEGORIES},
    }
    model = request.get("model", "omni-moderation-latest")
    return {"id": "modr-1", "model": model, "results": [result] * len(texts)}
