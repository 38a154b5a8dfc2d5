"""Patterns of names with which people introduce themselves. A name alone is never one: books are
full of them."""

from __future__ import annotations

_PART = r"[^\W\d_][^\W\d_]{0,30}(?:['’-][^\W\d_]{1,30}){0,2}"
_CAPITAL = r"(?=[^\W\d_a-zß-öø-ÿ])"
_NAME = rf"(?P<value>{_CAPITAL}{_PART}(?: {_CAPITAL}{_PART}){{0,3}})"
_ANY = (
    r"(?P<value>(?!(?:not|in|on|of|the|a|an|used|stored|given|also|too|very|just|so|here|there|what"
    r"|it|that|this|as|by|for|from|to|unknown|null|none|empty)\b)"
    rf"{_PART}(?: {_CAPITAL}{_PART}){{0,3}})"
)
_GOES_ON = r"(?=,|!|\.(?:\s|$)| (?:from|in class|in year|aus|and I|here|speaking)\b)"

NAMES = (
    r"(?i:\bmy (?:full |first |last |given |family |middle |sur)?name(?: is|['’]s|:)) " + _ANY,
    r"(?i:\b(?:ich hei(?:ß|ss)e|mein (?:\w{1,10})?name ist|je m['’]appelle|mon nom est|me llamo"
    r"|mi nombre es|mi chiamo|il mio nome è|ik heet|jag heter)) " + _ANY,
    rf"(?i:\b(?:i am|i['’]m|ich bin)) {_NAME}{_GOES_ON}",
    r"(?i:\b(?:i am|i['’]m) (?:called|named)|\bcall me"
    rf"|\bthis is(?= [\w '’-]{{1,60}} (?:speaking|here)\b)) {_NAME}",
    rf"(?i:(?<![\w-])(?:full|student|pupil) name: ){_NAME}",
    rf"(?im:^|\. |: )(?i:name|student|pupil): {_NAME}(?=[.,]|\s|$)",
    r"(?i:\b(?:regards|wishes|sincerely|faithfully|signed|gr(?:ü|u|ue)(?:ß|ss)e)(?:,\s{1,2}|,?\n))"
    + _NAME,
)
