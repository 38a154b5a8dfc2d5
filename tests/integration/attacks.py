"""Strings that break things elsewhere, in every field of every request, and what came of them."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from functions.privacy.personal_data import mask_personal_data
from functions.web.requests import clean
from tests.postgres_fixtures import BookDatabase

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
        ("/query", asked | {"user_id": f"{session} {text}"[:300], "page": page,
                            "chapter_context": chapter, "selected_text": text}),
        ("/query", asked | {"session_id": f"{session[:8]} {text}"[:100], "ticket": text[:300]}),
        ("/query", asked | {"mode": "highlight", "highlight": highlight}),
        ("/query-selected-text", asked | {"selected_text": f"{PASSAGE} {text}", "source": page}),
        ("/query-selected-text", asked | {"selected_text": text, "mode": text}),
        ("/session", {"session_id": text[:100]}),
    ]  # fmt: skip


def attack(url: str, database: BookDatabase, texts: Iterable[str]) -> Counter[int]:
    """Send each text in each field. AssertionError for an answer of 5xx, a text that was lost or
    changed on its way into the database and back, or anything that was carried out."""
    before = _tables(database)
    statuses: Counter[int] = Counter()
    headers = {"content-type": "application/json"}
    with httpx2.Client(base_url=url, timeout=60, headers=headers) as client:
        for text in texts:
            for address, body in requests_with(text):
                reply = client.post(address, content=json.dumps(body).encode())
                statuses[reply.status_code] += 1
                assert reply.status_code < 500, (address, text, reply.text)
                answer = reply.json()
                assert "stack" not in answer
                if answer.get("status") in ("answered", "partial", "refused"):
                    _is_stored(database, answer, body)
                    _say(client, database, answer["response_id"], body["session_id"], text)
            whole = text.encode("utf-8", "replace")
            for address in (f"/search?q={quote(whole)}", f"/tickets/{quote(whole, safe='')}"):
                reply = client.get(address)
                statuses[reply.status_code] += 1
                assert reply.status_code < 500, (address, reply.text)
    assert _tables(database) == before
    assert not Path("/tmp/owned").exists()
    return statuses


def _is_stored(database: BookDatabase, answer: dict[str, Any], body: dict[str, Any]) -> None:
    (row,) = database.run(
        "SELECT question, selected_text, body FROM queries JOIN responses USING (query_id)"
        " WHERE response_id = %s",
        (answer["response_id"],),
    )
    assert row[0] == _kept(body["question"]).strip()
    # Of what is refused as abuse the question alone is kept.
    abusive = (answer["refusal"] or {}).get("reason") == "inappropriate"
    if answer["mode"] == "selected-text" and not abusive:
        assert row[1] == _kept(body["selected_text"])


def _say(
    client: httpx2.Client, database: BookDatabase, response_id: str, session_id: str, text: str
) -> None:
    """Feedback with the text in each of its fields, read back."""
    said = {"response_id": response_id, "rating": "helpful", "session_id": clean(session_id)}
    said |= {"reason": text[:300], "comment": text[:2000]}
    reply = client.post("/feedback", content=json.dumps(said).encode())
    assert reply.status_code == 200, reply.text
    row = database.run("SELECT comment FROM feedback WHERE response_id = %s", (response_id,))[0]
    assert (row[0] or "") == _kept(text[:2000])


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
