"""The report as CSV: one metric per row, unformatted numbers, no formulas. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from functions.analytics.format import advice, issue
from functions.analytics.metrics.confidence_intervals import Share
from functions.analytics.metrics.roi import Saved
from functions.analytics.report.content import Report

HEADER = ("part", "name", "figure", "value", "unit", "low", "high", "count", "of")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

Cell = str | int | float | date | datetime | None
Row = tuple[Cell, ...]


def write_csv(report: Report) -> str:
    """RFC 4180, decimal points, proportions from 0 to 1, dates as ISO 8601."""
    rows = (row + (None,) * (len(HEADER) - len(row)) for row in _rows(report))
    return write_cells(HEADER) + "".join(map(write_cells, rows))


def write_cells(cells: Sequence[Cell]) -> str:
    """One row with its line end."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([_cell(cell) for cell in cells])
    return out.getvalue()


def _cell(cell: Cell) -> Cell:
    """Text that a spreadsheet would run as a formula gets an apostrophe: readers wrote it."""
    if isinstance(cell, str):
        text = cell.replace("\x00", "")
        return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text
    if isinstance(cell, float):
        return round(cell, 6)
    if isinstance(cell, date | datetime):
        return cell.isoformat()
    return cell


def _rows(report: Report) -> Iterator[Row]:
    roi, summary = report.roi, report.summary
    period = roi.now.period
    yield ("period", "", "book", report.book)
    yield ("period", "", "first day", period.first, "day")
    yield ("period", "", "last day", period.last, "day")
    yield ("period", "", "time zone", period.time_zone)
    yield ("period", "", "made", roi.as_of)
    yield ("use", "", "questions", summary.queries, "queries")
    yield ("use", "", "sessions", summary.sessions, "sessions")
    yield ("use", "", "questions per session", summary.queries_per_session, "queries")
    yield ("use", "", "students a week", summary.readers_per_week, "readers")
    yield ("use", "", "average response time", summary.mean_ms, "ms")
    yield ("use", "", "p95 response time", summary.p95_ms, "ms")
    yield _share("use", "helpful", summary.helpful)
    yield _share("use", "refusals", summary.refusals)
    wrong = summary.false_refusals
    yield ("use", "", "wrong refusals", wrong.value, "queries", wrong.low, wrong.high)
    yield _share("use", "unsure answers", summary.low_confidence)
    yield _share("use", "high confidence", summary.high_confidence)
    yield _share("use", "quotes only", summary.limited)
    for proof in ("verbatim", "close", "paraphrase"):
        yield ("use", proof, "statements shown", getattr(summary, proof), "statements")
    yield _share("use", "statements confirmed by the judge alone", summary.judge_alone)
    yield _share("use", "answers with such a statement", summary.answers_judge_alone)
    yield _share("audit", "such statements found wrong", report.audits.judge_alone_wrong)
    yield _share("audit", "other statements found wrong", report.audits.others_wrong)
    for name, saved in (("this period", roi.now), ("period before", roi.before)):
        yield from _value(name, saved, roi.settings.currency)
    yield ("value", "", "minutes a question", roi.settings.minutes, "min",
           roi.settings.minutes_low, roi.settings.minutes_high)  # fmt: skip
    yield ("value", "", "hourly rate", roi.settings.hourly_rate, roi.settings.currency)
    yield ("value", "", "workload reduction by survey", roi.reduction, "share")
    for week in roi.weeks:
        yield ("engagement", week.monday, "questions per student", week.per_reader, "queries")
    for day in summary.days:
        yield ("day", day.day, "questions", day.queries, "queries")
    for use in report.topics.topics:
        yield ("topic", use.name, "in the book", "no" if use.is_missing else "yes")
        yield ("topic", use.name, "questions", use.queries, "queries")
        yield ("topic", use.name, "mean confidence", use.mean_confidence, "share")
        yield _share("topic", "helpful", use.helpful, use.name)
        yield _share("topic", "refused", use.refused, use.name)
        yield ("topic", use.name, "section", use.section.label if use.section else None)
        yield ("topic", use.name, "recommendation", advice(use))
    for each in report.lacking:
        yield ("topic", each.use.name, "draft issue", issue(each))


def _value(name: str, saved: Saved, currency: str) -> Iterator[Row]:
    yield ("value", name, "first day", saved.period.first, "day")
    yield ("value", name, "last day", saved.period.last, "day")
    yield ("value", name, "questions", saved.queries, "queries")
    yield ("value", name, "time saved, as specified", saved.specified_hours, "h")
    hours = saved.hours
    yield ("value", name, "time saved, defensible", hours.value, "h", hours.low, hours.high)
    yield ("value", name, "worth, as specified", saved.specified_money, currency)
    if money := saved.money:
        yield ("value", name, "worth, defensible", money.value, currency, money.low, money.high)
    yield ("value", name, "cost of the model", saved.cost_usd, "USD")
    yield _share("value", "helpful", saved.helpful, name)
    yield (
        "value",
        name,
        "questions per student and week",
        saved.queries_per_reader_week,
        "queries",
    )


def _share(part: str, figure: str, share: Share, name: str = "") -> Row:
    return (
        part, name, figure, share.value, "share", share.low, share.high, share.count, share.of
    )  # fmt: skip
