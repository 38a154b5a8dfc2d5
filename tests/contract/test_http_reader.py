"""The reader's adapter against the local model server, and the weights that it serves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from functions.adapters.reader import http_reader
from functions.adapters.reader.http_reader import HttpReader
from functions.answer.deadline import Deadline
from functions.answer.reader import Passage, ReaderFailed, Reading
from quoth.embeddings.app import create_app
from quoth.embeddings.minilm import MiniLM
from quoth.model_files import ModelFilesMissing
from quoth.reader.onnx_reader import WEIGHTS, OnnxReader
from tests.openai_server.running import serving

QUESTION = "How much does the robot weigh?"


def passage_of(*sentences: str) -> Passage:
    text, units = "", []
    for sentence in sentences:
        units.append((len(text), len(text) + len(sentence)))
        text += sentence + " "
    return Passage(text.rstrip(), tuple(units))


ANSWERS = passage_of("The robot stands in a hall.", "It weighs 60 kilograms.")
OTHER = passage_of("Monasteries kept gardens with herbs.", "They were sold at markets.")


@pytest.fixture(scope="module")
def model() -> Iterator[OnnxReader]:
    reader = OnnxReader(threads=1)
    yield reader
    reader.close()


@pytest.fixture(scope="module")
def encoder() -> Iterator[MiniLM]:
    loaded = MiniLM(threads=1)
    yield loaded
    loaded.close()


async def read(url: str, *passages: Passage, seconds: float = 60.0) -> list[Reading]:
    reader = HttpReader(url)
    try:
        return list(await reader.read(QUESTION, passages, Deadline.after(seconds)))
    finally:
        await reader.close()


async def test_reads_over_http_what_the_model_reads(
    model: OnnxReader, encoder: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_reader, "READER_SECONDS", 60.0)  # the machine may be busy
    with serving(create_app(encoder, model)) as url:
        assert await read(url, ANSWERS, OTHER) == model.read(QUESTION, [ANSWERS, OTHER])
        assert await read(url) == []


def test_finds_the_passage_and_the_sentence_that_answer(model: OnnxReader) -> None:
    answers, other = model.read(QUESTION, [ANSWERS, OTHER])
    assert answers.answerable > other.answerable
    assert answers.margin > other.margin
    assert answers.masses[1] > answers.masses[0]
    start, end = answers.span
    assert "60" in ANSWERS.text[start:end]
    assert all(0 <= sum(each.masses) <= 1.0001 for each in (answers, other))


def test_reads_a_passage_longer_than_it_can_see(model: OnnxReader) -> None:
    (reading,) = model.read(QUESTION, [passage_of("word " * 2000, "It weighs 60 kilograms.")])
    assert reading.masses[1] == 0.0


async def test_a_server_without_a_reader_fails(encoder: MiniLM) -> None:
    with serving(create_app(encoder)) as url, pytest.raises(ReaderFailed):
        await read(url, ANSWERS)


async def test_an_unreachable_or_late_reader_fails() -> None:
    with pytest.raises(ReaderFailed, match="reach"):
        await read("http://127.0.0.1:9/v1", ANSWERS)
    with pytest.raises(ReaderFailed, match="time"):
        await read("http://127.0.0.1:9/v1", ANSWERS, seconds=0.0)


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"answerable": 1.0, "margin": 1.0, "masses": [1.0], "span": [0, 1]}],
        [{"answerable": None, "margin": 1.0, "masses": [1.0, 0.0], "span": [0, 1]}],
    ],
)
async def test_readings_that_do_not_fit_the_passages_fail(data: list[dict[str, Any]]) -> None:
    async def answer(request: Request) -> JSONResponse:
        return JSONResponse({"data": data})

    app = Starlette(routes=[Route("/v1/readings", answer, methods=["POST"])])
    with serving(app) as url, pytest.raises(ReaderFailed):
        await read(url, ANSWERS)


def test_refuses_weights_that_are_damaged_or_missing(tmp_path: Path) -> None:
    damaged = tmp_path / "reader.onnx"
    with pytest.raises(ModelFilesMissing, match="reinstall"):
        OnnxReader(weights=damaged)
    damaged.write_bytes(WEIGHTS.read_bytes()[:-1])
    damaged.with_suffix(".sha256").write_text(WEIGHTS.with_suffix(".sha256").read_text())
    with pytest.raises(ModelFilesMissing, match="damaged"):
        OnnxReader(weights=damaged)
