"""Figures as text, cells without formulas, and text that fits its paper."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.analytics.format import estimate, money, ofwhat, percent, seconds, usd
from functions.analytics.metrics.confidence_intervals import Estimate, Share
from functions.analytics.pages.dashboard import book_link, render
from functions.analytics.pages.value_pages import read_settings_form
from functions.analytics.report.csv_export import FORMULA_STARTS, write_cells
from functions.analytics.report.pdf_layout import (
    EDGE,
    ROOM,
    Paper,
    fold_lines,
    printable,
    shorten,
    width,
)
from functions.analytics.topics.outcomes import TopicSection, TopicUse

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(st.lists(texts, min_size=1, max_size=6))
def test_no_cell_is_a_formula_and_none_is_lost(cells: list[str]) -> None:
    (row,) = list(csv.reader(io.StringIO(write_cells(cells), newline="")))
    assert len(row) == len(cells)
    for cell, text in zip(row, cells, strict=True):
        assert not cell.lstrip(" ").startswith(FORMULA_STARTS)
        assert cell.removeprefix("'") == text.replace("\x00", "").removeprefix("'")


def test_numbers_and_days_stay_numbers_and_days() -> None:
    moment = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    row = write_cells([-0.5, 1234567, None, 1 / 3, date(2026, 11, 30), moment, "-0.5"])
    assert row == "-0.5,1234567,,0.333333,2026-11-30,2026-11-30T23:59:00+00:00,'-0.5\r\n"


@given(texts, st.floats(20, 400), st.booleans())
def test_lines_fit_and_keep_every_letter(text: str, room: float, bold: bool) -> None:
    said = printable(text)
    said.encode("cp1252")
    lines = list(fold_lines(said, 10, room, bold))
    assert all(width(line, 10, bold) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == said.replace(" ", "")
    assert width(shorten(said, 10, room, bold), 10, bold) <= room


def test_a_report_longer_than_a_page_goes_on_and_keeps_its_words() -> None:
    paper = Paper("Long", "Foot")
    for n in range(120):
        paper.text(f"Line {n} says (something) with \\ and é — “quoted”.", bullet=True)
    paper.bars([("Ω" * 300, 0, "0"), ("a name", 5, "5")])
    paper.columns([])
    document = pypdfium2.PdfDocument(paper.finish())
    text = "".join(page.get_textpage().get_text_range() for page in document)
    assert len(document) == 3
    assert all(f"Line {n} says (something) with \\ and é — “quoted”." in text for n in range(120))
    assert f"Page 3 of {len(document)}" in text
    assert EDGE + ROOM < 595


def test_what_is_not_known_is_a_dash_and_never_a_zero() -> None:
    nothing = Share.of_counts(0, 0)
    assert [percent(None), seconds(None), usd(None), money(None, "EUR")] == ["–"] * 4
    assert ofwhat(nothing, "ratings") == "no ratings yet"
    assert estimate(Estimate.from_sample(5, 0, 0)) == "none reviewed yet"
    assert percent(0.999) == "99.9\u00a0%", "only all of them are 100 %"


def use_of(**changed: object) -> TopicUse:
    section = TopicSection("Gaits", "Walking", 3, "Chapter 3, Section 3.3", "/walk", "docs/walk.md")
    given = {
        "topic_id": "t", "name": "Gaits", "section": section, "is_missing": False, "queries": 50,
        "share": Share.of_counts(50, 100), "mean_confidence": 0.9,
        "low_confidence": Share.of_counts(1, 40), "helpful": Share.of_counts(9, 10),
        "refused": Share.of_counts(0, 50),
    } | changed  # fmt: skip
    return TopicUse(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({}, "none"),
        ({"refused": Share.of_counts(20, 50)}, "expand"),
        ({"refused": Share.of_counts(50, 50), "is_missing": True}, "add"),
        ({"low_confidence": Share.of_counts(20, 40)}, "expand"),
        ({"helpful": Share.of_counts(1, 10)}, "rewrite"),
        ({"helpful": Share.of_counts(0, 4)}, "none"),
        ({"queries": 9, "refused": Share.of_counts(9, 9)}, "none"),
    ],
)
def test_advice_follows_from_the_figures(changed: dict[str, object], wanted: str) -> None:
    assert use_of(**changed).advice == wanted


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("/docs/a#b", "https://book.example/docs/a#b"),
        ("https://book.example/x", "https://book.example/x"),
        ("javascript:alert(1)", "#"),
        ("//evil.example/x", "#"),
        ("", "#"),
    ],
)
def test_links_lead_into_the_book_and_nowhere_else(url: str, link: str) -> None:
    assert book_link(url, "https://book.example/") == link


def test_readers_words_are_never_markup() -> None:
    page = render("problem.html", "<script>1</script>", message='"><img src=x onerror=1>',
                  can_sign_in=False, local_hint=False)  # fmt: skip
    body = bytes(page.body).decode()
    assert "<img" not in body
    assert "<script>1" not in body


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"minutes": "5"}, "between the fewest and the most"),
        ({"minutes": "many"}, "Minutes, usually: "),
        ({"minutes_high": "nan"}, "Minutes, at most: "),
        ({"hourly_rate": "-1"}, "Hourly rate: "),
        ({"currency": "euro"}, "Currency: "),
        ({"time_zone": "'; DROP"}, "Time zone: "),
    ],
)
def test_a_wrong_field_of_the_settings_is_named(changed: dict[str, str], said: str) -> None:
    form = {"minutes_low": "1", "minutes": "2", "minutes_high": "3", "hourly_rate": "", "csrf": "x"}
    settings, problems = read_settings_form(form)
    assert settings is not None
    assert (settings.minutes, settings.hourly_rate, problems) == (2.0, None, ())
    settings, problems = read_settings_form(form | changed)
    assert settings is None
    assert any(said in problem for problem in problems)
