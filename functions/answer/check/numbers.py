"""Are the numbers of a claim in its evidence, each with its unit or beside its noun? Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from functions.answer.check.alignment import Token, Tokens
from functions.answer.text.synonyms import related

_UNITS = {
    name: names.split()[0]
    for names in (
        "% percent", "s sec secs second seconds", "ms millisecond milliseconds",
        "us µs microsecond microseconds", "ns nanosecond nanoseconds", "min minute minutes mins",
        "h hour hours hr hrs", "day days", "week weeks", "month months", "year years",
        "decade decades", "century centuries", "m metre metres meter meters",
        "km kilometre kilometres kilometer kilometers",
        "cm centimetre centimetres centimeter centimeters",
        "mm millimetre millimetres millimeter millimeters", "nm nanometre nanometres nanometers",
        "kg kilogram kilograms kilo kilos", "g gram grams", "mg milligram milligrams",
        "t ton tons tonne tonnes", "lb lbs pound pounds", "mile miles", "foot feet", "inch inches",
        "l litre litres liter liters", "ml millilitre millilitres milliliters", "v volt volts",
        "a amp amps ampere amperes", "w watt watts", "kw kilowatt kilowatts", "hz hertz",
        "khz kilohertz", "mhz megahertz", "ghz gigahertz", "n newton newtons", "nm_ newtonmetres",
        "k kelvin", "c celsius", "f fahrenheit", "° degree degrees", "rad radian radians",
        "byte bytes", "bit bits", "kb kilobyte kilobytes kib", "mb megabyte megabytes mib",
        "gb gigabyte gigabytes gib", "tb terabyte terabytes tib", "px pixel pixels", "em ems",
        "$ dollar dollars usd", "€ euro euros eur", "£ gbp", "rpm", "fps", "dof", "thousand",
        "million millions", "billion billions", "trillion trillions", "pm p", "am", "°c", "°f",
    )
    for name in names.split()
}  # fmt: skip
_MONTHS = frozenset(
    """january february march april may june july august september october november december jan feb
    mar apr jun jul aug sept sep oct nov dec""".split()
)
_NEAR = 3
"""Words after a number among which its noun is."""
_ENDS = frozenset(",;:()[]—?!.")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit, or the month of a date ("" for none), and the stems of the words
    after it, none of a date."""

    value: str
    unit: str
    nouns: tuple[str, ...]


def unit_of(word: str) -> str:
    """The short name of a unit; "" for another word."""
    return _UNITS.get(word, "")


def amounts_of(tokens: Tokens) -> Iterator[Amount]:
    """The numbers of a text. A sign of money before a number is its unit."""
    for at, token in enumerate(tokens):
        if not token.is_number:
            continue
        unit = _UNITS.get(tokens[at - 1].word, "") if at and tokens[at - 1].word in "$€£" else ""
        nouns: list[str] = []
        for place, following in enumerate(tokens[at + 1 : at + 1 + _NEAR]):
            if following.word in _ENDS:
                break
            if not place and not unit:
                unit = _UNITS.get(following.word, "")
            if following.key and not following.is_number:
                nouns.append(following.key)
        beside = [*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2]]
        month = next((each.word[:3] for each in beside if _is_month(each)), "")
        is_date = bool(month) or _is_year(token.key)
        yield Amount(token.key, month or unit, () if is_date else tuple(nouns))


def _is_month(token: Token) -> bool:
    return token.word in _MONTHS and token.surface[:1].isupper()


def _is_year(value: str) -> bool:
    return value.isdigit() and len(value) == 4 and "1000" <= value < "2100"


def has_wrong_number(told: Tokens, evidence: Iterable[Tokens], page: frozenset[str]) -> bool:
    """Whether a number of a claim is not on the `page`, or is another thing's in its evidence."""
    claimed = list(amounts_of(told))
    if not claimed:
        return False
    given = [amount for tokens in evidence for amount in amounts_of(tokens)]
    return any(amount.value not in page or not _is_given(amount, given) for amount in claimed)


def _is_given(amount: Amount, given: list[Amount]) -> bool:
    same = [other for other in given if other.value == amount.value]
    if not same:
        return _is_year(amount.value) or amount.unit in _MONTHS
    if amount.unit:
        return any(other.unit == amount.unit or not (other.unit or other.nouns) for other in same)
    if not amount.nouns or any(_share_noun(amount, other) for other in same):
        return True
    if all(other.unit for other in same):
        return False
    return not any(_share_noun(amount, other) for other in given)


def _share_noun(one: Amount, other: Amount) -> bool:
    return any(related(a, b) for a in one.nouns[:2] for b in other.nouns)
