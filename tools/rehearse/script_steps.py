"""What a pipeline does after the deployment: golden questions, and a book's push."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quoth.cost.spent import set_ceilings
from quoth.doctor.findings import MARKS
from tools.rehearse.book_steps import Stage
from tools.rehearse.deploy import STACK, STAGE
from tools.rehearse.log import Log, require
from tools.rehearse.scripts import run_script, way_to_gateways

NEW_PAGE = "docs/99-rehearsal.md"
NEW_TEXT = "# Rehearsal\n\nThe yellow crane in hall seven lifts four tonnes of scrap at a time.\n"
NEW_GOLDEN = """- question: What does the yellow crane in hall seven lift?
  section: 99-rehearsal.md#rehearsal
"""
VERDICTS = (0, 1)


def run_scripts(log: Log, stage: Stage, project: Path, folder: Path) -> None:
    """Look the stage over and ask the golden questions as a deployment does, then push the book
    with one page more. `folder` is where the stage's samconfig.toml is."""
    with (
        log.step("The pipelines' scripts: examine.sh, smoke.sh, publish.sh") as seen,
        way_to_gateways(stage.cloud.certificate) as way,
    ):
        account = {**stage.cloud.environment, **way}
        origin = stage.reader.origin
        examined = run_script(project, "examine.sh", [STAGE, str(folder)], account)
        seen.append(f"examine.sh {STAGE}: {_verdicts(examined)}")
        # The test server's model is no writer; at its ceiling the book is quoted, as ever. Quotes
        # alone are not within the bounds everywhere: smoke.sh has to give a verdict, either one.
        set_ceilings(stage.owner_dsn, {"daily": 0})
        smoked = _told(run_script(project, "smoke.sh", [STAGE, origin], account, VERDICTS))
        seen.append(f"smoke.sh {STAGE} {origin}: {smoked}")
        (stage.book / NEW_PAGE).write_text(NEW_TEXT, "utf-8")
        (stage.book / "golden.yaml").write_text(NEW_GOLDEN, "utf-8")
        published = run_script(project, "publish.sh", [str(stage.book), STACK, origin], account)
        set_ceilings(stage.owner_dsn, {"daily": None})
        require(f"put      {NEW_PAGE}\n1 put, 0 deleted" in published, published)
        seen.append(f"publish.sh BOOK {STACK} {origin}: 1 put, 0 deleted; {_told(published)}")


def _verdicts(printed: str) -> str:
    """How many of the doctor's checks were right, and each that was not quite."""
    lines = printed.splitlines()
    right = sum(line.startswith(MARKS["ok"]) for line in lines)
    others = [line.split()[1] for line in lines if line.startswith(MARKS["warning"])]
    require(right, printed)
    return f"{right} checks right; to think about: {', '.join(others) or 'none'}"


def _told(printed: str) -> str:
    """The figures of the golden questions, out of what a script printed last."""
    figures: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    short = figures.pop("short")
    said = ", ".join(f"{name} {value}" for name, value in figures.items())
    return f"{said}; falls short: {', '.join(short)}" if short else f"{said}; holds"
