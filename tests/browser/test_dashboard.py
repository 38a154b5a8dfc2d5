"""What an administrator does in the dashboard, over a pilot of a thousand queries in four weeks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pypdfium2
import pytest
import pytest_asyncio
from pilot import ATTACK, FORMULA, QUERIES, Pilot, running_pilot
from playwright.async_api import Browser, BrowserContext, Page, expect
from reading import AXE

from tests.postgres_fixtures import BookDatabase

pytestmark = pytest.mark.browser

PAGES = (
    "/analytics", "/analytics/pages/topics", "/analytics/pages/review",
    "/analytics/pages/coverage", "/analytics/pages/quality", "/analytics/pages/value",
    "/analytics/pages/definitions",
)  # fmt: skip


@pytest.fixture(scope="module")
def pilot(module_database: BookDatabase) -> Iterator[Pilot]:
    with running_pilot(module_database) as running:
        yield running


@pytest_asyncio.fixture(scope="module")
async def signed_in(browser: Browser, pilot: Pilot) -> AsyncIterator[BrowserContext]:
    """A browser that opened the one-time link; nothing else may be asked, nothing may fail."""
    context = await browser.new_context(reduced_motion="reduce")
    page = await context.new_page()
    await page.goto(pilot.way_in)
    await page.wait_for_url("**/analytics")
    await page.close()
    yield context
    await context.close()


@pytest_asyncio.fixture
async def page(signed_in: BrowserContext, pilot: Pilot) -> AsyncIterator[Page]:
    page = await signed_in.new_page()
    page.set_default_timeout(30_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.on("dialog", lambda dialog: problems.append(f"a script ran: {dialog.message}"))
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((pilot.url, "data:")) else problems.append(asked.url)
        ),
    )
    await page.goto(f"{pilot.url}/analytics/")
    yield page
    await page.close()
    assert problems == []


async def find_axe_violations(page: Page) -> list[str]:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: run npm ci in widget/")
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = await page.evaluate(
        "async () => (await axe.run(document)).violations"
        ".map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' '))"
    )
    return found


async def figure(page: Page, name: str) -> str:
    """The value under a name."""
    tile = page.locator(".figures > div").filter(has=page.get_by_text(name, exact=True))
    return (await tile.locator(".value").inner_text()).replace("\u00a0", " ")


async def test_the_overview_tells_how_the_assistant_is_used(page: Page, pilot: Pilot) -> None:
    count, mean, helpful, rated = pilot.database.run(
        "SELECT (SELECT count(*) FROM queries), (SELECT avg(response_latency_ms) FROM responses),"
        " (SELECT count(*) FROM feedback WHERE rating = 'helpful'), (SELECT count(*) FROM feedback)"
    )[0]
    assert count == QUERIES
    await page.get_by_role("link", name="90 days").click()
    assert await figure(page, "Questions") == f"{QUERIES:,}"
    assert await figure(page, "Average response time") == f"{float(str(mean)) / 1000:.1f} s"
    share = int(str(helpful)) / int(str(rated))
    assert await figure(page, "Helpful") == f"{share * 100:.0f} %"
    assert await figure(page, "Time saved, as specified") == "41.7 h"
    topics = page.get_by_role("region", name="Questions by topic").locator("tbody tr")
    assert await topics.count() == 10
    counts = [int(await row.locator("td").first.inner_text()) for row in await topics.all()]
    assert counts == sorted(counts, reverse=True)
    bars = page.get_by_role("img", name=re.compile("^Questions by topic"))
    drawn = await bars.evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
        ".filter((_, i) => i % 4 === 3).filter(Boolean).length"
    )
    assert drawn > 1000


TRUTHS = """
SELECT count(*), count(*) FILTER (WHERE status IN ('answered', 'partial')),
    count(*) FILTER (WHERE status = 'refused'), avg(response_latency_ms),
    count(*) FILTER (WHERE confidence >= 0.85)::float / count(confidence),
    (SELECT count(*) FILTER (WHERE rating = 'helpful')::float / count(*) FROM feedback)
