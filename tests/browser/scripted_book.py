"""A two-page book on a local port, with an API that answers each question as its words ask for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

WIDGET = Path(__file__).parents[2] / "widget"
Json = dict[str, Any]

BENEFITS = "Physical AI lets a robot sense, decide and act in one loop."
BALANCE = (
    "A humanoid keeps its balance while the zero moment point stays inside the support polygon."
)
XSS = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'
OUTSIDE = (
    "I cannot answer questions outside the scope of this book. "
    "Please ask about topics covered in the table of contents."
)
NOT_IN_SELECTION = (
    "The selected text does not contain sufficient information to answer this question."
)

PAGE = """<!doctype html><html lang="en"{theme}><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>body{{font:1rem/1.6 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1rem}}
.fill{{height:150vh}}
[data-theme=dark] body{{background:#1b1b1d;color:#e3e3e3}}</style></head>
<body><nav><a href="/docs/ch1">Chapter 1</a> <a href="/docs/ch2">Chapter 2</a></nav>
<main><h1>{title}</h1>{body}</main>
<quoth-widget endpoint="/api" page-source="docs/ch1.md"
 suggestions='["What are the benefits of Physical AI?", "What is ZMP used for?"]'></quoth-widget>
<script type="module" src="/widget/quoth-widget.js"></script></body></html>"""

CHAPTER_1 = """<p id="first">A robot is a machine that changes the world around it. It needs
<em>sensors</em> to see, motors to move, and a program that ties the two together in time.
This chapter says what such machines have in common.</p>
<p id="short">Robots fall.</p><div class="fill"></div>
<details><summary>Why it matters</summary><h2 id="benefits">Benefits</h2>
<p>Physical AI lets a
 robot <strong>sense</strong>, decide and <a href="#benefits">act</a> in one loop.
 It learns.</p></details>
<div class="fill"></div>"""
CHAPTER_2 = f"""<div class="fill"></div><h2 id="balance">Balance</h2><p>{BALANCE}</p>
<div class="fill"></div>"""


def cite(n: int, exact: str, url: str, label: str, relevance: float = 0.9) -> Json:
    quote = {"exact": exact, "prefix": "", "suffix": ""}
    return {
        "n": n,
        "kind": "book",
        "label": label,
        "url": url,
        "quote": quote,
        "relevance": relevance,
    }


def answer(**changes: Any) -> Json:
    """An answered response of the contract, with some fields changed."""
    return {
        "query_id": "q", "response_id": "r", "status": "answered", "mode": "book-wide",
        "response": f"{BENEFITS} [1]", "claims": [], "citations": [], "refusal": None,
        "related": [], "clarify": [], "notices": [], "ticket": None,
        "metadata": {"limited_mode": False}, "session_id": "s",
    } | changes  # fmt: skip


ANSWERED = answer(
    claims=[
        {"text": BENEFITS, "citations": [1], "verification": "verbatim"},
        {
            "text": "The zero moment point stays in the support polygon while it balances.",
            "citations": [2],
            "verification": "close",
        },
        {
            "text": "Balance means keeping the ZMP inside the polygon.",
            "citations": [2],
            "verification": "paraphrase",
        },
    ],
    citations=[
        cite(1, BENEFITS, "/docs/ch1#benefits", "Chapter 1, Section 1.1, Para 1"),
        cite(2, BALANCE, "/docs/ch2#balance", "Chapter 2, Section 2.1, Para 1", 0.8),
    ],
    related=[{"title": "Sensors", "url": "/docs/ch2#balance"}],
    notices=[{"code": "limited", "text": "Vector search unavailable"}],
    metadata={"limited_mode": True},
)
REFUSED = answer(
    status="refused",
    response=OUTSIDE,
    refusal={
        "reason": "out_of_scope",
        "closest": [{"title": "Benefits", "url": "/docs/ch1#benefits"}],
    },
)
REFUSED_SELECTION = answer(
    status="refused",
    mode="selected-text",
    response=NOT_IN_SELECTION,
    refusal={"reason": "insufficient_selection", "closest": []},
)
HOSTILE = answer(
    response=XSS,
    claims=[{"text": XSS, "citations": [1, 2, 3], "verification": XSS}],
    citations=[
        cite(1, XSS, "javascript:window.pwned=1", XSS),
        cite(2, XSS, "https://evil.example/steal", XSS),
        cite(3, XSS, f"/docs/ch1#{XSS}", XSS),
    ],
    refusal={"reason": XSS, "closest": [{"title": XSS, "url": "javascript:window.pwned=1"}]},
    related=[{"title": XSS, "url": "data:text/html,<script>window.pwned=1</script>"}],
    clarify=[XSS],
    notices=[{"code": XSS, "text": XSS}],
    mode=XSS,
    verified_source=XSS,
    truncation_warning=XSS,
)
TICKET = {"id": "t/1", "position": 23, "eta_s": 15, "poll_after_ms": 250}
QUEUED_SENTENCE = "High traffic detected. Your question is queued (position 23, ~15 seconds)."
QUEUED = answer(status="queued", response=QUEUED_SENTENCE, ticket=TICKET)

UNAVAILABLE = "AI assistant is temporarily unavailable. Please try again in a few moments."
DEFERRED = answer(
    status="deferred",
    response=UNAVAILABLE,
    ticket={"id": "d/1", "position": 0, "eta_s": 60, "poll_after_ms": 300},
)


def error(code: str, message: str) -> Json:
    return {"code": code, "message": message, "request_id": "req-1"}


@dataclass
class ScriptedBook:
    """What the server was asked; `url` is where it listens. The test moves the queue on."""

    url: str = ""
    requests: list[tuple[str, Json]] = field(default_factory=list)
    may_poll: Event = field(default_factory=Event)
    may_run: Event = field(default_factory=Event)

    def asked(self, path: str) -> list[Json]:
        return [body for asked_path, body in self.requests if asked_path == path]

    def reply(self, path: str, body: Json) -> tuple[int, Json | str]:
        question = str(body.get("question", ""))
        if path == "/session":
            return 404, error("not_found", "Not Found")
        if path == "/search":
            title = XSS if "hostile" in body["q"] else "Benefits"
            found = [{"title": title, "url": "/docs/ch1#benefits"}]
            if "?" not in body["q"]:  # what is being typed
                found.append({"title": "Balance", "url": "/docs/ch2#balance"})
            return 200, {"sections": found}
        if path == "/suggestions":
            return 200, {"questions": [f"What is in {body['source_path']}?"]}
        if path == "/tickets/d%2F1":
            done = {"status": "done", "answer": ANSWERED}
            waiting = {"status": "queued", "eta_s": 60, "poll_after_ms": 300}
            return 200, done if self.may_run.is_set() else waiting
        if path.startswith("/tickets/"):
            self.may_poll.wait(timeout=10)
            waiting = {"status": "queued", "position": 4, "eta_s": 2, "poll_after_ms": 250}
            return 200, {"status": "run"} if self.may_run.is_set() else waiting
        if path == "/query-selected-text":
            return 200, REFUSED_SELECTION
        if "queue" in question:
            return 200, ANSWERED if body.get("ticket") == TICKET["id"] else QUEUED
        if "too many" in question and len(self.asked("/query")) == 1:
            sentence = "You can ask 10 questions a minute. Please try again in 7 seconds."
            return 429, error("rate_limited", sentence)
        if "hostile error" in question:
            return 500, error("internal", XSS)
        replies: dict[str, tuple[int, Json | str]] = {
            "broken": (500, error("internal", "Something went wrong on our side.")),
            "malformed": (200, '{"status": "answered", '),
            "hostile": (200, HOSTILE),
            "later": (200, DEFERRED),
            "full": (200, answer(status="full", response="System at capacity.")),
            "France": (200, REFUSED),
        }
        return next((reply for word, reply in replies.items() if word in question), (200, ANSWERED))


def serve_page(path: str, query: dict[str, list[str]]) -> str | None:
    bodies = {"/docs/ch1": ("Chapter 1", CHAPTER_1), "/docs/ch2": ("Chapter 2", CHAPTER_2)}
    if path not in bodies:
        return None
    title, body = bodies[path]
    theme = ' data-theme="dark"' if "dark" in query else ""
    return PAGE.format(title=title, body=body, theme=theme)


def make_handler(book: ScriptedBook) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query, keep_blank_values=True)
            if parts.path.startswith("/api/"):
                self.answer_api(parts.path, {name: texts[0] for name, texts in query.items()})
            elif parts.path.startswith("/widget/"):
                script = WIDGET / "dist" / parts.path.rpartition("/")[2]
                self.send(200, script.read_text(encoding="utf-8"), "text/javascript")
            elif (page := serve_page(parts.path, query)) is not None:
                self.send(200, page, "text/html")
            else:
                self.send(404, "", "text/plain")

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            self.answer_api(self.path, json.loads(self.rfile.read(length)))

        def answer_api(self, path: str, body: Json) -> None:
            path = path.removeprefix("/api")
            book.requests.append((path, body | {"_cookie": self.headers.get("Cookie")}))
            status, reply = book.reply(path, body)
            text = reply if isinstance(reply, str) else json.dumps(reply)
            self.send(status, text, "application/json")

        def send(self, status: int, text: str, kind: str) -> None:
            payload = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            """Tests say what matters themselves."""

    return Handler


@contextmanager
def serve_scripted_book() -> Iterator[ScriptedBook]:
    book = ScriptedBook()
    with ThreadingHTTPServer(("127.0.0.1", 0), make_handler(book)) as server:
        book.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield book
        finally:
            book.may_poll.set()
            server.shutdown()
            thread.join()
