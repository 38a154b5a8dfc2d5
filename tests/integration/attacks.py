"""Strings that break things elsewhere, in every field of every request, and what came of them."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from functions.runtime.privacy.personal_data import has_personal_data, mask_personal_data
from functions.web.fields import clean
from tests.postgres_fixtures import BookDatabase

AT_ONCE = 6
"""Texts on their way at the same time."""
QUESTION = "What is the ZMP used for?"
PASSAGE = (
    "The ZMP is used for dynamic balance control of a walking robot, and its margin is what the "
    "controller watches at every step of the way."
)
ATTACKS = [
    "' OR '1'='1", "'; DROP TABLE queries; --", "1; SELECT pg_sleep(10)--", "\\'; --", "$$; $$",
    "' UNION SELECT salt FROM salts --", "%s %(question)s %n", "{{7*7}} ${7*7} #{7*7} <%= 7*7 %>",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)",
    "\"><svg/onload=alert(1)>", "<!--#exec cmd=\"ls\"-->", "]]>", "&lt;b&gt;",
    "../../../../etc/passwd", "file:///etc/passwd", "${jndi:ldap://127.0.0.1/a}", "() { :; }; echo",
    "$(touch /tmp/owned)", "`id`", "NULL", "None", "undefined", "NaN", "-1e309", "1/0", "[]",
    "\u202etest\u202c", "\ufeff", "\u2028\u2029", "\x7f\x80", "Ω≈ç√∫˜µ≤≥÷", "田中さん", "👾🙇💁",
    "🇺🇸🇷🇺",    "Ṱ̺̺o͞ ̷i̲̬n̝̗v̟̜o̘k͇", "الكل في المجمو عة", "\u0000a\u0000", "a\r\nSet-Cookie: b=1", "x" * 290,
    "\ud800", "ﷺ" * 80, "{\"$ne\": null}", "__proto__", "constructor.prototype", "*/ --> */",
]  # fmt: skip
"""A small list of our own; `tests/soak` takes thousands from shared lists."""


def shared_attacks(folder: Path) -> list[str]:
    """The texts of the shared lists in a folder: naughty strings, XSS, SQL."""
    return [
        _text_of(line)
        for name in ("naughty_strings", "xss", "sql_injection")
        for line in (folder / f"{name}.dev.jsonl").read_text("utf-8").split("\n")
        if line
    ]


def _text_of(line: str) -> str:
    try:
        return str(json.loads(line)["text"])
    except json.JSONDecodeError:  # a few of the naughty ones broke their own file
        return line


def requests_with(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Every route that takes a body, the text in each of its fields; each a reader of its own."""
    session = str(uuid.uuid4())
    page = dict.fromkeys(("source_path", "permalink", "version", "locale"), text[:300])
    chapter = dict.fromkeys(("chapter_id", "chapter_title", "confidence", "source"), text[:300])
    asked = {"question": f"{QUESTION} {text}"[:1000], "session_id": session, "fresh": True}
    place = {"source_path": text[:300], "version": text[:300], "locale": text[:300]}
    highlight = {"text": text, "start_block": 0, "end_block": 3, **place}
    return [
        ("/query", asked | {"page": page, "chapter_context": chapter, "selected_text": text}),
        ("/query", asked | {"session_id": f"{session[:8]} {text}"[:100], "ticket": text[:300]}),
        ("/query", asked | {"mode": "highlight", "highlight": highlight}),
        ("/query-selected-text", asked | {"session_id": f"{session[:8]} {text}"[:100],
                                          "selected_text": f"{PASSAGE} {text}", "source": page}),
        ("/query-selected-text", asked | {"selected_text": text, "mode": text}),
        ("/session", {"session_id": text[:100], "user_id": text[:300], "user_hash": text[:300]}),
    ]  # fmt: skip


@dataclass
class Said:
    """What was sent and must come back from the database."""

    question: str
    session_id: str
    selected_text: str | None
    comment: str


@dataclass
class Attacked:
    """What came of it: answers by HTTP status, fields that held a text, rows read back."""

    statuses: Counter[int] = field(default_factory=Counter)
    fields: int = 0
    stored: dict[str, Said] = field(default_factory=dict)


