"""What Ollama, vLLM and llama.cpp send beside what OpenAI does, and what they leave out.

From their sources and documentation; none of them ran here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

Program = Literal["ollama", "vllm", "llama.cpp"]
THOUGHTS = 'The sentences say it: {"status": "none"}.'

_MISSING = {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}

NO_SUCH_PATH: Mapping[Program, tuple[str, str]] = {
    "ollama": ("404 page not found", "text/plain"),
    "vllm": (json.dumps({"detail": "Not Found"}), "application/json"),
    "llama.cpp": (json.dumps(_MISSING), "application/json"),
}
"""The body and the media type of a 404, as an older one answers to a path that it does not have."""

_KEPT = {"id", "object", "created_at", "status", "model", "output", "usage"}
"""What llama.cpp sends of a response."""


def form_of(program: Program, body: dict[str, Any]) -> dict[str, Any]:
    """A body of OpenAI's as a program sends it, its model's thoughts before the answer."""
    return _response(program, body) if "output" in body else _completion(program, body)


def _response(program: Program, body: dict[str, Any]) -> dict[str, Any]:
    thoughts: dict[str, Any] = {"id": "rs_1", "type": "reasoning", "summary": []}
    if program == "ollama":
        thoughts["summary"] = [{"type": "summary_text", "text": THOUGHTS}]
        thoughts["encrypted_content"] = THOUGHTS
    else:
        thoughts |= {"content": [{"type": "reasoning_text", "text": THOUGHTS}], "status": None}
    body = body | {"output": [thoughts, *body["output"]]}
    if program == "vllm":
        return body | {"input_messages": None, "output_messages": None, "kv_transfer_params": None}
    if program == "llama.cpp":
        counted = ("input_tokens", "output_tokens", "total_tokens")
        usage = {name: body["usage"][name] for name in counted}
        kept = {name: value for name, value in body.items() if name in _KEPT}
        return kept | {"usage": usage, "completed_at": body["created_at"]}
    return body


def _completion(program: Program, body: dict[str, Any]) -> dict[str, Any]:
    choice = body["choices"][0]
    message = {name: value for name, value in choice["message"].items() if name != "refusal"}
    message["reasoning" if program == "ollama" else "reasoning_content"] = THOUGHTS
    extra = {
        "ollama": {"system_fingerprint": "fp_ollama"},
        "vllm": {"prompt_logprobs": None, "kv_transfer_params": None, "service_tier": None},
        "llama.cpp": {"system_fingerprint": "b7000", "timings": {"prompt_n": 9}},
    }
    return body | extra[program] | {"choices": [choice | {"message": message}]}
