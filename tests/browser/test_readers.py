"""What readers were promised, in a browser, with the real functions behind the page."""

from __future__ import annotations

import re

import psycopg
import pytest
from live_book import Reader, folded, select_words
from playwright.async_api import expect
from reading import ask, find_axe_violations

from functions.answer.refusals import INSUFFICIENT_SELECTION, OUT_OF_SCOPE
from quoth.commands.stored_book import database_of
from quoth.store import store_of
from tests.integration.up_process import Up

pytestmark = pytest.mark.browser

ZMP = "/03-balance-and-walking/02-zero-moment-point"
FIFTY = """endpoint => Promise.all([...Array(50)].map(async (_, n) => {
  const session_id = `many-${n}`;
  const headers = {"Content-Type": "application/json"};
  const send = (path, body) =>
    fetch(endpoint + path, {method: "POST", headers, body: JSON.stringify(body)});
  let reply;
  do { // as the widget does when a session has ended
    const {token} = await (await send("/session", {session_id})).json();
    headers.Authorization = `Bearer ${token}`;
    reply = await send("/query", {question: "What is the ZMP used for?", session_id});
  } while (reply.status === 401);
  const {status, query_id} = await reply.json();
  return [reply.status, status, query_id];
}))"""
LOGGED = """SELECT count(DISTINCT query_id) FROM queries JOIN responses USING (query_id)
  WHERE query_id = ANY(%s) AND question <> '' AND generated_response <> ''
  AND response_latency_ms > 0 AND retrieved_chunk_ids <> '{}'"""


async def page_with(reader: Reader, live_book: str, title: str) -> None:
    """Go to the page that the table of contents calls so."""
    await reader.open(live_book)
    await reader.page.get_by_role("navigation").get_by_role("link", name=title).first.click()
    await expect(reader.page.locator("quoth-widget:defined")).to_be_attached()


async def test_a_reader_of_chapter_3_is_answered_from_chapter_1(
    reader: Reader, live_book: str
) -> None:
    await page_with(reader, live_book, "Zero Moment Point")
    panel, answer = await reader.ask("What are the benefits of Physical AI?")
    assert answer["status"] == "answered"
    assert "embodied intelligence" in answer["response"]
    await expect(panel.get_by_role("link", name="Citation 1: Chapter 1").first).to_be_visible()
    (sent,) = [body for path, body in reader.asked if path == "/query"]
    assert sent["chapter_context"]["chapter_id"] == "03-balance-and-walking"
    assert sent["page"]["source_path"].endswith("02-zero-moment-point.md")


async def test_what_is_outside_the_book_is_refused_in_its_words(
    reader: Reader, live_book: str
) -> None:
    await reader.open(live_book)
    panel, _ = await reader.ask("What is the capital of France?")
    await expect(panel.get_by_text(OUT_OF_SCOPE)).to_be_visible()
    assert await find_axe_violations(reader.page) == []


async def test_a_vague_question_gets_several_sources_and_more_to_ask(
    reader: Reader, live_book: str
) -> None:
    await reader.open(live_book)
    panel, answer = await reader.ask("Tell me about robots")
    assert len({citation["section"] for citation in answer["citations"]}) >= 2
    further = panel.get_by_role("button", name=answer["clarify"][0])
    await further.click()
    await expect(panel.locator(".last .asked")).to_contain_text(answer["clarify"][0])
    await expect(panel.locator(".last .claim").first).to_be_visible()


async def test_fifty_readers_at_once_are_all_answered_and_recorded(
    reader: Reader, live_up: Up
) -> None:
    await reader.open(live_up.url)
    replies = await reader.page.evaluate(FIFTY, live_up.url)
    assert [reply[:2] for reply in replies] == [[200, "answered"]] * 50
    ids = {reply[2] for reply in replies}
    assert len(ids) == 50
    with database_of(store_of(live_up.book, live_up.data)) as dsn, psycopg.connect(dsn) as database:
        recorded = database.execute(LOGGED, [list(ids)]).fetchone()
    assert recorded == (50,)