def attack(url: str, database: BookDatabase, texts: Sequence[str]) -> Attacked:
    """Send each text in each field. AssertionError for an answer of 5xx, a text that was lost or
    changed on its way into the database and back, or anything that was carried out."""
    before = _tables(database)
    attacked = Attacked()
    asyncio.run(_send_all(url, texts, attacked))
    _are_stored(database, attacked.stored)
    assert _tables(database) == before
    assert not Path("/tmp/owned").exists()
    return attacked


async def _send_all(url: str, texts: Sequence[str], attacked: Attacked) -> None:
    left = iter(texts)
    headers = {"content-type": "application/json"}
    async with httpx2.AsyncClient(base_url=url, timeout=60, headers=headers) as client:

        async def work() -> None:
            for text in left:
                await _send(client, text, attacked)

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(work())


async def _send(client: httpx2.AsyncClient, text: str, attacked: Attacked) -> None:
    for address, body in requests_with(text):
        reply = await client.post(address, content=json.dumps(body).encode())
        attacked.statuses[reply.status_code] += 1
        attacked.fields += _fields_with(body, text[:20])
        assert reply.status_code < 500, (address, text, reply.text)
        answer = reply.json()
        assert "stack" not in answer
        if answer.get("status") in ("answered", "partial", "refused"):
            await _say(client, answer["response_id"], body["session_id"], text)
            attacked.fields += 2
            attacked.stored[answer["response_id"]] = _said(answer, body, text)
    whole = text.encode("utf-8", "replace")
    for address in (f"/search?q={quote(whole)}", f"/tickets/{quote(whole, safe='')}"):
        reply = await client.get(address)
        attacked.statuses[reply.status_code] += 1
        attacked.fields += 1
        assert reply.status_code < 500, (address, reply.text)


async def _say(client: httpx2.AsyncClient, response_id: str, session_id: str, text: str) -> None:
    """Feedback with the text in each of its fields."""
    said = {"response_id": response_id, "rating": "helpful", "session_id": clean(session_id)}
    said |= {"reason": text[:300], "comment": text[:2000]}
    reply = await client.post("/feedback", content=json.dumps(said).encode())
    assert reply.status_code == 200, reply.text


def _fields_with(body: Any, text: str) -> int:
    """How many fields of a body hold the text."""
    if isinstance(body, dict):
        return sum(_fields_with(each, text) for each in body.values())
    return int(isinstance(body, str) and text in body)


def _said(answer: dict[str, Any], body: dict[str, Any], text: str) -> Said:
    # Of what is refused as abuse the question alone is kept.
    abusive = (answer["refusal"] or {}).get("reason") == "inappropriate"
    selects = answer["mode"] == "selected-text" and not abusive
    return Said(
        _kept(body["question"]).strip(),
        clean(body["session_id"]).strip(),
        _kept(body["selected_text"]) if selects else None,
        _kept(text[:2000]),
    )


def _are_stored(database: BookDatabase, said: Mapping[str, Said]) -> None:
    rows = database.run(
        "SELECT response_id::text, question, queries.session_id, selected_text, comment"
        " FROM queries JOIN responses USING (query_id) JOIN feedback USING (response_id)"
        " WHERE response_id = ANY (%s::uuid[])",
        (list(said),),
    )
    assert len(rows) == len(said)
    for response_id, question, session_id, selected_text, comment in rows:
        sent = said[str(response_id)]
        assert question == sent.question
        # An id with personal data in it is stored as a hash.
        assert session_id == sent.session_id or has_personal_data(sent.session_id)
        assert sent.selected_text in (None, selected_text)
        assert (comment or "") == sent.comment


def _kept(text: str) -> str:
    """What must come back: all but controls and halves of characters, and personal data."""
    return mask_personal_data(clean(text))


def _tables(database: BookDatabase) -> list[tuple[object, ...]]:
    """Every relation, function and role: none may come or go."""
    return database.run(
        "SELECT 'r', relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " UNION ALL SELECT 'f', proname::text FROM pg_proc"
        " WHERE pronamespace = 'public'::regnamespace"
        " UNION ALL SELECT 'o', rolname::text FROM pg_roles ORDER BY 1, 2"
    )
