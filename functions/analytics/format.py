"""Metrics as text. None becomes a dash: there was no data. Pure."""

from __future__ import annotations

from datetime import date, datetime

from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.metrics.definitions import definition_id
from functions.analytics.metrics.roi import Roi
from functions.analytics.topics.outcomes import TopicDetail, TopicUse

NOTHING = "–"
NARROW = "\u00a0"
"""No-break space: "80 %" stays on one line."""


def count(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"


def decimal(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.1f}"


def percent(value: float | None) -> str:
    """Of a proportion between 0 and 1. Only all is rounded to 100 %, and only none to 0 %."""
    if value is None:
        return NOTHING
    if 0 < value < 0.01 or 0.99 < value < 1:
        digits = 1 if 0.001 <= value <= 0.999 else 2
        return f"{value * 100:.{digits}f}{NARROW}%"
    return f"{value * 100:.0f}{NARROW}%"


def score(value: float | None) -> str:
    """A confidence."""
    return NOTHING if value is None else f"{value:.2f}"


def seconds(value: float | None) -> str:
    """From milliseconds."""
    if value is None:
        return NOTHING
    return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.1f} s"


def hours(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.1f}{NARROW}h"


def usd(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def money(value: float | None, currency: str) -> str:
    return NOTHING if value is None else f"{value:,.2f} {currency}"


def share(value: Share) -> str:
    return percent(value.value)


def ofwhat(value: Share, noun: str) -> str:
    """The counts of a proportion, with its interval: "12 of 15 ratings, 55 to 93 %"."""
    if value.low is None or value.high is None:
        return f"no {noun} yet"
    of = noun.removesuffix("s") if value.of == 1 else noun
    said = f"{value.count:,} of {value.of:,} {of}"
    return f"{said}, {value.low * 100:.0f} to {value.high * 100:.0f}{NARROW}%"


def estimate(value: Estimate) -> str:
    if value.value is None or value.low is None or value.high is None:
        return "none reviewed yet" if value.of else "none"
    return (
        f"{value.value:,.0f} ({value.low:,.0f} to {value.high:,.0f}) of {value.of:,},"
        f" {value.known:,} reviewed"
    )


def change(now: float | None, before: float | None) -> str:
    """A relative change, as a multiple from threefold on."""
    if now is None or not before:
        return NOTHING
    if now >= 3 * before:
        return f"× {now / before:.0f}"
    return f"{(now / before - 1) * 100:+.0f}{NARROW}%"


def points(now: Share, before: Share) -> str:
    """A change of a proportion, between the two as they are shown."""
    if now.value is None or before.value is None:
        return NOTHING
    moved = round(now.value * 100) - round(before.value * 100)
    return f"{moved:+d} point{'' if abs(moved) == 1 else 's'}"


def trend(roi: Roi, said: str, before: str) -> str:
    """A change with the value before, or why there is none."""
    if not roi.before.queries:
        return "no questions in the period before"
    if not roi.is_comparable or said == NOTHING:
        return "too few before to compare with"
    return f"{said} (before: {before})"


def ratio(part: float, of: float) -> float | None:
    return part / of if of else None


def day(value: date) -> str:
    return f"{value.day} {value:%b %Y}"


def shortday(value: date) -> str:
    return f"{value.day} {value:%b}"


def moment(value: datetime) -> str:
    return f"{value.day} {value:%b %Y, %H:%M} {value.tzname() or ''}".rstrip()


def advice(use: TopicUse) -> str:
    """The recommendation for a topic, with the metric behind it."""
    place = ""
    if use.section is not None:
        place = f"“{use.section.title}”"
        if use.section.chapter:
            place += f" in the chapter “{use.section.chapter}”"
    if use.advice == "add":
        if not place:
            return "If it belongs in the book, add a section; otherwise there is nothing to do."
        return (
            "Add a section if it belongs in the book;"
            f" if {place} treats it, use readers' words there."
        )
    if use.advice == "expand":
        unsure = f"{share(use.low_confidence)} of the answers were unsure"
        return f"Expand {place}: {unsure}, {share(use.refused)} of its questions were refused."
    if use.advice == "rewrite":
        said = f"only {share(use.helpful)} of {use.helpful.of} ratings say that answers helped"
        return f"Rewrite {place}: {said}."
    if use.is_missing:
        return (
            "Too few questions to advise a section; whether the book needs it is yours to decide."
        )
    return (
        "Nothing stands out: unsure answers, refusals and complaints are few, or too few to tell."
    )


def topic(use: TopicUse) -> str:
    """A topic's name: a heading, or a reader's question and how many were like it."""
    if not use.is_missing:
        return use.name
    others = use.queries - 1
    return f"“{use.name}”" + (f" and {others:,} like it" if others else "")


def issue(detail: TopicDetail) -> str:
    """The text of an issue for the book's authors about questions that it does not treat."""
    use = detail.use
    asked = "\n".join(f"- {each.question} ({each.queries})" for each in detail.samples)
    near = "\n".join(f"- {each.section.label}: {each.section.url}" for each in detail.nearest)
    return (
        f"Readers ask: {use.name}\n\n{use.queries} questions from {detail.sessions} sessions,"
        f" {day(detail.period.first)} to {day(detail.period.last)}, were not answered:\n{asked}\n\n"
        f"Nearest in the book:\n{near or '- nothing'}\n\n"
        "If the book treats this, say it there in readers' words; if another page does, link to it;"
        " otherwise write a section."
    )


FILTERS = {
    each.__name__: each
    for each in (
        count, decimal, percent, score, seconds, hours, usd, money, share, ofwhat, estimate, ratio,
        day, shortday, moment, advice, topic, issue,
        change, points, trend, definition_id,
    )
}  # fmt: skip
