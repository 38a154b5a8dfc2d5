"""Metric lines name their stage and do not hang on the log level."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

COUNT = """
from functions.runtime.logs import logger
from functions.runtime.metrics import count_query
logger().info("of no interest")
count_query("book-wide", "answered", 12.5, 0.25, {"write": 7.5})
"""


@pytest.mark.parametrize("level", ["INFO", "WARN", "ERROR"])
def test_every_log_level_lets_the_metrics_of_a_stage_through(level: str) -> None:
    own = {"QUOTH_STAGE": "staging", "QUOTH_LOG_LEVEL": level, "AWS_LAMBDA_LOG_LEVEL": "INFO"}
    done = subprocess.run(
        [sys.executable, "-c", COUNT], capture_output=True, text=True, check=True,
        env=os.environ | own,
    )  # fmt: skip
    *logged, line = done.stdout.splitlines()
    assert len(logged) == (level == "INFO")
    document = json.loads(line)
    (directive,) = document["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("Quoth", [["stage"]])
    assert document["stage"] == "staging"
    assert {each["Name"]: document[each["Name"]] for each in directive["Metrics"]} == {
        "query.cost": 0.25, "query.duration": 12.5, "query.refused": 0.0,
    }  # fmt: skip
    assert (document["mode"], document["step.write.duration"]) == ("book-wide", 7.5)
    assert "level" not in document, "Lambda counts the line as INFO, which its filter passes"
