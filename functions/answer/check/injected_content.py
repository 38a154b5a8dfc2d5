"""What a claim must not have unless its evidence does: links, markup, marks, hidden and look-alike
characters, repetition, the words of the prompt. Readers would take them for the book's."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from functions.answer.write import prompts

_RUN = 6
"""Words in a row that show that a text was copied from the instructions."""
_REPEATED = 3
"""Times that a word in a row, or a run of words, may not occur."""
_LINK = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,11}://\S+|\b(?:javascript|data|mailto|vbscript|tel):\S+"
    r"|\]\([^)]*\)?|[\w.+-]*@[\w-]+(?:\.[\w-]+)*|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    # A domain of any ending; "e.g" and "3.5" are none.
    r"|\b(?:[^\W_][\w-]*\.)+[^\W\d_]{2,}\b(?:/\S*)?|(?<!\S)(?:\w ){3,}[.\w]"
)
_DOT = re.compile(r"\s*[\[({]\s*(?:\.|dot)\s*[\])}]\s*|\s+dot\s+|[。｡]", re.IGNORECASE)
_AT = re.compile(r"\s*[\[({]\s*at\s*[\])}]\s*", re.IGNORECASE)
_MARKUP = re.compile(
    r"</?(?:a|abbr|article|aside|audio|base|body|br|button|canvas|code|details|dialog|div|em|embed|"
    r"fieldset|font|footer|form|frame|h[1-6]|head|header|hr|html|iframe|img|input|label|link|main|"
    r"marquee|math|menu|meta|nav|noscript|object|ol|option|param|picture|pre|script|section|select|"
    r"slot|small|source|span|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|"
    r"th|thead|title|tr|track|ul|video|wbr|b|i|p|q|s|u)\b[^>]*>?|<!--|&#?\w{2,8};|!\[",
    re.IGNORECASE,
)
_MARK = re.compile(r"\[\^?\d{1,4}\]|\bS\d+\.\d+\b|【|】")
_PATTERNS = {"markup": (_MARKUP, "<&!"), "mark": (_MARK, "[【】S")}
# Blank or ignored when shown, though they count as letters or marks.
_BLANK = frozenset(map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)))
_UNSEEN = frozenset({"Cf", "Co", "Cn", "Cs", "Cc", "Mn", "Me", "So", "Zl", "Zp"})


def find_injected(text: str, evidence: str) -> tuple[str, ...]:
    """What of a claim its evidence does not have: "link", "markup", "mark", "hidden", "repeated",
    "prompt"."""
    found = []
    given = _plain(evidence)
    plain = _plain(text)
    if any(match.group() not in given for match in _LINK.finditer(plain)):
        found.append("link")
    for name, (pattern, signs) in _PATTERNS.items():
        if any(sign in text for sign in signs):
            lower = evidence.lower()
            if any(match.group().lower() not in lower for match in pattern.finditer(text)):
                found.append(name)
    composed = unicodedata.normalize("NFC", text)
    if any(_is_hidden(c) and c not in evidence for c in set(composed) if not c.isascii()):
        found.append("hidden")
    if _repeats(plain) and not _repeats(given):
        found.append("repeated")
    if (ours := _runs(text) & _runs_of_prompt()) and ours - _runs(evidence):
        found.append("prompt")
    return tuple(found)


@lru_cache(maxsize=1_024)
def _plain(text: str) -> str:
    """A text in small letters and plain characters, its dots and at signs written as such."""
    plain = unicodedata.normalize("NFKC", text)
    return _AT.sub("@", _DOT.sub(".", plain)).lower()


def _is_hidden(character: str) -> bool:
    """Whether a character is not seen, or is seen as another: one that is blank or a picture, or a
    letter that is neither plain nor plain with an accent."""
    if character in _BLANK or unicodedata.category(character) in _UNSEEN:
        return character not in "\n\t"
    return character.isalpha() and not unicodedata.normalize("NFD", character)[0].isascii()


def _repeats(text: str) -> bool:
    """Whether a word stands three times in a row, or a run of words three times."""
    words = re.findall(r"[^\W_]+", text)
    if any(len(set(words[at : at + _REPEATED])) == 1 for at in range(len(words) - _REPEATED + 1)):
        return True
    runs = [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
    return len(runs) >= _REPEATED and any(runs.count(run) >= _REPEATED for run in set(runs))


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"[^\W_]+", text.lower())
    return frozenset(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))


@cache
def _runs_of_prompt() -> frozenset[tuple[str, ...]]:
    return _runs(prompts.INSTRUCTIONS) | _runs(prompts.ENTAILMENT_INSTRUCTIONS)
