"""The table of a build, for the terminal and for the docs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.build.artifacts import FUNCTIONS
from tools.build.contents import MOST_MEGABYTES, Contents
from tools.build.first_requests import FirstAnswer
from tools.build.imports import MOST_MULTIPLES, ImportTime

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
                *_table(head, rows),
                "",
                _EXPLANATION.format(
                    shipped=report.shipped,
                    measured=report.measured,
                    modules=report.contents.bytecodes,
                ),
                "",
                *_table(["largest parts", "MB"], parts),
                "",
                *(f"**Over budget:** {sentence}." for sentence in report.broken),
            ]
        ).rstrip("\n")
        + "\n"
    )


def _multiple(name: str, taken: ImportTime) -> str:
    most = MOST_MULTIPLES.get(name)
    return f"{taken.multiple:.2f}" + (f" of {most}" if most else "")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |"
        for row in (head, *rows)
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return lines
