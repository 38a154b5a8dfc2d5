"""What watching a stage costs: by the lines that functions write, and the template as deployed."""

from __future__ import annotations

import io
import json
import re
import uuid
from typing import Any

import functions.query.app
import functions.selected.app
from functions.runtime import metrics
from functions.runtime.trace import Trace, traced
from quoth.cost.plan import Usage, cloud_prices
from tests.analytics_app import analytics_client
from tests.build.deployment import PROJECT, template
from tests.integration.conftest import Open
from tests.integration.ingest_book import FIRST, Book
from tests.integration.sample_stage import Stage
from tests.integration.test_observed import emf  # noqa: F401
from tests.integration.writers import PARAPHRASE, QUESTION, USE, ask, ask_selected, writes
from tests.openai_server.replies import Declined, Failure
from tests.openai_server.service import OpenAIServer
from tools.build.expanded import expand, resolve, stages

pytest_plugins = ("tests.integration.ingest_fixtures",)

MONTHLY_USD = 5.0
RATING = {"response_id": str(uuid.uuid4()), "session_id": "s", "rating": "helpful"}
WITHOUT_A_PART = {"step.read.duration"}
"""Of a stage with a reader."""


async def run_all_functions(
    writing: Open, stage: Stage, openai_server: OpenAIServer, book: Book
) -> None:
    """Every route, with answers, refusals, errors and models that fail."""
    query = writing(functions.query.app, "query")
    selected = writing(functions.selected.app, "selected")
    scripts: list[Any] = [
        writes((PARAPHRASE, USE), verdicts=[True]), lambda _: Declined(), lambda _: Failure(500),
    ]  # fmt: skip
    for script in scripts:
        openai_server.answer_with(script)
        for question in (QUESTION, "Who won the world cup?", "What is the book about?"):
            ask(query, question)
        ask_selected(selected, "When was the lighthouse of Pellworm lit?")
    for path in ("/search?q=balance", "/suggestions", "/tickets/none", "/nowhere", "/health"):
        query.get(path)
    query.post("/query", {"question": ""})
    query.post("/session", {"session_id": "s"})
    async with analytics_client(stage.settings("analytics")) as client:
        await client.post("/feedback", json=RATING)
        await client.get("/analytics/summary")
    book.put(FIRST)
    with traced(Trace("ingest", "i")):
        await book.look()
    metrics.count_drift(0.1)  # by a daily task, where there are enough ratings


def directives(line: dict[str, Any]) -> list[tuple[str, frozenset[tuple[str, str]]]]:
    """The metrics that CloudWatch makes of a line, each with its dimensions: it bills each pair."""
    return [
        (metric["Name"], frozenset((name, str(line[name])) for name in dimensions))
        for directive in line["_aws"]["CloudWatchMetrics"]
        for dimensions in directive["Dimensions"]
        for metric in directive["Metrics"]
    ]


def deployed() -> list[dict[str, Any]]:
    """The resources of prod, with those of the template that it nests."""
    parameters = stages(PROJECT)["prod"]
    (expanded,) = expand(PROJECT / "template.yaml", [parameters])
    nested = template("infra/monitoring.yaml")["Resources"]
    return [*resolve(expanded, parameters)["Resources"].values(), *nested.values()]


async def test_alarms_dashboard_and_metrics_cost_five_dollars_a_month_at_any_load(
    writing: Open,
    stage: Stage,
    openai_server: OpenAIServer,
    book: Book,
    emf: io.StringIO,  # noqa: F811
) -> None:
    await run_all_functions(writing, stage, openai_server, book)
    lines = [json.loads(line) for line in emf.getvalue().splitlines()]
    assert {line["function"] for line in lines} > {"query", "selected", "analytics", "ingest"}
    billed = {each for line in lines for each in directives(line)}
    assert {name for _, dimensions in billed for name, _ in dimensions} == {metrics.STAGE}

    resources = deployed()
    alarms = [each["Properties"] for each in resources if each["Type"] == "AWS::CloudWatch::Alarm"]
    assert all(each["Period"] >= 60 and "Metrics" not in each for each in alarms), "a price apart"
    boards = [each for each in resources if each["Type"] == "AWS::CloudWatch::Dashboard"]
    price = {name: float(each["dollars"]) for name, each in cloud_prices()["prices"].items()}
    free_boards = cloud_prices()["free"]["dashboards"]["amount"]
    month = (
        len(alarms) * price["alarm"]
        + len(billed) * price["custom_metric"]
        + max(0, len(boards) * len(stages(PROJECT)) - free_boards) * price["dashboard"]
    )
    assert month <= MONTHLY_USD, f"{len(alarms)} alarms, {len(billed)} metrics: ${month:.2f}"
    usage = Usage()
    assert (usage.alarms, usage.custom_metrics) == (len(alarms), len(billed))

    names = {name for name, _ in billed}
    read = {each["MetricName"] for each in alarms if each["Namespace"] == metrics.NAMESPACE}
    for board in boards:
        for widget in json.loads(board["Properties"]["DashboardBody"]["Fn::Sub"])["widgets"]:
            shown = widget["properties"]["metrics"]
            read |= {each[1] for each in shown if each[0] == metrics.NAMESPACE}
            for each in shown:
                assert each[0] != metrics.NAMESPACE or each[2:4] == ["stage", "${Stage}"]
    assert read == names, "what nothing reads is paid for in vain"

    fields = {name for line in lines for name in line}
    asked = [each["Properties"] for each in resources if "QueryDefinition" in each["Type"]]
    assert len(asked) >= 5
    for each in asked:
        named = set(re.findall(r"`([^`]+)`", each["QueryString"]))
        assert named - WITHOUT_A_PART <= fields, each["Name"]
    queries = " ".join(each["QueryString"] for each in asked)
    about = fields - {"_aws", metrics.STAGE, "request_id", metrics.REFUSED, metrics.CALL_FAILED}
    about.discard(metrics.DRIFT)
    assert {name for name in about if name not in queries} == set(), "what no query shows"
