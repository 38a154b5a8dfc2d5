"""The report as PDF, two pages. Pure."""

from __future__ import annotations

from functions.analytics.format import (
    NOTHING,
    advice,
    change,
    count,
    day,
    decimal,
    estimate,
    hours,
    moment,
    money,
    ofwhat,
    percent,
    points,
    seconds,
    share,
    shortday,
    topic,
    usd,
)
from functions.analytics.metrics.definitions import DEFINITIONS
from functions.analytics.report.content import Report
from functions.analytics.report.pdf_layout import (
    BODY,
    INDENT,
    NOTE,
    ROOM,
    SMALL,
    SOFT,
    Paper,
    printable,
    shorten,
)
from functions.runtime.plural import plural


def write_pdf(report: Report) -> bytes:
    """The document as bytes."""
    roi = report.roi
    period, before = roi.now.period, roi.before.period
    made = f"Quoth report. Generated {moment(roi.as_of)}. Days of {period.time_zone}."
    paper = Paper(f"Quoth report, {day(period.first)} to {day(period.last)}", made)
    paper.heading(report.book or "What readers asked, and what it is worth", 18)
    compared = f", beside {day(before.first)} to {day(before.last)}"
    paper.text(
        f"Readers' questions, {day(period.first)} to {day(period.last)}{compared}", BODY, SOFT
    )
    tiles = _tiles(report)
    paper.tiles(tiles)
    paper.heading("Against the period before")
    paper.table(
        ("Metric", "This period", "Before", "Change"),
        _comparison(report),
        (0.43, 0.22, 0.22, 0.13),
    )
    if not roi.is_comparable:
        paper.text("The period before has too few questions to compare with.", SMALL, SOFT)
    if roi.weeks:
        paper.heading("Questions, week by week")
        paper.columns([(shortday(w.monday), float(w.queries), count(w.queries or None))
                       for w in roi.weeks])  # fmt: skip
        paper.heading("Engagement: questions per student, week by week")
        paper.columns([(shortday(w.monday), w.per_reader or 0.0, decimal(w.per_reader))
                       for w in roi.weeks])  # fmt: skip
    paper.heading("Top topics", room=17.0 * len(report.top))
    if report.top:
        paper.bars([(topic(use), use.queries, f"{count(use.queries)} ({share(use.share)})")
                    for use in report.top])  # fmt: skip
    else:
        paper.text("There are no topics in this period yet.")
    if report.lacking:
        paper.heading("What the book lacks")
    for use in (each.use for each in report.lacking):
        near = f"; nearest: {use.section.title}" if use.section else ""
        said = shorten(printable(f"{topic(use)}{near}"), BODY, ROOM - INDENT)
        paper.text(said, bullet=True)
    paper.heading("What to improve in the book")
    for use in report.advised:
        paper.text(f"{topic(use)}: {advice(use)}", bullet=True)
    if not report.advised:
        paper.text("No section stands out by refusals, unsure answers or complaints.")
    paper.heading("How reliable the metrics are")
    for line in _trust(report):
        paper.text(line, bullet=True)
    paper.heading("How the figures are computed")
    for name, _, _ in tiles:
        paper.text(f"{name}: {DEFINITIONS[name]}", NOTE, SOFT)
    return paper.finish()


def _tiles(report: Report) -> list[tuple[str, str, str]]:
    now, summary, currency = report.roi.now, report.summary, report.roi.settings.currency
    worth = [
        ("Questions per student and week", decimal(now.queries_per_reader_week),
         f"before: {decimal(report.roi.before.queries_per_reader_week)}"),
        ("Cost of the model", usd(now.cost_usd), "set an hourly rate to see what it was worth"),
    ] if now.money is None else [
        ("Worth, as specified", money(now.specified_money, currency), "time × hourly rate"),
        ("Worth, defensible",
         f"{money(now.money.low, currency)} to {money(now.money.high, currency)}",
         f"the model cost {usd(now.cost_usd)}"),
    ]  # fmt: skip
    return [
        ("Questions", count(now.queries), plural(summary.sessions, "session")),
        ("Students a week", decimal(summary.readers_per_week), "not recognised across weeks"),
        ("Helpful", share(now.helpful), ofwhat(now.helpful, "ratings")),
        ("Average response time", seconds(summary.mean_ms),
         f"95 % within {seconds(summary.p95_ms)}"),
        ("Refusals", share(summary.refusals), ofwhat(summary.refusals, "questions")),
        ("Time saved, as specified", hours(now.specified_hours), "2.5 minutes a question"),
        ("Time saved, defensible", f"{hours(now.hours.low)} to {hours(now.hours.high)}",
         f"{plural(now.counted, 'answer')}, {count(now.confirmed)} confirmed"),
        *worth,
    ]  # fmt: skip


def _comparison(report: Report) -> list[tuple[str, str, str, str]]:
    now, before, currency = report.roi.now, report.roi.before, report.roi.settings.currency
    rows = [
        ("Questions", count(now.queries), count(before.queries),
         change(now.queries, before.queries)),
        ("Questions per student and week", decimal(now.queries_per_reader_week),
         decimal(before.queries_per_reader_week),
         change(now.queries_per_reader_week, before.queries_per_reader_week)),
        ("Answered", share(now.answered), share(before.answered),
         points(now.answered, before.answered)),
        ("Helpful", share(now.helpful), share(before.helpful), points(now.helpful, before.helpful)),
        ("Time saved, as specified", hours(now.specified_hours), hours(before.specified_hours),
         change(now.specified_hours, before.specified_hours)),
        ("Time saved, defensible: at least", hours(now.hours.low), hours(before.hours.low),
         change(now.hours.low, before.hours.low)),
        ("Time saved, defensible: at most", hours(now.hours.high), hours(before.hours.high),
         change(now.hours.high, before.hours.high)),
        ("Worth, as specified", money(now.specified_money, currency),
         money(before.specified_money, currency),
         change(now.specified_money, before.specified_money)),
        ("Cost of the model", usd(now.cost_usd), usd(before.cost_usd),
         change(now.cost_usd, before.cost_usd)),
    ]  # fmt: skip
    if now.specified_money is None:
        rows = [row for row in rows if row[0] != "Worth, as specified"]
    if not report.roi.is_comparable:
        return [(name, here, there, NOTHING) for name, here, there, _ in rows]
    return rows


def _trust(report: Report) -> list[str]:
    settings, summary = report.roi.settings, report.summary
    said = [
        f"Minutes a question: {settings.minutes_low:g} to {settings.minutes_high:g}, usually"
        f" {settings.minutes:g}; an administrator can set them on the page Value.",
        f"Refusals that should have been answers: {estimate(summary.false_refusals)}.",
    ]
    if summary.paraphrase:
        wrong = ofwhat(report.audits.judge_alone_wrong, "judged by people")
        said.append(
            "Statements that a language model alone confirmed:"
            f" {ofwhat(summary.judge_alone, 'statements')}. Wrong: {wrong}."
        )
    if report.roi.reduction is not None:
        low, high = report.roi.reduction_target
        said.append(
            f"By survey, teachers spend {percent(report.roi.reduction)} less time on repeated"
            f" questions (target {percent(low)} to {percent(high)})."
            + (f" {settings.survey_note}" if settings.survey_note else "")
        )
    else:
        said.append("No survey of teachers' hours has been entered.")
    if summary.missing_days:
        said.append(
            f"No metrics for {plural(len(summary.missing_days), 'day')}: the questions were deleted"
            " before they were summed up."
        )
    return said
