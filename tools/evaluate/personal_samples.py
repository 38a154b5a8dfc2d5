"""Personal data as people write it, made from published examples. None of it is anybody's.

Sources: addresses and domains of RFC 2606, 3696, 5322 and 6531; telephone numbers that ITU-T E.123
and RFC 3966 print and that regulators keep for fiction (NANPA 555-01xx, Ofcom, ACMA, Bundesnetz-
agentur, ARCEP, ComReg, PTS); card numbers that payment services print for tests; the IBAN registry's
examples; the prefixes of keys that their services and secret scanners print, with letters drawn by
lot; passwords and names made up here.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

Kind = Literal["e-mail", "phone", "card", "iban", "key", "password", "name"]
Half = Literal["tuned", "held"]
KIND_SIZE = {
    "e-mail": 60, "phone": 60, "card": 40, "iban": 40, "key": 35, "password": 35, "name": 30,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """A text with one piece of personal data, `value`, of which nothing may be left. The rules are
    made looking at the `tuned` half alone."""

    kind: Kind
    form: str
    text: str
    value: str
    half: Half


ADDRESSES = (
    ("john.doe", "example.org"), ("mary", "example.com"), ("o'reilly", "mail.example.net"),
    ("user+tag", "example.co.uk"), ("dieter_92", "uni.example.edu"), ("j-p.roux", "exemple.fr"),
    ("Pelé", "example.com"), ("jürgen", "müller.de"), ("info", "xn--bcher-kva.example"),
    ("first.last", "sub.dept.example.org"), ("a1", "example.io"), ("ana.maria", "correo.example.es"),
)  # fmt: skip
ADDRESS_FORMS: dict[str, Callable[[str, str], str]] = {
    "plain": lambda user, host: f"{user}@{host}",
    "mailto": lambda user, host: f"mailto:{user}@{host}?subject=hi",
    "upper case": lambda user, host: f"{user}@{host}".upper(),
    "spaces": lambda user, host: f"{user} @ {host}",
    "space before": lambda user, host: f"{user} @{host}",
    "space after": lambda user, host: f"{user}@ {host}",
    "no-break spaces": lambda user, host: f"{user}\u00a0@\u00a0{host}",
    "full-width at": lambda user, host: f"{user}\uff20{host}",
    "small at": lambda user, host: f"{user}\ufe6b{host}",
    "full-width dots": lambda user, host: f"{user}@{host}".replace(".", "\uff0e"),
    "full-width letters": lambda user, host: _wide(f"{user}@{host}"),
    "zero-width space": lambda user, host: f"{user}\u200b@\u200b{host}",
    "zero-width joiner": lambda user, host: f"{user[0]}\u200d{user[1:]}@{host}",
    "soft hyphens": lambda user, host: f"{user}@{host[:3]}\u00ad{host[3:]}",
    "word joiner": lambda user, host: f"{user}@{host}".replace(".", ".\u2060"),
    "[at]": lambda user, host: f"{user}[at]{host}",
    "(at)": lambda user, host: f"{user} (at) {host}",
    "<at>": lambda user, host: f"{user}<at>{host}",
    "[at] [dot]": lambda user, host: f"{user} [at] {host}".replace(".", " [dot] "),
    "(at)(dot)": lambda user, host: f"{user}(at){host}".replace(".", "(dot)"),
    "{AT} {DOT}": lambda user, host: f"{user} {{AT}} {host}".replace(".", " {DOT} "),
    "at dot": lambda user, host: f"{user} at {host.replace('.', ' dot ')}",
    "AT DOT": lambda user, host: f"{user} AT {host.replace('.', ' DOT ')}",
    "-at- -dot-": lambda user, host: f"{user}-at-{host.replace('.', '-dot-')}",
    "per cent": lambda user, host: f"?to={user}%40{host}&x=1",
    "entity": lambda user, host: f"{user}&#64;{host}",
    "angles": lambda user, host: f"Jo <{user}@{host}>",
    "quoted local": lambda user, host: f'"{user}"@{host}',
    "address literal": lambda user, host: f"{user}@[192.0.2.1]",
    "rfc 3696": lambda user, host: f"customer/{user}=shipping@{host}",
}

PHONES = (
    "555 123 4567", "212 555 0123", "(907) 555-0145", "303-555-0199", "303.555.0123",
    "1-800-555-0199", "1 (212) 555-0147", "+1 201 555 0123", "+1.617.555.0188", "tel:+1-201-555-0123",
    "001 212 555 0100", "011 44 20 7946 0958", "020 7946 0018", "0113 496 0123", "07700 900123",
    "01632 960 960", "0808 157 0192", "+44 (0)20 7946 0958", "+44 7700 900 456", "0044 7700 900077",
    "(02) 5550 1234", "0491 570 156", "0491570157", "1800 160 401", "+61 2 7010 1234",
    "030 23125 123", "030/23125-456", "0152 28817386", "0171 39200 55", "089 99998 123",
    "+49 30 23125 222", "+49 (0)40 66969 12", "(+49) 171 3920001", "0049-30-23125777", "0221-4710 123",
    "01 99 00 12 34", "06.39.98.12.34", "+33 1 99 00 12 34", "+33 (0)6 39 98 44 55", "0639981234",
    "020 913 0123", "+353 20 913 0456", "031-390 06 01", "08-465 004 12", "+46 70 174 06 05",
    "(607) 123 4567", "+22 607 123 4567", "+22 607 123 4568", "(0607) 123 4567", "+41 44 668 18 00",
    "+39 06 699 12345", "+34 91 123 45 67", "+81 3-1234-5678", "03-1234-5678", "+86 138 0013 8000",
    "+91 98765 43210", "+55 (11) 91234-5678", "(11) 91234-5678", "+7 495 123-45-67", "8 (495) 123-45-67",
)  # fmt: skip
"""More of them than are drawn; E.123 and the plans of the countries."""
PHONE_FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda number: number,
    "no-break spaces": lambda number: number.replace(" ", "\u00a0"),
    "thin spaces": lambda number: number.replace(" ", "\u202f"),
    "full-width": lambda number: _wide(number),
    "true hyphens": lambda number: number.replace("-", "\u2010").replace(" ", "\u2011"),
    "zero-width": lambda number: f"{number[:4]}\u200b{number[4:]}",
    "labelled": lambda number: f"Tel.: {_digits(number)}",
    "call me": lambda number: f"call me on {_digits(number)[-8:]}",
    "my number": lambda number: f"my number is {_digits(number)[-9:]}",
}

CARDS = (
    "4242424242424242", "4000056655665556", "5555555555554444", "2223003122003222",
    "5200828282828210", "5105105105105100", "378282246310005", "371449635398431",
    "6011111111111117", "6011000990139424", "3056930009020004", "36227206271667",
    "3566002020360505", "6200000000000005", "6205500000000000004", "4222222222222",
    "4012888888881881", "6759649826438453", "2200770239097761", "4111111111111111",
)  # fmt: skip
CARD_FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda number: number,
    "spaces": lambda number: _grouped(number, " "),
    "dashes": lambda number: _grouped(number, "-"),
    "dots": lambda number: _grouped(number, "."),
    "no-break spaces": lambda number: _grouped(number, "\u00a0"),
    "full-width": lambda number: _wide(_grouped(number, " ")),
    "zero-width": lambda number: _grouped(number, "\u200b"),
    "slashes": lambda number: _grouped(number, "/"),
}

IBANS = (
    "AL47212110090000000235698741", "AD1200012030200359100100", "AT611904300234573201",
    "BE68539007547034", "BG80BNBG96611020345678", "HR1210010051863000160",
    "CY17002001280000001200527600", "CZ6508000000192000145399", "DK5000400440116243",
    "EE382200221020145685", "FI2112345600000785", "FR1420041010050500013M02606",
    "DE89370400440532013000", "GR1601101250000000012300695", "HU42117730161111101800000000",
    "IE29AIBK93115212345678", "IT60X0542811101000000123456", "LV80BANK0000435195001",
    "LT121000011101001000", "LU280019400644750000", "MT84MALT011000012345MTLCAST001S",
    "NL91ABNA0417164300", "NO9386011117947", "PL61109010140000071219812874",
    "PT50000201231234567890154", "RO49AAAA1B31007593840000", "SK3112000000198742637541",
    "SI56263300012039086", "ES9121000418450200051332", "SE4550000000058398257466",
    "CH9300762011623852957", "GB29NWBK60161331926819", "SA0380000000608010167519",
    "AE070331234567890123456", "TR330006100519786457841326",
)  # fmt: skip
IBAN_FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda number: number,
    "spaces": lambda number: _grouped(number, " "),
    "dots": lambda number: _grouped(number, "."),
    "dashes": lambda number: _grouped(number, "-"),
    "lower case": lambda number: _grouped(number.lower(), " "),
    "no-break spaces": lambda number: _grouped(number, "\u00a0"),
    "full-width": lambda number: _wide(number),
    "zero-width": lambda number: _grouped(number, "\u200b"),
    "slashes": lambda number: _grouped(number, "/"),
    "two spaces": lambda number: _grouped(number, "  "),
}

_HEX, _WORD = "0123456789abcdef", string.ascii_letters + string.digits
KEYS: tuple[tuple[str, str, str, int], ...] = (
    ("OpenAI", "sk-proj-", _WORD, 40), ("Anthropic", "sk-ant-api03-", _WORD, 60),
    ("AWS id", "AKIA", string.ascii_uppercase, 16), ("AWS session id", "ASIA", string.ascii_uppercase, 16),
    ("GitHub", "ghp_", _WORD, 36), ("GitHub app", "ghs_", _WORD, 36), ("GitHub fine", "github_pat_", _WORD, 60),
    ("GitLab", "glpat-", _WORD, 20), ("Slack", "xoxb-", string.digits, 24), ("Slack app", "xapp-1-", _WORD, 40),
    ("Stripe", "sk_live_", _WORD, 24), ("Stripe restricted", "rk_live_", _WORD, 24),
    ("Stripe webhook", "whsec_", _WORD, 32), ("Google", "AIza", _WORD, 35), ("Google OAuth", "GOCSPX-", _WORD, 28),
    ("Google token", "ya29.", _WORD, 60), ("npm", "npm_", _WORD, 36), ("PyPI", "pypi-", _WORD, 80),
    ("Hugging Face", "hf_", _WORD, 34), ("SendGrid", "SG.", _WORD, 22), ("DigitalOcean", "dop_v1_", _HEX, 64),
    ("Shopify", "shpat_", _HEX, 32), ("Databricks", "dapi", _HEX, 32), ("Linear", "lin_api_", _WORD, 40),
    ("Vault", "hvs.", _WORD, 30), ("Twilio", "SK", _HEX, 32), ("Mailgun", "key-", _HEX, 32),
    ("Telegram", "110201543:AA", _WORD, 33), ("Postman", "PMAK-", _HEX, 40), ("age", "AGE-SECRET-KEY-1", string.ascii_uppercase, 58),
    ("JSON web token", "eyJ", _WORD, 33), ("Azure", "AccountKey=", _WORD, 86), ("bearer", "Bearer ", _WORD, 32),
    ("basic", "Authorization: Basic ", _WORD, 24), ("in an address", "https://bob:", _WORD, 12),
    ("labelled", "client_secret = ", _WORD, 30), ("in JSON", '"api_key": "', _WORD, 32), ("AWS secret", "aws_secret_access_key=", _WORD, 40),
)  # fmt: skip
AFTER_KEY = {"in JSON": '"', "in an address": "@example.org/x", "JSON web token": "." + "a1B2" * 9}
LABELS = ("AccountKey=", "Bearer ", "Authorization: Basic ", "https://bob:", "client_secret = ",
          '"api_key": "', "aws_secret_access_key=")  # fmt: skip
"""They say what follows, and are no secret themselves."""

PASSWORD_FORMS = (
    "pass: {}", "pass={}", "pw: {}", "pwd={}", "password: {}", "Password is {}", "password = '{}'",
    "my password is {}", "my wifi password is {}", "PASSWORD={}", "passwort: {}", "Kennwort: {}",
    "mein Passwort ist {}", "mot de passe : {}", "contraseña: {}", "passphrase: {}", "passcode is {}",
    "the password was {}", "password -> {}", "password → {}", "password {}", "login bob password {}",
    "--password={}", "--password {}", "DB_PASSWORD={}", '"password":"{}"', "password\uff1a{}",
    "pass\u200bword: {}", "PIN: {pin}", "my pin is {pin}", "CVV {pin}", "psw: {}", "pass: “{}”",
    "wachtwoord: {}", "my passphrase is {}", "user=bob&password={}", "password: `{}`",
)  # fmt: skip
PASSWORDS = ("hunter2", "Tr0ub4dor&3", "s3cret!x", "letmein99", "Passw0rd!")

NAME_FORMS = (
    "My name is {}", "my name is {}.", "My name's {}, and I ask", "my full name is {}",
    "Hello, my name is {}! What is a gait?", "I am {}, a student", "I'm {} from class 7b", "I’m {}, hi",
    "This is {} speaking", "call me {}", "They call me {}", "Ich heiße {}", "Mein Name ist {}",
    "Je m'appelle {}", "Me llamo {}", "Mi nombre es {}", "Mi chiamo {}", "Name: {}", "Student: {}",
    "Regards,\n{}", "Best wishes, {}", "Yours sincerely,\n{}", "Signed, {}", "I am called {}",
    "Full name: {}", "MY NAME IS {}", "my first name is {}", "my surname is {}", "Ich bin {} aus der 7b",
    "Viele Grüße\n{}", "my na\u200bme is {}",
)  # fmt: skip
NAMES = (
    "Bob",
    "Ada Lovelace",
    "Grace Brewster Hopper",
    "Jürgen",
    "O'Neill",
    "bob",
    "Zoë Müller-Lang",
)


def personal_samples() -> list[Sample]:
    """Three hundred samples, the same ones each time."""
    found: list[Sample] = []
    for kind, size in KIND_SIZE.items():
        every = list(_MAKERS[kind]())  # type: ignore[index]
        found += _spread(every, size)
    return found


def _spread(every: Sequence[Sample], size: int) -> list[Sample]:
    """So many of them, drawn by lot, each form before any form again."""
    lot = random.Random(20)  # noqa: S311  # a draw that anyone can repeat
    by_form: dict[str, list[Sample]] = {}
    for sample in lot.sample(every, len(every)):
        by_form.setdefault(sample.form, []).append(sample)
    rows = [samples[at : at + 1] for at in range(len(every)) for samples in by_form.values()]
    return [sample for row in rows for sample in row][:size]


def _sample(kind: Kind, form: str, text: str, value: str) -> Sample:
    drawn = sha256(f"{kind} {form} {text}".encode()).digest()[0] % 2
    return Sample(kind, form, f"A question: {text} Thanks.", value, "held" if drawn else "tuned")


def _addresses() -> Iterator[Sample]:
    for form, write in ADDRESS_FORMS.items():
        for user, host in ADDRESSES:
            text = write(user, host)
            value = text.removeprefix("mailto:").removesuffix("?subject=hi")
            value = value.removeprefix("Jo <").removesuffix(">") if form == "angles" else value
            value = value[4:-4] if form == "per cent" else value
            yield _sample("e-mail", form, text, value)


def _phones() -> Iterator[Sample]:
    for form, write in PHONE_FORMS.items():
        for number in PHONES:
            text = write(number)
            bare = text.rsplit(" ", 1)[1] if form in ("labelled", "call me", "my number") else text
            # Where the plan's own form is in play each number is one; the others share one.
            yield _sample("phone", number if form == "plain" else form, text, bare)


def _cards() -> Iterator[Sample]:
    for form, write in CARD_FORMS.items():
        for number in CARDS:
            yield _sample("card", form, write(number), write(number))


def _ibans() -> Iterator[Sample]:
    for form, write in IBAN_FORMS.items():
        for number in IBANS:
            yield _sample("iban", form, write(number), write(number))


def _keys() -> Iterator[Sample]:
    lot = random.Random(21)  # noqa: S311
    for form, prefix, letters, length in KEYS:
        drawn = "".join(lot.choice(letters) for _ in range(length - 1)) + "7"
        text = f"{prefix}{drawn}{AFTER_KEY.get(form, '')}"
        yield _sample("key", form, text, drawn if prefix in LABELS else prefix + drawn)


def _passwords() -> Iterator[Sample]:
    for at, form in enumerate(PASSWORD_FORMS):
        value = "4711" if "{pin}" in form else PASSWORDS[at % len(PASSWORDS)]
        yield _sample("password", form, form.format(value, pin=value), value)


def _names() -> Iterator[Sample]:
    for at, form in enumerate(NAME_FORMS):
        value = NAMES[at % len(NAMES)]
        yield _sample("name", form, form.format(value), value)


_MAKERS: dict[Kind, Callable[[], Iterator[Sample]]] = {
    "e-mail": _addresses, "phone": _phones, "card": _cards, "iban": _ibans,
    "key": _keys, "password": _passwords, "name": _names,
}  # fmt: skip


def _wide(text: str) -> str:
    """In full-width forms, as East Asian keyboards write them."""
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


def _grouped(number: str, gap: str) -> str:
    return gap.join(number[at : at + 4] for at in range(0, len(number), 4))


def _digits(number: str) -> str:
    return "".join(each for each in number if each.isdigit())
