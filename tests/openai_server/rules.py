"""What the API refuses although its OpenAPI file allows it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tests.openai_server import spec

LOCAL_MODEL = "all-MiniLM-L6-v2"
REASONING_MODEL = re.compile(r"^(o\d|gpt-[5-9])")
STRICT_REFUSES = {"allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"}


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    message: str
    param: str | None = None
    code: str | None = None
    type: str = "invalid_request_error"


def check_request(path: str, body: Any, local_embeddings: bool) -> Refusal | None:
    """The API's refusal of this request, or None."""
    if not isinstance(body, dict):
        return Refusal(400, "The body must be a JSON object.")
    error = spec.find_request_error(path, body)
    if error is not None:
        where = ".".join(str(step) for step in error.absolute_path) or None
        unknown = error.validator in ("unevaluatedProperties", "additionalProperties")
        code = "unknown_parameter" if unknown else "invalid_value"
        return Refusal(400, error.message[:300], where, code)
    if path == "/v1/embeddings":
        return _check_embeddings(body, local_embeddings)
    if path == "/v1/moderations":
        return None
    return _check_writing(path, body)


def _check_embeddings(body: dict[str, Any], local: bool) -> Refusal | None:
    model, asked = body["model"], body.get("dimensions")
    largest = 384 if local and model == LOCAL_MODEL else spec.EMBEDDING_SIZES.get(model)
    if largest is None:
        return Refusal(404, f"There is no model {model!r}.", "model", "model_not_found")
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    if "" in texts:
        return Refusal(400, "An input may not be an empty string.", "input")
    if asked is not None and not model.startswith("text-embedding-3") and asked != largest:
        return Refusal(400, "This model has fixed dimensions.", "dimensions")
    if asked is not None and asked > largest:
        return Refusal(400, f"This model has at most {largest} dimensions.", "dimensions")
    return None


def _check_writing(path: str, body: dict[str, Any]) -> Refusal | None:
    model = body.get("model")
    if model is None:
        return Refusal(400, "A model is required.", "model", "missing_required_parameter")
    if model not in spec.writing_models():
        return Refusal(404, f"There is no model {model!r}.", "model", "model_not_found")
    reasons = REASONING_MODEL.match(model) is not None
    if path == "/v1/responses":
        if "input" not in body:
            return Refusal(400, "Input is required.", "input", "missing_required_parameter")
        effort = "reasoning" if body.get("reasoning") else None
        form, at = body.get("text", {}).get("format", {}), "text.format"
    else:
        effort = "reasoning_effort" if body.get("reasoning_effort") else None
        form, at = body.get("response_format", {}).get("json_schema", {}), "response_format"
        if reasons and "max_tokens" in body:
            return Refusal(
                400,
                "This model wants max_completion_tokens instead.",
                "max_tokens",
                "unsupported_parameter",
            )
    if effort and not reasons:
        return Refusal(400, "This model has no effort.", effort, "unsupported_parameter")
    if form.get("name") is not None and not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", form["name"]):
        return Refusal(400, "The name of a schema has letters, digits, _ and -.", f"{at}.name")
    if form.get("strict"):
        problem = find_strict_problem(form.get("schema"))
        if problem:
            return Refusal(400, problem, f"{at}.schema", "invalid_json_schema")
    return None


def find_strict_problem(schema: Any, where: str = "()") -> str | None:
    """Why strict mode refuses a schema: open objects, optional properties, unknown keywords."""
    if isinstance(schema, list):
        return next(filter(None, (find_strict_problem(one, where) for one in schema)), None)
    if not isinstance(schema, dict):
        return f"{where} is not a schema."
    refused = STRICT_REFUSES & schema.keys()
    if refused:
        return f"{where}: {sorted(refused)[0]} is not permitted."
    if where == "()" and schema.get("type") != "object":
        return "The root must be an object."
    properties = schema.get("properties", {})
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return f"{where}: additionalProperties must be false."
        if set(schema.get("required", ())) != set(properties):
            return f"{where}: required must name every property."
    inner = [(f"{where}.{name}", one) for name, one in properties.items()]
    inner += [(f"{where}.{key}", schema[key]) for key in ("items", "anyOf") if key in schema]
    return next(filter(None, (find_strict_problem(one, at) for at, one in inner)), None)
