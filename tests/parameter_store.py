"""SSM as far as the functions ask it: `GetParameters`, with failures on demand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from functions.adapters.aws import secrets
from quoth.local_server import served


@dataclass
class ParameterStore:
    """`values` by name; `asked` are the names of each call; `failures` are answered first."""

    values: dict[str, str] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)
    failures: list[tuple[int, str]] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        assert request.headers["x-amz-target"] == "AmazonSSM.GetParameters"
        assert "/ssm/aws4_request" in request.headers["authorization"]
        names = json.loads(await request.body())["Names"]
        self.asked.append(names)
        if self.failures:
            status, kind = self.failures.pop(0)
            return JSONResponse({"__type": kind}, status, {"x-amzn-errortype": kind})
        found = [{"Name": n, "Value": self.values[n]} for n in names if n in self.values]
        missing = [name for name in names if name not in self.values]
        return JSONResponse({"Parameters": found, "InvalidParameters": missing})


@contextmanager
def running_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ParameterStore]:
    """A store in the place of AWS's; nothing is known of earlier ones."""
    store = ParameterStore()
    monkeypatch.setattr(secrets, "_known", {})
    monkeypatch.setattr(secrets, "FIRST_WAIT_SECONDS", 0.001)
    with served(Starlette(routes=[Route("/", store.answer, methods=["POST"])])) as url:
        for name, value in {
            "AWS_ENDPOINT_URL": url,
            "AWS_REGION": "eu-central-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_SESSION_TOKEN": "token",
        }.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("AWS_CA_BUNDLE", raising=False)
        yield store
