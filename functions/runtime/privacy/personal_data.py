"""Finds and masks personal data and secrets in text. Pure.

Texts are searched in plain characters. Numbers are classified by format and check digits: a book is
full of numbers, and ISBNs, dates, versions, coordinates and quantities must not match. IP addresses
are not searched for: 1.2.3.4 may be a section number, and a reader's own address is never stored.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

from functions.runtime.privacy.address_forms import ADDRESSES
from functions.runtime.privacy.check_digits import IBAN_LENGTHS, is_card_number, is_iban, is_isbn10
from functions.runtime.privacy.name_forms import NAMES
from functions.runtime.privacy.plain_characters import plain_text
from functions.runtime.privacy.secret_forms import SECRETS

Kind = Literal["e-mail", "phone", "card", "iban", "key", "name"]
Check = Callable[[str], bool]

_GAP = r"[ -]"
_GAPS = r"[ /-]{0,3}"
_BREAK = r"[ ./_-]{0,2}"  # in clues
_START = r"(?<![\w+-])(?<![\d.,][.,])(?<!\.)(?<!\d/)"
_END = r"(?!\w|[.,]\d|-\w)"
_ALONE = (r"(?<!\d )", r"(?! ?\d)")
"""Before and after a number that is no part of a row of numbers."""
_NOT_IN_UUID = r"(?![0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)" + "".join(
    rf"(?<![0-9a-f]{{8}}{'-[0-9a-f]{4}' * parts}-)" for parts in range(4)
)
_PHONE_LABEL = (
    r"(?i)\b(?:(?:(?:(?:tele|cell ?)?(?:phone|fon)|fax|mobile?|whatsapp|tel|handy|t[ée]l[ée]phone"
    r"|cell(?= number|:))\b\.?(?:[ -]?(?:number|nummer|no\.?|nr\.?))?)"
    r"|my number|(?:call|ring|text|reach) me|r[uü]f mich)"
    r"(?: (?:is|was|at|on|under|unter|an))?\s{0,2}[:=#]?\s{0,2}"
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


_IBAN_IN_GROUPS = (
    r"(?i)(?<![^\W_])[a-z]{2}[0-9]{2}([./_]| {2})[a-z0-9]{4}(?:\1[a-z0-9]{4}){1,6}"
    r"(?:\1[a-z0-9]{1,3})?(?![^\W_])"
)
_CARD = (
    r"(?<![\w+-])(?<![\d.,][.,])(?<!\d/)(?:\d{4}([ ./-]{1,2})\d{4}\1\d{4}\1\d{1,7}(?:\1\d{1,3})?"
    r"|\d{4}([ ./-])\d{6}\2\d{4,5}|\d{4}([ ./-])\d{4}\3\d{4}\3\d{2,3}|\d{13,19})" + _END
)
_PHONES: tuple[tuple[str, Check], ...] = (
    (  # +49 170 1234567, +1 (555) 123-4567, (+49) 170 1234567
        rf"(?<![\w.+])(?:\(\+[1-9]\d{{0,3}}\)|\+ ?[1-9]\d{{0,14}})"
        rf"(?:{_GAPS}\( ?\d{{1,5}} ?\))?(?:{_GAPS}\d{{1,13}}){{0,7}}{_END}",
        _digits_between(8, 15),
    ),
    (rf"(?<![\w.+])\+[1-9]\d{{0,2}}(?:\.\d{{1,4}}){{3,6}}{_END}", _digits_between(10, 15)),
    (  # 0049 170 1234567, 011 44 20 7946 0958
        rf"{_START}(?:00|011 )[1-9]\d{{0,2}}(?:{_GAP}\d{{2,8}}){{2,5}}{_END}",
        _is_phone_after_zeros,
    ),
    # (555) 123-4567, 555-123-4567, 555.123.4567, 1-800-555-0199
    (
        rf"{_START}(?:1[ -]?)?\([2-9]\d{{2}}\) ?[ -]?\d{{3}}{_GAP}\d{{4}}{_END}",
        _digits_between(10, 11),
    ),
    (rf"{_START}(?:1[-.])?[2-9]\d{{2}}([-.])\d{{3}}\1\d{{4}}{_END}", _digits_between(10, 11)),
    (  # 555 123 4567
        rf"{_START}{_ALONE[0]}(?:1[ -])?[2-9]\d{{2}} \d{{3}}[ -]\d{{4}}{_END}{_ALONE[1]}",
        _digits_between(10, 11),
    ),
    (  # 0170 1234567, 030/1234567, 020 7946 0958, 06.39.98.12.34, (02) 5550 1234
        rf"{_START}{_ALONE[0]}(?:\(0[1-9]\d{{0,4}}\)[ -]?|0[1-9]\d{{0,4}}[ ./-])"
        rf"[1-9]\d{{1,7}}(?:[ .-]\d{{2,5}}){{0,4}}{_END}{_ALONE[1]}",
        _digits_between(9, 12),
    ),
    (  # the same beside other numbers
        rf"{_START}(?:\(0[1-9]\d{{1,4}}\) ?|0[1-9]\d{{1,4}}[ /-])[1-9]\d{{2,3}}"
        rf"{_GAP}?\d{{2,5}}{_END}",
        _digits_between(9, 12),
    ),
    (  # (11) 91234-5678, 8 (495) 123-45-67
        rf"{_START}(?:8 )?\([1-9]\d{{1,2}}\) ?\d{{3,5}}(?:-\d{{4}}|-\d{{2}}-\d{{2}}){_END}",
        _digits_between(9, 12),
    ),
    (rf"{_START}1[38]00 \d{{3}} \d{{3}}{_END}{_ALONE[1]}", _digits_between(10, 10)),
    (rf"{_START}0[1-9]([ .-])\d{{2}}(?:\1\d{{2}}){{3}}{_END}", _digits_between(10, 10)),
    (rf"{_START}0[1-9]\d{{8,10}}{_END}", _is_unbroken_phone),
    (
        rf"{_PHONE_LABEL}(?P<value>\(?\+?\d[\d ()./-]{{4,20}}\d){_END}",
        _digits_between(7, 15),
    ),
)


_CLUES: Mapping[Kind, str] = {
    "key": r"\b(?:PIN|CVV|CVC|TAN)\b|(?i:my pin)|[0-9a-f]{32}|[0-9]:[\w-]{35}",
    "e-mail": r"@|%40|&#64;|(?i:[^a-z]at[^a-z])",
    "iban": rf"(?<![^\W_])[A-Za-z]{{2}}[0-9]{{2}}{_BREAK}[A-Za-z0-9]{{3}}",
    "card": rf"[0-9]{{4}}(?:{_BREAK}[0-9]){{9}}",
    "phone": r"\d(?:[()./\s-]{0,4}\d){6}",
}
_HINTS: Mapping[Kind, tuple[str, ...]] = {
    "key": tuple(
        "private eyj akia asia agpa aida aroa anpa k- k_ ghp_ gho_ ghu_ ghs_ ghr_ pat_ npm_ hf_"
        " glpat- xox xapp- aiza sg. :// author bearer pass pwd psw pw kennwort wachtwoord contrase"
        " key token secret whsec gocspx ya29 pypi- dop_ shp dapi lin_ hvs. hvb. pmak sbp_ ntn_"
        " rubygems sq0".split()
    ),
    "name": tuple(
        "name,i am ,i'm,i’m,this is,call,nom est,llamo,nombre,chiamo,heisse,ich bin,appelle,heet,"
        "heter,regards,wishes,sincerely,faithfully,signed,grüsse,grusse,gruesse,student,"
        "pupil".split(",")
    ),
}
"""Quick tests per kind, a pattern and substrings of the folded text: the patterns of a kind are run
over a text that passes one."""


@dataclass(frozen=True, slots=True)
class _Rules:
    kind: Kind
    forms: tuple[tuple[re.Pattern[str], Check | None], ...]
    clue: re.Pattern[str] | None
    hints: tuple[str, ...]

    def may_hold(self, text: str, folded: str) -> bool:
        """Whether the text passes a quick test."""
        return any(map(folded.__contains__, self.hints)) or (
            self.clue is not None and self.clue.search(text) is not None
        )


@cache
def _rules() -> tuple[_Rules, ...]:
    """The rules by kind, the most specific first."""
    forms: dict[Kind, list[tuple[str, Check | None]]] = {
        "key": [(form, None) for form in SECRETS],
        "e-mail": [(form, None) for form in ADDRESSES],
        "iban": [
            *((_iban_form(*each), is_iban) for each in IBAN_LENGTHS.items()),
            (_IBAN_IN_GROUPS, is_iban),
        ],
        "card": [(_CARD, _is_card)],
        "phone": list(_PHONES),
        "name": [(form, None) for form in NAMES],
    }
    return tuple(
        _Rules(
            kind,
            tuple((re.compile(form), check) for form, check in forms_of_kind),
            re.compile(_CLUES[kind]) if kind in _CLUES else None,
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


@lru_cache(maxsize=16)
def find_personal_data(text: str) -> tuple[PersonalData, ...]:
    """All matches, in order of position. Of overlapping matches the earlier rule's counts.

    The texts of one request are searched more than once: for its key, its record and its masks.
    """
    found: list[PersonalData] = []  # in order of position, none overlaps another
    for each in _matches(text):
        at = bisect_right(found, each.start, key=lambda other: other.end)
        if at == len(found) or each.end <= found[at].start:
            found.insert(at, each)
    return tuple(found)


def _matches(text: str) -> Iterator[PersonalData]:
    """The matches of each rule, the first rule's first."""
    plain = plain_text(text)
    folded = plain.text.casefold()
    for rules in _rules():
        if not rules.may_hold(plain.text, folded):
            continue
        for pattern, check in rules.forms:
            for match in pattern.finditer(plain.text):
                group = "value" if "value" in pattern.groupindex else 0
                if check is None or check(match[group]):
                    yield PersonalData(rules.kind, *plain.original(*match.span(group)))


def has_personal_data(text: str) -> bool:
    """Whether the text holds personal data."""
    return next(_matches(text), None) is not None


def mask_personal_data(text: str) -> str:
    """The text with each match replaced by its kind: `[e-mail]`, `[phone]`, `[card]`, `[iban]`,
    `[key]`, `[name]`. Idempotent: a mask can uncover a number beside it, which is masked too."""
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
    return {
        text[personal.start : personal.end]: personal.kind
        for text in texts
        for personal in find_personal_data(text)
    }
