"""Check digits of payment cards, IBANs and ISBN-10s."""

from __future__ import annotations

import re

_CARD = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0|6|8)\d{12}"
    r"|(?:35|6[0-9])\d{14,17}|5018\d{9,15}|6[37]\d{11,17}"
)
"""Prefixes and lengths of the card networks."""

IBAN_LENGTHS = {
    15: "NO", 16: "BE", 18: "DK FI FO GL NL SD FK", 19: "MK SI",
    20: "AT BA EE KZ LT LU XK MN", 21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ TL OM SO",
    24: "AD CZ DZ ES MD PK RO SA SE SK TN VG", 25: "AO CV GW LY MZ PT ST",
    26: "IS TR", 27: "BF BI BJ CF CG CM DJ FR GA GR IT MC MG MR SM",
    28: "AL AZ BY CI CY DO GT HN HU LB ML NI PL SN SV TD TG", 29: "BR EG PS QA UA",
    30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
}  # fmt: skip
"""Country codes by the length of their IBANs."""


def is_card_number(digits: str) -> bool:
    """Whether these digits are a card number, by prefix, length and Luhn check digit."""
    if not _CARD.fullmatch(digits):
        return False
    doubled = (int(each) * 2 for each in digits[-2::-2])
    total = sum(int(each) for each in digits[-1::-2]) + sum(n - 9 if n > 9 else n for n in doubled)
    return total % 10 == 0


def is_iban(text: str) -> bool:
    """Whether a text is an IBAN, by its country's length and its check digits."""
    plain = "".join(each for each in text.upper() if each.isalnum())
    if not plain.isascii() or plain[:2] not in IBAN_LENGTHS.get(len(plain), "").split():
        return False
    return int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1


def is_isbn10(digits: str) -> bool:
    """Whether these digits are an ISBN-10."""
    if len(digits) != 10:
        return False
    return sum(int(each) * (10 - at) for at, each in enumerate(digits)) % 11 == 0
