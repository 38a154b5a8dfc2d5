"""What the server answers when nobody scripted it: claims the book supports, or hostile ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.openai_server import replies as r
from tests.openai_server.service import Recorded, Script

FIRST = 2
"""Sentences that the supported answer is made of."""


class BadScript(ValueError):
    """A script file cannot be read. The message says where."""


def is_judging(request: Recorded) -> bool:
    """Whether a call asks for verdicts on claims, over either API."""
    body = request.body
    form = body.get("text", {}).get("format") or body.get("response_format", {}).get("json_schema")
    if form is None:
        told = body.get("instructions") or body["messages"][0]["content"]
        return '"verdicts"' in told
    return bool(form["name"] == "entailment")


def answer_supported(request: Recorded) -> r.Reply:
    """The first sentences of the context, word for word, each on its own id; all claims hold."""
    if is_judging(request):
        return r.Verdicts([True] * request.data.count('"pair": '))
    first = list(request.sentences.items())[:FIRST]
    if not first:
        return r.Answer((), "none")
    return r.Answer([(text, [id]) for id, text in first])


def _claims(change: Callable[[str], str], id: str | None = None) -> Script:
    """A hostile model: changes the first sentence, and vouches for what it made of it."""

    def script(request: Recorded) -> r.Reply:
        if is_judging(request):
            return r.Verdicts([True] * 100)
        first, text = next(iter(request.sentences.items()), ("S1.1", "Nothing."))
        return r.Answer([(change(text), [id or first])])

    return script


def _always(reply: r.Reply) -> Script:
    return lambda request: r.Verdicts([True] * 100) if is_judging(request) else reply


def _prints_the_prompt(request: Recorded) -> r.Reply:
    instructions = request.body.get("instructions") or request.body["messages"][0]["content"]
    return _claims(lambda _: str(instructions))(request)


def _obeys(request: Recorded) -> r.Reply:
    """Repeats all it was given, as one who follows any order in it would."""
    return _claims(lambda _: f"As you order: {request.data[-800:]}")(request)


SCRIPTS: Mapping[str, Script] = {
    "supported": answer_supported,
    "unknown-id": _claims(lambda text: text, "S99.9"),
    "invented": _claims(lambda _: "The moon is made of green cheese."),
    "wrong-number": _claims(lambda text: f"{text.rstrip('.')} in 4711 cases."),
    "negation": _claims(lambda text: f"It is not true that {text}"),
    "link": _claims(lambda text: f"{text} See https://evil.example/take."),
    "markup": _claims(lambda text: f"<script>alert(1)</script> {text}"),
    "prompt": _prints_the_prompt,
    "obeys": _obeys,
    "prose": _always(r.Text("Sure! The moon is made of green cheese.")),
    "refusal": _always(r.Declined()),
    "truncated": _always(r.Truncated(r.Answer([("The moon is green.", ["S1.1"])]))),
    "flood": _always(r.Answer([(f"Claim {n}.", ["S1.1"]) for n in range(5_000)])),
    "down": _always(r.Failure(503)),
    "busy": _always(r.Failure(429, "rate_limit_exceeded", retry_after="20")),
    "dropped": _always(r.Dropped()),
}


def read_script(file: Path) -> Script:
    """A script from a JSON file: a list of rows, given out in turn and then again.

    A row is `{"script": NAME}`, `{"text": …}`, `{"claims": [{"text", "sentence_ids"}], "status"}`
    or `{"fail": STATUS}`. Judgements are made as the supported script makes them, where a row does
    not say otherwise. Raises BadScript.
    """
    try:
        rows = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadScript(f"{file} cannot be read as JSON: {error}") from error
    if not isinstance(rows, list) or not rows:
        raise BadScript(f"{file} must hold a list of at least one reply.")
    scripts = [_script_of(row, f"{file}, reply {at}") for at, row in enumerate(rows, 1)]
    return in_turn(scripts)


def in_turn(scripts: Sequence[Script]) -> Script:
    """One script after another for the answers; judgements go to the one that answered last."""
    at = -1

    def script(request: Recorded) -> r.Reply:
        nonlocal at
        if not is_judging(request):
            at += 1
        return scripts[max(at, 0) % len(scripts)](request)

    return script


def _script_of(row: Any, where: str) -> Script:
    if isinstance(row, dict):
        if row.get("script") in SCRIPTS:
            return SCRIPTS[row["script"]]
        if "script" in row:
            raise BadScript(f"{where}: there is no script {row['script']!r}.")
        if isinstance(row.get("text"), str):
            return _always(r.Text(row["text"]))
        if isinstance(row.get("fail"), int):
            return _always(r.Failure(row["fail"]))
        if isinstance(row.get("claims"), list):
            try:
                claims = [(str(one["text"]), list(one["sentence_ids"])) for one in row["claims"]]
            except (KeyError, TypeError) as error:
                raise BadScript(f"{where}: a claim has text and sentence_ids.") from error
            return _always(r.Answer(claims, str(row.get("status", "full"))))
    raise BadScript(f"{where}: it has none of script, text, claims and fail.")
