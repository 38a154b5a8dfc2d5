"""Finds and masks personal data and secrets in text. Pure.

Numbers are classified by format and check digits: a book is full of numbers, and ISBNs, dates,
versions, coordinates and quantities must not match. IP addresses are not searched for: 1.2.3.4 may
be a section number, and a reader's own address is never stored.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from functions.runtime.privacy.check_digits import IBAN_LENGTHS, is_card_number, is_iban, is_isbn10
from functions.runtime.privacy.secret_forms import SECRETS

Kind = Literal["e-mail", "phone", "card", "iban", "key"]
Check = Callable[[str], bool]

_SPACE = r"[ \u00a0\u2007\u2009\u202f]"
_GAP = r"[ \u00a0\u2007\u2009\u202f\u2010-\u2013-]"
_GAPS = rf"(?:{_GAP}|/){{0,2}}"
_START = r"(?<![\w+-])(?<![\d.,][.,])(?<!\.)(?<!\d/)"
_END = r"(?!\w|[.,]\d|-\w)"
_NOT_IN_UUID = r"(?![0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)" + "".join(
    rf"(?<![0-9a-f]{{8}}{'-[0-9a-f]{4}' * parts}-)" for parts in range(4)
)
_PHONE_LABEL = (
    r"(?i)\b(?:(?:tele|cell ?)?phone|fax|mobile|whatsapp|tel|cell(?= number|:))\b\.?"
    r"(?: (?:number|no\.?|nr\.?))?(?: is| was)?\s{0,2}[:=#]?\s{0,2}"
)


@dataclass(frozen=True, slots=True)
class PersonalData:
    """A span of a text, `start` to `end`, with personal data or a secret."""

    kind: Kind
    start: int
    end: int


def _digits(text: str) -> str:
    return "".join(str(int(each)) for each in text if each.isdecimal())


def _digits_between(least: int, most: int) -> Check:
    return lambda text: least <= len(_digits(text)) <= most


def _is_phone_after_zeros(text: str) -> bool:
    return 10 <= len(_digits(text)) <= 16 and not set(_digits(text)) <= {"0", "1"}  # not bits


def _is_unbroken_phone(text: str) -> bool:
    return not is_isbn10(_digits(text))


def _is_card(text: str) -> bool:
    return is_card_number(_digits(text))


_ADDRESS = (
    r"(?<![\w.%+-])(?!git@)[\w.%+'-]{1,64}(?:@|\s?[\[({](?:at|AT)[\])}]\s?)"
    r"(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w@])"
)
_CARD = (
    rf"{_START}(?:\d{{4}}({_GAP})\d{{4}}\1\d{{4}}\1\d{{1,7}}|\d{{4}}({_GAP})\d{{6}}\2\d{{4,5}}"
    rf"|\d{{14,19}}){_END}"
)
_PHONES: tuple[tuple[str, Check], ...] = (
    (  # +49 170 1234567, +1 (555) 123-4567
        rf"(?<![\w.+])\+{_SPACE}?[1-9]\d{{0,14}}(?:{_GAPS}\({_SPACE}?\d{{1,5}}{_SPACE}?\))?"
        rf"(?:{_GAPS}\d{{2,13}}){{0,6}}{_END}",
        _digits_between(8, 15),
    ),
    (rf"(?<![\w.+])\+[1-9]\d{{0,2}}(?:\.\d{{1,4}}){{3,6}}{_END}", _digits_between(10, 15)),
    (rf"{_START}00[1-9]\d{{0,2}}(?:{_GAP}\d{{2,8}}){{2,5}}{_END}", _is_phone_after_zeros),
    # (555) 123-4567, 555-123-4567, 555.123.4567
    (rf"{_START}\([2-9]\d{{2}}\){_GAP}?\d{{3}}{_GAP}\d{{4}}{_END}", _digits_between(10, 10)),
    (rf"{_START}(?:1[-.])?[2-9]\d{{2}}([-.])\d{{3}}\1\d{{4}}{_END}", _digits_between(10, 11)),
    (  # 0170 1234567, 030/1234567, 020 7946 0958, (030) 1234567
        rf"{_START}(?:\(0[1-9]\d{{1,4}}\){_SPACE}?|0[1-9]\d{{1,4}}(?:{_GAP}|/))"
        rf"[1-9]\d{{2,3}}{_GAP}?\d{{2,5}}{_END}",
        _digits_between(9, 12),
    ),
    (rf"{_START}0[1-9]([ .-])\d{{2}}(?:\1\d{{2}}){{3}}{_END}", _digits_between(10, 10)),
    (rf"{_START}0[1-9]\d{{8,10}}{_END}", _is_unbroken_phone),
    (
        rf"{_PHONE_LABEL}(?P<value>\(?\+?\d[\d ().\u00a0/-]{{4,20}}\d){_END}",
        _digits_between(7, 15),
    ),
)


_CLUES: Mapping[Kind, str] = {
    "key": r"PRIVATE KEY|eyJ|[spr]k[-_]|A[KSGINR][IDPO]A|(?:gh[pousr]|pat|npm|hf)_|glpat-|xox|AIza"
    r"|SG\.|://|(?i:authorization|bearer|pass[wpc]|pwd|[iestg][ _-]?key|[shinr][ _-]?token|secret)",
    "e-mail": r"[@\[({](?:(?<=@)|(?:at|AT)[\])}])",
    "iban": rf"(?<![^\W_])[A-Za-z]{{2}}[0-9]{{2}}{_GAP}?[A-Za-z0-9]{{3}}",
    "card": rf"[0-9]{{4}}(?:{_GAP}?[0-9]){{10}}",
    "phone": rf"\d(?:[()./\s]{{0,3}}{_GAP}?\d){{6}}",
}
"""A quick test per kind: a text without a match holds none, and its patterns are not run."""


_HINTS: Mapping[Kind, tuple[str, ...]] = {
    "key": tuple(
        "eyj k- k_ akia asia agpa aida aroa anpa ghp_ gho_ ghu_ ghs_ ghr_ pat_ npm_ hf_ glpat- xox "
        "aiza sg. :// author bearer pass pwd key token secret".split()
    )
}
"""Substrings, in lower case, one of which is part of every match of a clue: a faster first test."""


@dataclass(frozen=True, slots=True)
class _Rules:
    kind: Kind
    clue: re.Pattern[str]
    forms: tuple[tuple[re.Pattern[str], Check | None], ...]
    hints: tuple[str, ...] = ()

    def may_hold(self, text: str) -> bool:
        """Whether the text passes the quick tests."""
        if self.hints and not any(map(text.casefold().__contains__, self.hints)):
            return False
        return self.clue.search(text) is not None


@cache
def _rules() -> tuple[_Rules, ...]:
    """The rules by kind, the most specific first."""
    forms: dict[Kind, list[tuple[str, Check | None]]] = {
        "key": [(form, None) for form in SECRETS],
        "e-mail": [(_ADDRESS, None)],
        "iban": [(_iban_form(*each), is_iban) for each in IBAN_LENGTHS.items()],
        "card": [(_CARD, _is_card)],
        "phone": list(_PHONES),
    }
    return tuple(
        _Rules(
            kind,
            re.compile(_CLUES[kind]),
            tuple((re.compile(form), check) for form, check in forms_of_kind),
            _HINTS.get(kind, ()),
        )
        for kind, forms_of_kind in forms.items()
    )


def _iban_form(length: int, countries: str) -> str:
    """The pattern of IBANs of one length, with optional spaces and dashes."""
    return (
        rf"(?i)(?<![^\W_]){_NOT_IN_UUID}(?:{countries.replace(' ', '|')})[0-9]{{2}}"
        rf"(?:{_GAP}?[a-z0-9]){{{length - 4}}}(?![^\W_])"
    )


def find_personal_data(text: str) -> list[PersonalData]:
    """All matches, in order of position. Of overlapping matches the earlier rule's counts."""
    found: list[PersonalData] = []  # in order of position, none overlaps another
    for rules in _rules():
        if not rules.may_hold(text):
            continue
        for pattern, check in rules.forms:
            for match in pattern.finditer(text):
                group = "value" if "value" in pattern.groupindex else 0
                start, end = match.span(group)
                if check is not None and not check(match[group]):
                    continue
                at = bisect_right(found, start, key=lambda other: other.end)
                if at == len(found) or end <= found[at].start:
                    found.insert(at, PersonalData(rules.kind, start, end))
    return found


