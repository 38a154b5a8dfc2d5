"""Error responses: `{"code", "message", "request_id"}`, without internal details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.types import Scope, Send

from functions.adapters.aws.secrets import SecretUnavailable
from functions.answer.refusals import UNAVAILABLE
from functions.lifecycle.not_served import NotServed, Reason
from functions.runtime.logs import logger
from functions.runtime.plural import plural
from functions.runtime.trace import current_trace
from functions.web.sentences import (
    FULL,
    INVALID_TICKET,
    NETWORK_TOO_MANY,
    NETWORK_TOO_MANY_READERS,
    QUEUE_UNAVAILABLE,
    SELECTION_TOO_LONG,
    SELECTION_TOO_SHORT,
    TICKET_EXPIRED,
    TOO_MANY,
    UNKNOWN_PASSAGE,
)

SECRET_RETRY_SECONDS = 5
"""The next request reads a secret again that could not be read."""


class ErrorBody(BaseModel):
    """The body of every error response. `fields` names the invalid fields of the request."""

    code: str
    message: str
    request_id: str
    fields: list[str] = []


@dataclass
class ApiError(Exception):
    """An error for the reader. `message` is a full sentence."""

    status: int
    code: str
    message: str
    headers: dict[str, str] = field(default_factory=dict)


NOT_SERVED: dict[Reason, tuple[int, str, str]] = {
    "too_many_questions": (429, "too_many_questions", TOO_MANY),
    "network_too_many_questions": (429, "network_too_many_questions", NETWORK_TOO_MANY),
    "network_too_many_readers": (429, "network_too_many_readers", NETWORK_TOO_MANY_READERS),
    "full": (503, "full", FULL),
    "ticket_expired": (404, "ticket_expired", TICKET_EXPIRED),
    "invalid_ticket": (422, "invalid_request", INVALID_TICKET),
    "unknown_passage": (422, "unknown_passage", UNKNOWN_PASSAGE),
    "selection_too_short": (422, "selection_too_short", SELECTION_TOO_SHORT),
    "selection_too_long": (422, "selection_too_long", SELECTION_TOO_LONG),
    "index_unusable": (503, "index_unusable", UNAVAILABLE),
    "queue_unavailable": (503, "queue_unavailable", QUEUE_UNAVAILABLE),
    "unavailable": (503, "unavailable", UNAVAILABLE),
}
"""Status, code and sentence by reason."""


def api_error(error: NotServed) -> ApiError:
    """The API error for a request that cannot be served."""
    status, code, sentence = NOT_SERVED[error.reason]
    seconds = error.retry_after_s
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    return ApiError(
        status, code, sentence.format(wait=plural(seconds or 0, "second"), **error.values), headers
    )


_STATUS_CODES = {
    400: ("invalid_json", "The body is not valid JSON."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method."),
}


def install_errors(app: FastAPI) -> None:
    """Register handlers that answer expected failures with an `ErrorBody`."""

    @app.exception_handler(ApiError)
    async def _known(request: Request, error: ApiError) -> JSONResponse:
        trace = current_trace()
        if error.__cause__ is not None and error.status >= 500 and not (trace and trace.failures):
            logger().error("request not served", code=error.code, exc_info=error.__cause__)
        return _response(request, error.status, error.code, error.message, error.headers)

    @app.exception_handler(NotServed)
    async def _not_served(request: Request, error: NotServed) -> JSONResponse:
        known = api_error(error)
        known.__cause__ = error.__cause__
        return await _known(request, known)

    @app.exception_handler(SecretUnavailable)
    async def _no_secret(request: Request, error: SecretUnavailable) -> JSONResponse:
        known = api_error(NotServed("unavailable", SECRET_RETRY_SECONDS))
        known.__cause__ = error
        return await _known(request, known)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        problems = error.errors()
        if any(problem["type"] == "json_invalid" for problem in problems):
            return _response(request, 422, "invalid_json", "The body is not valid JSON.")
        fields = [".".join(str(part) for part in p["loc"][1:]) or "body" for p in problems]
        message = "; ".join(
            f"{name}: {problem['msg'].removeprefix('Value error, ')}"
            for name, problem in zip(fields, problems, strict=True)
        )
        return _response(request, 422, "invalid_request", message, fields=fields)

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        code, message = _STATUS_CODES.get(error.status_code, ("error", str(error.detail)))
        return _response(request, error.status_code, code, message, dict(error.headers or {}))


def answer_failure(error: Exception, request_id: str) -> JSONResponse:
    """Log an unexpected error, masked, and return the 500 response."""
    logger().error("request failed", error=type(error).__name__, exc_info=error)
    body = ErrorBody(
        code="internal", message="Something went wrong on our side.", request_id=request_id
    )
    return JSONResponse(body.model_dump(), status_code=500)


def request_id_of(request: Request) -> str:
    """The request id that `TracedRequest` set."""
    return str(getattr(request.state, "request_id", ""))


def _response(
    request: Request,
    status: int,
    code: str,
    message: str,
    headers: dict[str, str] | None = None,
    fields: list[str] | None = None,
) -> JSONResponse:
    body = ErrorBody(
        code=code, message=message, request_id=request_id_of(request), fields=fields or []
    )
    return JSONResponse(body.model_dump(), status_code=status, headers=headers)


async def refuse(
    scope: Scope,
    send: Send,
    status: int,
    code: str,
    message: str,
    headers: Sequence[tuple[bytes, bytes]] = (),
) -> None:
    """Answer a request with an error, before any route has it."""
    request_id = str(scope.get("state", {}).get("request_id", ""))
    body = ErrorBody(code=code, message=message, request_id=request_id).model_dump_json()
    all_headers = [(b"content-type", b"application/json"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body.encode()})
