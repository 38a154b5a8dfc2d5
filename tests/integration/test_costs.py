"""What answers cost: counted call by call, held under the ceilings, shown by `quoth cost`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

import functions.query.app
from quoth.commands.cost import cost
from tests.integration.conftest import Open
from tests.integration.events import Function
from tests.integration.sample_stage import Stage
from tests.integration.writers import MODEL, USE, USE_WHOLE, ask, writes
from tests.openai_server.replies import Text
from tests.openai_server.service import OpenAIServer

SMALLER = "gpt-5.4-nano"
LUNA = (0.10, 0.50)


@pytest.fixture
def ceilings(stage: Stage) -> Iterator[None]:
    """Whatever a test does to the ceilings is undone."""
    yield
    stage.database.run(
        "UPDATE limit_settings SET (daily_ceiling_usd, monthly_ceiling_usd) = (NULL, NULL)"
    )


def stored(stage: Stage, query_id: str) -> tuple[int, int, float]:
    rows = stage.database.run(
        "SELECT input_tokens, output_tokens, cost_usd::float8 FROM responses WHERE query_id = %s",
        (query_id,),
    )
    read, written, dollars = rows[0]
    assert isinstance(read, int)
    assert isinstance(written, int)
    assert isinstance(dollars, float)
    return read, written, dollars


def test_every_call_of_a_query_is_counted_also_one_that_brought_nothing(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    openai_server.script(Text("no JSON"))
    openai_server.answer_with(writes((USE_WHOLE, USE)))
    answer = ask(writing_query)
    calls = [each for each in openai_server.requests if each.path == "/v1/responses"]
    assert len(calls) == 2
    read, written, dollars = stored(stage, answer["query_id"])
    single_read, single_written, single_dollars = ask_once(writing_query, openai_server, stage)
    assert read > 1.8 * single_read
    assert dollars > 1.7 * single_dollars
    # The question's embedding is counted too, and costs nothing here.
    embedded = read - (dollars * 1e6 - written * LUNA[1]) / LUNA[0]
    assert embedded == pytest.approx(
        single_read - (single_dollars * 1e6 - single_written * LUNA[1]) / LUNA[0], abs=1
    )


def ask_once(
    function: Function, openai_server: OpenAIServer, stage: Stage
) -> tuple[int, int, float]:
    openai_server.answer_with(writes((USE_WHOLE, USE)))
    return stored(stage, ask(function)["query_id"])


def test_quotes_cost_nothing(query: Function, stage: Stage) -> None:
    assert stored(stage, ask(query)["query_id"])[1:] == (0, 0.0)


@pytest.mark.usefixtures("ceilings")
def test_the_smaller_model_writes_near_a_ceiling_and_nobody_above_it(
    writing: Open, openai_server: OpenAIServer, stage: Stage
) -> None:
    function = writing(functions.query.app, "query", smaller_model=SMALLER)
    openai_server.answer_with(writes((USE_WHOLE, USE)))
    ask(function)
    asked: list[str] = []
    for share in (0.1, 0.9, 1.1):
        stage.database.run(
            "UPDATE limit_settings SET monthly_ceiling_usd ="
            " (SELECT sum(cost_usd) / %s FROM spend_days"
            " WHERE day >= date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC'))",
            (share,),
        )
        openai_server.requests.clear()
        answer = ask(function)
        asked.append(openai_server.requests[0].body["model"] if openai_server.requests else "")
    assert asked == [MODEL, SMALLER, ""]
    assert "budget_spent" in [notice["code"] for notice in answer["notices"]]


@pytest.mark.usefixtures("ceilings")
def test_the_command_shows_a_month_and_sets_ceilings(
    writing_query: Function, openai_server: OpenAIServer, stage: Stage
) -> None:
    ask_once(writing_query, openai_server, stage)
    month = run_cost(stage, "--daily-ceiling", "2.5", "--monthly-ceiling", "none")
    rows = stage.database.run(
        "SELECT sum(cost_usd)::float8, count(*) FROM responses WHERE created_at >= %s",
        (datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0),),
    )
    assert month["dollars"] == pytest.approx(rows[0][0])
    assert sum(model["queries"] for model in month["models"]) == rows[0][1]
    assert month["daily_ceiling"] == 2.5
    assert month["monthly_ceiling"] is None
    assert run_cost(stage, "--month", "2001-02")["days"] == []
    for wrong in ("2001-13", "november", ""):
        refused = CliRunner().invoke(cost, ["--month", wrong])
        assert (refused.exit_code, "%" in refused.output) == (2, False)
        assert f"{wrong!r} is not a month; write it as 2026-11" in refused.output


def run_cost(stage: Stage, *options: str) -> dict[str, object]:
    result = CliRunner().invoke(
        cost, ["--database-url", stage.database.dsn(), "--json", *options], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    month: dict[str, object] = json.loads(result.output)
    return month