def has_personal_data(text: str) -> bool:
    """Whether the text holds personal data."""
    return bool(find_personal_data(text))


def mask_personal_data(text: str) -> str:
    """The text with each match replaced by its kind: `[e-mail]`, `[phone]`, `[card]`, `[iban]`,
    `[key]`. Idempotent: a mask can uncover a number beside it, which is masked too."""
    before = None
    while text != before:
        before, at, pieces = text, 0, []
        for personal in find_personal_data(text):
            pieces += [text[at : personal.start], f"[{personal.kind}]"]
            at = personal.end
        text = "".join([*pieces, text[at:]])
    return text


def mask_all(value: Any) -> Any:
    """Plain JSON data with every string value masked; keys are unchanged."""
    return change_texts(value, mask_personal_data)


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Plain JSON data with `change` applied to every string value; keys are unchanged."""
    if isinstance(value, str):
        return change(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {key: change_texts(item, change) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [change_texts(item, change) for item in value]
    return value


def values_in(texts: Sequence[str]) -> dict[str, Kind]:
    """The personal data in these texts, by value, to mask it in other texts."""
    joined = "\0".join(texts)
    if not any(rules.may_hold(joined) for rules in _rules()):
        return {}
    return {
        text[personal.start : personal.end]: personal.kind
        for text in texts
        for personal in find_personal_data(text)
    }