async def test_a_reader_goes_on_when_the_session_has_ended(reader: Reader, live_book: str) -> None:
    await reader.open(live_book)
    replies: list[tuple[str, int]] = []
    reader.page.on(
        "response", lambda reply: replies.append((reply.url.removeprefix(live_book), reply.status))
    )
    await reader.ask("What is the ZMP used for?")
    await reader.page.wait_for_timeout(9_000)  # the tokens of this book last eight seconds
    async with reader.page.expect_response(lambda reply: reply.status == 401) as ended:
        panel, answer = await reader.ask("What is a support polygon?")
    assert (await (await ended.value).json())["code"] == "session_ended"
    assert answer["status"] == "answered"
    await expect(panel.locator(".claim").first).to_be_visible()
    asked = [(path, status) for path, status in replies if path in ("/session", "/query")]
    assert asked[:2] == [("/session", 200), ("/query", 200)]
    assert sorted(asked[2:]) == [("/query", 200), ("/query", 401), ("/session", 200)]
    without = await reader.page.evaluate("async () => (await fetch('/search?q=zmp')).status")
    assert without == 401


async def test_a_selection_is_answered_from_itself_and_cited(
    reader: Reader, live_book: str
) -> None:
    await page_with(reader, live_book, "Zero Moment Point")
    await select_words(reader.page, "main p", "The ZMP is used for")
    await reader.page.get_by_role("button", name="Ask about this").click()
    panel, answer = await reader.ask("What is ZMP used for?")
    assert (answer["mode"], answer["in_selected_text"]) == ("selected-text", True)
    await expect(panel.locator(".claim").first).to_contain_text("dynamic balance control")
    await expect(panel.get_by_text("Answers from: Only this text")).to_be_visible()
    cited = "".join(await panel.locator("figure mark").all_text_contents())
    quoted = "".join(q["exact"] for c in answer["citations"] for q in c["quotes"])
    assert folded(cited) == folded(quoted) != ""
    assert await find_axe_violations(reader.page) == []


async def test_what_a_selection_does_not_say_is_not_looked_for_elsewhere(
    reader: Reader, live_book: str
) -> None:
    await page_with(reader, live_book, "Introducing Physical AI")
    await select_words(reader.page, "main p", "perceives, reasons about")
    await reader.page.get_by_role("button", name="Ask about this").click()
    panel, _ = await reader.ask("What are Vision-Language-Action models?")
    await expect(panel.get_by_text(INSUFFICIENT_SELECTION)).to_be_visible()
    paths = {path for path, _ in reader.asked} - {"/session"}
    assert paths == {"/query-selected-text"}
    await panel.get_by_role("button", name="Ask the whole book").click()
    await expect(panel.locator(".claim").first).to_be_visible()
    await expect(panel.get_by_text("Answers from: Whole book")).to_be_visible()


async def test_lines_of_selected_code_answer_and_are_cited(reader: Reader, live_book: str) -> None:
    await page_with(reader, live_book, "Describing a Robot")
    await select_words(reader.page, "main pre", "revolute")
    await reader.page.get_by_role("button", name="Ask about this").click()
    panel, answer = await reader.ask("How does this joint rotate?")
    assert answer["status"] in ("answered", "partial")
    said = " ".join(await panel.locator(".claim").all_text_contents())
    assert '<axis xyz="0 0 1"/>' in said
    assert 'lower="-1.57" upper="1.57"' in said
    for citation in answer["citations"]:
        assert re.fullmatch(r"from your selection: line \d+(-\d+)?", citation["label"])
    await panel.get_by_text("Answers from: Only this text").click()
    await expect(panel.locator("figure mark").first).to_be_visible()


