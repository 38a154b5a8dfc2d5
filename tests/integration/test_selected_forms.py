"""Code, tables and mathematics in a selection are read and cited as such, by line and row."""

from __future__ import annotations

import pytest

from tests.integration.events import Function
from tests.integration.selections import ask

URDF = """<joint name="elbow" type="revolute">
  <parent link="upper_arm"/>
  <child link="forearm"/>
  <origin xyz="0.30 0 0" rpy="0 0 0"/>
  <axis xyz="0 0 1"/>
  <limit lower="-1.57" upper="1.57"
         effort="40.0" velocity="3.14"/>
</joint>"""
PYTHON = """import time

MAX_SPEED = 1.5  # metres per second

class Watchdog:
    \"\"\"Stops the motors when no command came for a while.\"\"\"

    def __init__(self, timeout_s: float = 0.2) -> None:
        self.timeout_s = timeout_s
        self.last = time.monotonic()

    def feed(self) -> None:
        self.last = time.monotonic()

    def expired(self) -> bool:
        return time.monotonic() - self.last > self.timeout_s
"""
ROWS = """Lidar\t30 m\t10 Hz\t4,000 dollars
Stereo camera\t8 m\t60 Hz\t400 dollars
Radar\t120 m\t20 Hz\t900 dollars
Ultrasonic sensor\t4 m\t15 Hz\t12 dollars"""
HEADED = "Sensor\tRange\tRate\tPrice\n" + ROWS
MARKDOWN = "| Sensor | Range | Rate | Price |\n|---|---|---|---|\n" + "\n".join(
    f"| {row} |".replace("\t", " | ") for row in ROWS.split("\n")
)
MATH = """The point follows from the height and the acceleration of the centre of mass in this way:

$$
x_{zmp} = x_{com} - \\frac{z_{com}}{g} \\ddot{x}_{com}
$$

Here g is the acceleration of gravity, 9.81 metres per second squared."""


def test_quotes_axis_and_limits_of_selected_code_by_line(selected: Function) -> None:
    answer = ask(selected, "How does this joint rotate?", URDF).answer
    assert answer["status"] == "answered"
    quoted = "\n".join(q["exact"] for c in answer["citations"] for q in c["quotes"])
    assert '<axis xyz="0 0 1"/>' in quoted
    assert '<limit lower="-1.57" upper="1.57"' in quoted
    for citation in answer["citations"]:
        first, last = citation["lines"]
        lines = str(first) if first == last else f"{first}-{last}"
        assert citation["label"] == f"from your selection: line {lines}"
        assert URDF.splitlines()[first - 1].strip() in citation["quote"]["exact"]


@pytest.mark.parametrize(
    ("text", "question", "label", "quoted"),
    [
        (PYTHON, "What does feed do?", "line 12-13", "def feed(self) -> None:"),
        (f"```python\n{PYTHON}```", "What does feed do?", "line 13-14", "def feed(self) -> None:"),
        (ROWS, "What is the range of the radar?", "line 3", "Radar 120 m 20 Hz 900 dollars"),
        (HEADED, "What is the range of the radar?", "line 4", "Radar 120 m 20 Hz 900 dollars"),
        (MARKDOWN, "How much is the radar?", "line 5", "| Radar | 120 m | 20 Hz | 900 dollars |"),
        (MATH, "What is the formula for x_zmp?", "sentence 2", "\\frac{z_{com}}{g}"),
    ],
    ids=["code", "fenced code", "rows", "a table", "a table in Markdown", "mathematics"],
)
def test_cites_code_rows_and_formulas_where_they_stand(
    selected: Function, text: str, question: str, label: str, quoted: str
) -> None:
    answer = ask(selected, question, text).answer
    assert answer["status"] == "answered"
    told = {c["label"]: c["quote"]["exact"] for c in answer["citations"]}
    assert quoted in told[f"from your selection: {label}"]
    if "Sensor" in text:
        assert {"Price", "900 dollars"} <= set(answer["response"].replace("\n", " | ").split(" | "))
