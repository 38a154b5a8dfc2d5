"""Prompt injection: text that addresses a model instead of the reader ("Ignore all previous
instructions …"). In a book or a selection it is not sent to the model, and the author is warned.
Questions are not checked for it: readers may ask in any words.

It knows the usual forms, in the languages they are passed around in, and misses others: the check
of each claim does not rely on it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from functions.answer.context import Context
from functions.answer.moderation.obscenities import plain

_LONGEST = 4_000
"""Characters of one sentence that are read."""
_LEET = str.maketrans("013457@$", "oieastas")
_MIXED = re.compile(r"[a-z][013457@$]|[013457@$][a-z]")
_ENCODED = 24
_BASE64 = re.compile(rf"[A-Za-z0-9+/]{{{_ENCODED},}}={{0,2}}")
_BINARY = re.compile(r"(?:[01]{8}\s+){3,}[01]{8}")
_SPACED = re.compile(r"\b(?:\w ){3,}\w\b")


@lru_cache(maxsize=8_192)
def gives_orders(text: str) -> bool:
    """Whether a sentence is addressed to a model, also when it is disguised or encoded."""
    return any(
        any(order.search(form) for order in _known().orders)
        for form in _forms(text[:_LONGEST])
        if _may_order(f" {form.lower()} ")
    )


def _may_order(text: str) -> bool:
    return any(map(text.__contains__, _known().hints))


def without_orders(context: Context) -> Context:
    """The context without blocks that give orders to a model; other sentences keep their ids."""
    bad = {(s.source, s.block) for s in context.sentences if gives_orders(s.text)}
    if not bad:
        return context
    return replace(
        context,
        sentences=tuple(s for s in context.sentences if (s.source, s.block) not in bad),
    )


def _forms(text: str) -> Iterator[str]:
    """The text itself, and its decoded forms."""
    text = plain(text)
    yield text
    if _MIXED.search(text):
        yield text.translate(_LEET)
    if _SPACED.search(text):
        yield _SPACED.sub(lambda m: m.group().replace(" ", ""), text)
    for match in _BINARY.finditer(text) if "0" in text else ():
        yield "".join(chr(int(byte, 2)) for byte in match.group().split())
    if max(map(len, text.split()), default=0) < _ENCODED:
        return
    for match in _BASE64.finditer(text):
        try:
            yield base64.b64decode(match.group() + "=" * (-len(match.group()) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue


class _Known(NamedTuple):
    hints: tuple[str, ...]
    orders: tuple[re.Pattern[str], ...]


@cache
def _known() -> _Known:
    lines = Path(__file__).with_name("orders.txt").read_text("utf-8").splitlines()
    starts = [lines.index(name) for name in ("[hints]", "[parts]", "[orders]")]
    hints = [hint for line in lines[starts[0] + 1 : starts[1]] for hint in line.split("|") if hint]
    orders = lines[starts[2] + 1 :]
    for line in lines[starts[1] + 1 : starts[2]]:
        name, part = line.split(" ", 1)
        orders = [order.replace(f"<<{name}>>", part) for order in orders]
    return _Known(tuple(hints), tuple(re.compile(order, re.IGNORECASE) for order in orders))
