"""What a claim must not have unless its evidence does: links, markup, marks, hidden characters, the
words of the prompt. Readers would take them for the book's."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from functions.answer.write import prompts

_RUN = 6
"""Words in a row that show that a text was copied from the instructions."""
_ENDINGS = (
    r"\.(?:com|org|net|io|co|ru|cn|dev|ai|app|info|biz|xyz|example|invalid|test|site|online|link|"
    r"click|to|me)\b"
)
_LINK = (
    r"\b[a-z][a-z0-9+.-]{1,11}://\S+|\b(?:javascript|data|mailto|vbscript|tel):\S+|\bwww\.\S+"
    r"|\]\([^)]*\)?|[\w.+-]+@[\w-]+\.[a-z]{2,}"
    rf"|\b[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*{_ENDINGS}(?:/\S*)?"
)
_MARKUP = (
    r"</?(?:a|abbr|article|aside|audio|base|body|br|button|canvas|code|details|dialog|div|em|embed|"
    r"fieldset|font|footer|form|frame|h[1-6]|head|header|hr|html|iframe|img|input|label|link|main|"
    r"marquee|math|menu|meta|nav|noscript|object|ol|option|param|picture|pre|script|section|select|"
    r"slot|small|source|span|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|"
    r"th|thead|title|tr|track|ul|video|wbr|b|i|p|q|s|u)\b[^>]*>?|<!--|&#?\w{2,8};|!\["
)
_MARK = r"\[\^?\d{1,4}\]|\bS\d+\.\d+\b|【|】"


def find_injected(text: str, evidence: str) -> tuple[str, ...]:
    """What of a claim its evidence does not have: "link", "markup", "mark", "hidden", "prompt"."""
    found = []
    given = evidence.lower()
    for name, (hint, pattern) in _patterns().items():
        if hint.search(text) and any(
            match.group().lower() not in given for match in pattern.finditer(text)
        ):
            found.append(name)
    if not text.isascii() and any(_is_hidden(c) and c not in evidence for c in set(text)):
        found.append("hidden")
    if (ours := _runs(text) & _runs_of_prompt()) and ours - _runs(evidence):
        found.append("prompt")
    return tuple(found)


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    """By name: what each find has in it, quickly looked for, and the pattern itself."""
    return {
        "link": (
            re.compile(rf"[a-z]:\S|www\.|\]\(|@|{_ENDINGS}", re.IGNORECASE),
            re.compile(_LINK, re.IGNORECASE),
        ),
        "markup": (re.compile(r"[<&]|!\["), re.compile(_MARKUP, re.IGNORECASE)),
        "mark": (re.compile(r"[\[【】]|S\d"), re.compile(_MARK)),
    }


def _is_hidden(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character) in ("Cf", "Co", "Cn", "Cs")


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"[^\W_]+", text.lower())
    return frozenset(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))


@cache
def _runs_of_prompt() -> frozenset[tuple[str, ...]]:
    return _runs(prompts.INSTRUCTIONS) | _runs(prompts.ENTAILMENT_INSTRUCTIONS)