FROM responses
"""


async def test_a_figure_is_the_same_on_pages_in_reports_and_in_the_api(
    page: Page, pilot: Pilot, signed_in: BrowserContext
) -> None:
    counts = [float(str(value)) for value in pilot.database.run(TRUTHS)[0]]
    asked, answered, refused, mean_ms, sure, helpful = counts
    wanted = {
        "Questions": f"{asked:,.0f}",
        "Answered": f"{answered / asked * 100:.0f} %",
        "Refusals": f"{refused / asked * 100:.0f} %",
        "Average response time": f"{mean_ms / 1000:.1f} s",
        "High confidence": f"{sure * 100:.0f} %",
        "Helpful": f"{helpful * 100:.0f} %",
        "Time saved, as specified": f"{asked * 2.5 / 60:,.1f} h",
    }
    period = "?first={}&last={}".format(*ninety_days())
    await page.goto(f"{pilot.url}/analytics{period}")
    assert {name: await figure(page, name) for name in wanted} == wanted
    wrong = await figure(page, "Wrong refusals")
    await page.goto(f"{pilot.url}/analytics/pages/quality{period}")
    assert await figure(page, "Wrong refusals") == wrong
    await page.goto(f"{pilot.url}/analytics/pages/value{period}")
    for name in ("Helpful", "Time saved, as specified"):
        assert await figure(page, name) == wanted[name]

    reply = await signed_in.request.get(f"{pilot.url}/analytics/pages/report.pdf{period}")
    pages = pypdfium2.PdfDocument(await reply.body())
    assert len(pages) <= 2
    text = "".join(sheet.get_textpage().get_text_range() for sheet in pages).replace("\u00a0", " ")
    assert text.startswith("Physical AI and Humanoid Robotics")
    for name in ("Questions", "Helpful", "Refusals", "Average response time"):
        assert re.search(rf"{name}\s+{re.escape(wanted[name])}", text), name

    reply = await signed_in.request.get(f"{pilot.url}/analytics/pages/report.csv{period}")
    rows = list(csv.DictReader(io.StringIO((await reply.text()).lstrip("\ufeff"))))
    told = {row["figure"]: row["value"] for row in rows if row["part"] == "use" and not row["name"]}
    assert float(told["questions"]) == asked
    assert float(told["refusals"]) == pytest.approx(refused / asked, abs=1e-6)
    assert float(told["average response time"]) == pytest.approx(mean_ms, abs=1e-3)
    assert float(told["helpful"]) == pytest.approx(helpful, abs=1e-6)
    assert f"{float(told['wrong refusals'] or 0):,.0f}" in wrong or wrong == "–"

    reply = await signed_in.request.get(f"{pilot.url}/analytics/summary{period}")
    api = await reply.json()
    assert (api["queries"], api["answered"], api["refused"]) == (asked, answered, refused)
    assert api["helpful"]["value"] == pytest.approx(helpful)
    assert api["mean_ms"] == pytest.approx(mean_ms)
    counted = [
        int(row["value"]) for row in rows if row["part"] == "topic" and row["figure"] == "questions"
    ]
    await page.goto(f"{pilot.url}/analytics/pages/topics{period}")
    by_chapter = [
        int(text.rpartition(": ")[2].replace(",", ""))
        for text in await page.locator("#headings ~ details > summary").all_inner_texts()
    ]
    missing = page.get_by_role("region", name="Questions that the book does not treat")
    groups = [int(await row.inner_text()) for row in await missing.locator("td:nth-child(2)").all()]
    assert sum(by_chapter) + sum(groups) == sum(counted)


def ninety_days() -> tuple[date, date]:
    today = datetime.now(UTC).date()
    return today - timedelta(days=89), today


async def test_a_topic_shows_samples_confidence_ratings_and_what_to_expand(
    page: Page, pilot: Pilot
) -> None:
    await page.get_by_role("link", name="Topics", exact=True).click()
    advised = page.get_by_role("region", name="What to change in the book")
    await expect(advised).to_be_visible()
    expand = advised.locator("li").filter(has_text="Expand").first
    said = await expand.inner_text()
    await expand.get_by_role("link").click()
    await expect(page.locator("main > .about").first).to_contain_text(re.compile(r"Topic #\d+"))
    assert float(await figure(page, "Average confidence")) > 0.5
    samples = page.get_by_role("region", name="Sample questions").locator("tbody th")
    questions = set(await samples.all_inner_texts())
    known = {str(row[0]) for row in pilot.database.run("SELECT question FROM queries")}
    assert questions
    assert questions <= known
    await expect(page.get_by_role("region", name="Readers' ratings")).to_be_visible()
    recommended = await page.locator("h2:has-text('Recommendation') + p").inner_text()
    assert recommended in said
    assert re.search(r"Expand “.+” in the chapter “.+”: ", recommended)


async def test_the_report_can_be_handed_on_as_pdf_and_csv(page: Page, pilot: Pilot) -> None:
    await page.get_by_role("link", name="Value", exact=True).click()
    await page.get_by_label("Hourly rate").fill("48")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_contain_text("stored")
    await page.get_by_role("link", name="90 days").click()
    files = {}
    for kind in ("PDF", "CSV"):
        async with page.expect_download() as coming:
            await page.get_by_role("link", name=f"Report ({kind})").click()
        download = await coming.value
        assert re.fullmatch(r"quoth-report-\S+-to-\S+\.(pdf|csv)", download.suggested_filename)
        files[kind] = (await download.path()).read_bytes()
    document = pypdfium2.PdfDocument(files["PDF"])
    text = "\n".join(sheet.get_textpage().get_text_range() for sheet in document)
    assert len(document) == 2
    assert "2,000.00 USD" in text  # 1,000 × 2.5 minutes × 48
    for part in ("Against the period before", "Engagement", "Top topics", "What to improve",
                 "Questions per student and week"):  # fmt: skip
        assert part in text
    for sheet in document:
        assert len(np.unique(sheet.render(scale=1).to_numpy().reshape(-1, 3), axis=0)) > 20
    rows = list(csv.DictReader(io.StringIO(files["CSV"].decode("utf-8-sig"))))
    read = {(r["part"], r["name"], r["figure"]): r for r in rows}
    assert read["use", "", "questions"]["value"] == str(QUERIES)
    assert read["use", "paraphrase", "statements shown"]["value"] != "0"
    by_judge = read["use", "", "statements confirmed by the judge alone"]
    assert by_judge["count"] == read["use", "paraphrase", "statements shown"]["value"]
    assert "Statements that a language model alone confirmed" in text.replace("\r\n", " ")
    worth = read["value", "this period", "worth, as specified"]
    assert (float(worth["value"]), worth["unit"]) == (2000.0, "USD")
    date.fromisoformat(read["period", "", "first day"]["value"])
    assert not [r for r in rows for cell in r.values() if (cell or "").startswith(("=", "+", "@"))]


async def test_the_quality_page_tells_what_the_judge_alone_confirmed(
    page: Page, pilot: Pilot
) -> None:
    ((of, by_judge, answers),) = pilot.database.run(
        "SELECT count(*), count(*) FILTER (WHERE claim ->> 'verification' = 'paraphrase'),"
        " count(DISTINCT response_id) FILTER (WHERE claim ->> 'verification' = 'paraphrase')"
        " FROM responses, jsonb_array_elements(claims) AS claim"
    )
    await page.goto(f"{pilot.url}/analytics/pages/quality")
    await page.get_by_role("link", name="90 days").click()
    share = f"{int(str(by_judge)) / int(str(of)) * 100:.0f} %"
    assert await figure(page, "Confirmed by the judge alone") == share
    tile = page.locator(".figures > div").filter(has_text="Answers with such a statement")
    await expect(tile).to_contain_text(f"{answers} of ")
    await expect(page.get_by_role("img", name=re.compile("^Statements a day"))).to_be_visible()
    cells = page.locator("[aria-label='Statements a day, by proof'] tbody td")
    counts = [int(text) for text in await cells.all_text_contents()]
    assert (sum(counts), sum(counts[2::3])) == (of, by_judge)


async def test_a_reviewer_marks_an_answer_and_keeps_it_as_a_golden_question(
    page: Page, pilot: Pilot
) -> None:
    await page.get_by_role("link", name="Review", exact=True).click()
    for text in (ATTACK, FORMULA):  # readers' words are words
        await expect(page.get_by_role("heading", name=text, exact=True)).to_be_visible()
        if text == ATTACK:
            await page.get_by_role("link", name="Next, without a mark").click()
    card = page.get_by_role("article", name=FORMULA, exact=True)
    await card.get_by_label("Note (optional)").fill("Not a question.")
    await card.get_by_role("button", name="Good refusal").click()
    await expect(page.get_by_role("status")).to_contain_text("The verdict is stored")
    await expect(page.get_by_role("heading", name=FORMULA, exact=True)).to_have_count(0)
    await page.get_by_label("State").select_option("done")
    await page.get_by_role("button", name="Filter").click()
    card = page.get_by_role("article", name=FORMULA, exact=True)
    await expect(card).to_contain_text("Good refusal: Not a question.")
    await card.get_by_role("button", name="Make it a golden question").click()
    card = page.get_by_role("article", name=FORMULA, exact=True)
    await expect(card.get_by_text("golden question", exact=True)).to_be_visible()
    async with page.expect_download() as coming:
        await page.get_by_role("link", name="Golden questions (YAML)").click()
    assert "HYPERLINK" in (await (await coming.value).path()).read_text("utf-8")


async def test_twenty_answers_are_reviewed_by_keyboard_alone(page: Page, pilot: Pilot) -> None:
    def reviewed() -> int:
        return int(str(pilot.database.run("SELECT count(*) FROM reviews")[0][0]))

    await page.goto(f"{pilot.url}/analytics/pages/review")
    before = reviewed()
    for n in range(20):
        answer = page.locator("article")
        await expect(answer).to_be_focused()
        form = answer.locator("form").first
        action = await form.get_attribute("action") or ""
        await page.keyboard.press("2" if n % 2 else "1")
        await expect(page.get_by_role("status")).to_contain_text("The verdict is stored")
        await expect(form).not_to_have_attribute("action", action)
    assert reviewed() == before + 20
    await page.keyboard.press("n")
    await page.wait_for_url("**after=*")
    await page.get_by_label("Note (optional)").press_sequentially("1 or 2")
    await page.keyboard.press("Enter")
    assert reviewed() == before + 20, "what is typed in the note decides nothing"


async def test_pages_pass_axe_and_fit_a_phone_in_the_dark(
    page: Page, signed_in: BrowserContext, pilot: Pilot
) -> None:
    paths = [*PAGES, await page.locator("tbody a").first.get_attribute("href") or ""]
    for path in paths:
        await page.goto(pilot.url + path)
        assert await find_axe_violations(page) == [], path
    await page.emulate_media(color_scheme="dark")
    await page.set_viewport_size({"width": 390, "height": 800})
    for path in paths:
        await page.goto(pilot.url + path)
        assert await find_axe_violations(page) == [], path
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, path


async def test_all_of_it_works_by_keyboard_and_prints_with_its_tables(page: Page) -> None:
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="To the content")).to_be_focused()
    seen: set[str] = set()
    for _ in range(60):
        await page.keyboard.press("Tab")
        seen.add(await page.evaluate(
            "() => { const e = document.activeElement; const o = getComputedStyle(e).outlineStyle;"
            " return o === 'none' ? '' : (e.textContent || e.name || '').trim() }"
        ))  # fmt: skip
    assert {"Topics", "Review", "Show", "7 days", "Table: questions a day"} <= seen
    await page.get_by_text("Table: questions a day").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("region", name="Questions a day")).to_be_visible()
    await page.keyboard.press("Enter")
    document = pypdfium2.PdfDocument(await page.pdf(format="A4"))
    text = "\n".join(sheet.get_textpage().get_text_range() for sheet in document)
    assert "Mean time" in text, "a closed table is printed, too"
    assert "Sign out" not in text


@pytest.mark.parametrize("queries", [0, 1])
async def test_little_or_no_data_makes_sensible_pages(
    browser: Browser, fresh_database: BookDatabase, queries: int
) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    with running_pilot(fresh_database, queries) as pilot:
        await page.goto(pilot.way_in)
        await page.wait_for_url("**/analytics")
        for path in PAGES:
            reply = await page.goto(pilot.url + path)
            assert reply is not None
            assert reply.status == 200
            said = await page.locator("main").inner_text()
            assert not re.search(r"\b(None|nan|inf|NaN)\b", said)
            assert await find_axe_violations(page) == []
        await page.goto(f"{pilot.url}/analytics/")
        assert await figure(page, "Questions") == str(queries)
        assert await figure(page, "Helpful") in ("–", "0 %", "100 %")
        for kind in ("pdf", "csv"):
            reply = await context.request.get(f"{pilot.url}/analytics/pages/report.{kind}")
            assert reply.status == 200
        strange = await page.goto(f"{pilot.url}/analytics/?first=2026-02-30")
        assert strange is not None
        assert strange.status == 422
        await expect(page.get_by_text("This period cannot be shown")).to_be_visible()
    await context.close()
