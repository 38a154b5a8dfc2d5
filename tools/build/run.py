"""The build: requirements, packages, budgets, times, a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tools.build.artifacts import Artifacts, build_artifacts, machine_architecture, run_sam
from tools.build.contents import check_contents, measure_contents
from tools.build.first_requests import measure_first_requests
from tools.build.imports import check_imports, measure_imports
from tools.build.interpreters import find_uv, make_runtime
from tools.build.report import BuildReport, report_markdown
from tools.build.requirements import write_requirements

SHIPPED = "arm64"
CACHE = Path(".aws-sam")
"""In the project, and ignored by git. `build` in it is what `sam deploy` takes."""

Say = Callable[[str], None]


def shipped_folder(project: Path) -> Path:
    """Where the package for the cloud is built."""
    return project / CACHE / "build"


def measured_folder(project: Path) -> Path:
    """Where the build lies that runs on this machine; the shipped one, if that runs here."""
    here = machine_architecture()
    return shipped_folder(project) if here == SHIPPED else project / CACHE / f"build-{here}"


def build(
    project: Path, report: Path | None = None, *, uv: Path | None = None, say: Say = print
) -> BuildReport:
    """Build for the cloud, check the budgets, and write the table to `report`.

    Raises BuildFailed when there is nothing to measure. A broken budget does not raise: see
    `BuildReport.broken`.
    """
    uv = uv or find_uv(project)
    cache = project / CACHE
    say(f"requirements: {write_requirements(project, uv).relative_to(project)}")
    python = make_runtime(project, uv, cache)
    say("template: sam validate --lint")
    run_sam(["validate", "--lint", f"--template-file={project / 'template.yaml'}"], uv, python)
    say(f"package: sam build for {SHIPPED}")
    shipped = build_artifacts(project, uv, python, SHIPPED, shipped_folder(project))
    measured = shipped
    here = machine_architecture()
    if here != SHIPPED:
        say(f"package: sam build for {here}, to run it here")
        measured = build_artifacts(project, uv, python, here, measured_folder(project))
    made = _measure(shipped, measured, python, cache / "first-requests.log", say)
    text = report_markdown(made)
    say(text)
    if report is not None:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(text, encoding="utf-8")
    return made


def _measure(
    shipped: Artifacts, measured: Artifacts, python: Path, log: Path, say: Say
) -> BuildReport:
    package = shipped.of("query")
    contents = measure_contents(package)
    say("imports: fresh processes, in turns")
    imports = measure_imports(measured, python)
    say("first requests: under awslambdaric")
    log.unlink(missing_ok=True)
    return BuildReport(
        shipped=shipped.architecture,
        measured=measured.architecture,
        contents=contents,
        imports=imports,
        first=measure_first_requests(measured, python, log),
        broken=(*check_contents(package, contents), *check_imports(imports)),
    )