async def test_a_selection_speaks_for_itself_where_the_book_says_otherwise(
    reader: Reader, live_book: str
) -> None:
    await page_with(reader, live_book, "The Case for Reaction")
    await select_words(reader.page, "main")
    await reader.page.get_by_role("button", name="Ask about this").click()
    _, answer = await reader.ask("Is a plan needed for control?")
    selected = folded(str(reader.asked[-1][1]["selected_text"]))
    for claim in answer["claims"]:
        assert folded(claim["text"]) in selected
    assert {citation["kind"] for citation in answer["citations"]} <= {"selection"}


async def test_the_passage_and_what_is_around_it_can_be_asked(
    reader: Reader, live_book: str
) -> None:
    await page_with(reader, live_book, "Zero Moment Point")
    await select_words(reader.page, "main p", "The ZMP is used for")
    await reader.page.get_by_role("button", name="Ask about this").click()
    await reader.page.get_by_label("This passage and around it").check()
    panel, answer = await reader.ask("What is the ZMP used for?")
    assert (answer["mode"], answer["status"]) == ("highlight", "answered")
    await expect(panel.get_by_text("Answers from: This passage and around it")).to_be_visible()
    (sent,) = [body for path, body in reader.asked if path == "/query"]
    assert sent["highlight"]["around"] == 2
    assert not any(path == "/search" for path, _ in reader.asked)
    await panel.get_by_role("link", name="Citation 1").first.click()
    exact = answer["citations"][0]["quote"]["exact"]
    assert folded(await reader.wait_for_highlight()) == folded(exact)


async def test_a_selection_is_asked_about_by_keyboard_alone(reader: Reader, live_book: str) -> None:
    page = reader.page
    await page_with(reader, live_book, "Zero Moment Point")
    await select_words(page, "main p", "The ZMP is used for")
    await expect(page.get_by_role("button", name="Ask about this")).to_be_visible()
    await page.keyboard.press("Alt+q")
    await expect(page.get_by_label("Your question")).to_be_focused()
    await page.keyboard.type("What is ZMP used for?")
    await page.keyboard.press("Enter")
    panel = page.get_by_role("dialog")
    await expect(panel.locator(".claim").first).to_be_visible()
    mark = panel.locator("a.mark, button.mark").first
    for _ in range(40):  # the answer stands above the question
        await page.keyboard.press("Shift+Tab")
        if await mark.evaluate("e => e.getRootNode().activeElement === e"):
            break
    await page.keyboard.press("Enter")
    assert folded(await reader.wait_for_highlight()) in folded(await page.inner_text("main"))
    await page.keyboard.press("Escape")
    await expect(panel).to_have_count(0)


async def test_feedback_is_kept_with_its_reason(reader: Reader, live_book: str) -> None:
    await reader.open(live_book)
    panel, answer = await reader.ask("What is the ZMP used for?")
    await panel.get_by_role("button", name="No", exact=True).click()
    await panel.get_by_label("Something is missing").check()
    await panel.get_by_label("Comment (optional)").fill("Say more.")
    async with reader.page.expect_response("**/feedback") as reply:
        await panel.get_by_role("button", name="Send").click()
    assert (await reply.value).status == 200
    await expect(panel.get_by_text("Thank you.")).to_be_visible()
    body = reader.asked[-1][1]
    assert (body["response_id"], body["reason"]) == (answer["response_id"], "incomplete")


async def test_the_chapter_is_shown_and_can_be_left_out(reader: Reader, live_book: str) -> None:
    await page_with(reader, live_book, "Zero Moment Point")
    panel = await ask(reader.page, "")
    await panel.get_by_text("Answers from: Whole book").click()
    await expect(panel.get_by_text("Chapter: Balance and walking")).to_be_visible()
    await panel.get_by_role("switch", name="Prefer this chapter").uncheck()
    _, answer = await reader.ask("What is the ZMP used for?")
    assert answer["metadata"]["chapter_filtered"] is False
    (sent,) = [body for path, body in reader.asked if path == "/query"]
    assert "chapter_context" not in sent
