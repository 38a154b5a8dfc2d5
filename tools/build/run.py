"""The build: requirements, packages, budgets, times, a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.build.artifacts import (
    FUNCTIONS,
    Artifacts,
    build_artifacts,
    machine_architecture,
    run_sam,
)
from tools.build.budgets import (
    MOST_MEGABYTES,
    MOST_MULTIPLES,
    Contents,
    ImportTime,
    check_contents,
    check_imports,
    measure_contents,
    measure_imports,
)
from tools.build.environments import find_uv, make_runtime, write_requirements
from tools.build.first_requests import FirstAnswer, measure_first_requests
from tools.tables import markdown_table

_EXPLANATION = (
    "Sizes are of the {shipped} package, one for all functions, bytecode included ({modules}"
    " modules). Times are of the {measured} build of the same requirements, on this machine, with"
    " no outside part in reach: `selected` answers in full, `query` says that it is unavailable,"
    " `ingest` gives its message back. An import multiple is the processor time of the import over"
    " that of `import fastapi, mangum` in the same run."
)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """Everything measured on a build. `broken` has one sentence for each rule that is broken."""

    shipped: str
    measured: str
    contents: Contents
    imports: dict[str, ImportTime]
    first: dict[str, FirstAnswer]
    broken: tuple[str, ...]


def report_markdown(report: BuildReport) -> str:
    """The report as Markdown: a table of the functions, and the parts of the package."""
    rows = [
        [
            name,
            f"{report.contents.unzipped_mb:.0f} of {MOST_MEGABYTES}",
            f"{report.contents.zipped_mb:.0f}",
            _multiple(name, report.imports[name]),
            f"{report.imports[name].milliseconds:.0f}",
            report.first[name].title,
            f"{report.first[name].cold_ms:.0f}",
            f"{report.first[name].warm_ms:.1f}",
        ]
        for name in FUNCTIONS
    ]
    head = [
        "function",
        "MB unzipped",
        "MB zipped",
        "import multiple",
        "import ms",
        "first request",
        "ms from process start to its answer",
        "ms when warm",
    ]
    parts = [[name, f"{size:.1f}"] for name, size in list(report.contents.packages.items())[:8]]
    return (
        "\n".join(
            [
                *markdown_table(head, rows),
                "",
                _EXPLANATION.format(
                    shipped=report.shipped,
                    measured=report.measured,
                    modules=report.contents.bytecodes,
                ),
                "",
                *markdown_table(["largest parts", "MB"], parts),
                "",
                *(f"**Over budget:** {sentence}." for sentence in report.broken),
            ]
        ).rstrip("\n")
        + "\n"
    )


def _multiple(name: str, taken: ImportTime) -> str:
    most = MOST_MULTIPLES.get(name)
    return f"{taken.multiple:.2f}" + (f" of {most}" if most else "")


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
    project: Path,
    report: Path | None = None,
    *,
    uv: Path | None = None,
    extras: Sequence[str] = (),
    say: Say = print,
) -> BuildReport:
    """Build for the cloud, check the budgets, and write the table to `report`.

    `extras` of pyproject.toml are put into the package; the committed requirements stay without.
    Raises BuildFailed when there is nothing to measure. A broken budget does not raise: see
    `BuildReport.broken`.
    """
    uv = uv or find_uv(project)
    cache = project / CACHE
    say(f"requirements: {write_requirements(project, uv, extras).relative_to(project)}")
    python = make_runtime(project, uv, cache)
    say("template: sam validate --lint")
    run_sam(["validate", "--lint", f"--template-file={project / 'template.yaml'}"], uv, python)
    say(f"package: sam build for {SHIPPED}")
    try:
        shipped = build_artifacts(project, uv, python, SHIPPED, shipped_folder(project))
        measured = shipped
        here = machine_architecture()
        if here != SHIPPED:
            say(f"package: sam build for {here}, to run it here")
            measured = build_artifacts(project, uv, python, here, measured_folder(project))
    finally:
        write_requirements(project, uv)
    log = cache / "first-requests.log"
    made = _measure(shipped, measured, python, log, say, has_extras=bool(extras))
    text = report_markdown(made)
    say(text)
    if report is not None:
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(text, encoding="utf-8")
    return made


def _measure(
    shipped: Artifacts, measured: Artifacts, python: Path, log: Path, say: Say, *, has_extras: bool
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
        broken=(*check_contents(package, contents, has_extras), *check_imports(imports)),
    )
