"""What is masked, what a textbook's numbers look like, and that no text breaks the masking."""

from __future__ import annotations

import time
from uuid import UUID

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from functions.runtime.privacy.check_digits import IBAN_LENGTHS, is_card_number, is_iban
from functions.runtime.privacy.personal_data import (
    find_personal_data,
    has_personal_data,
    mask_all,
    mask_personal_data,
    values_in,
)
from tests.personal_samples import PERSONAL
from tools.evaluate.redaction import evaluate_redaction

TEXTBOOK = """
ISBN 978-3-16-148410-0
ISBN 9783161484100
ISBN 0-306-40615-2
ISBN-10: 0306406152
π is 3.14159265358979 or 3.141592653589793
e = 2.71828182845904523536
in 1969, 1984 and 2024; from 1914-1918 and 2024-2025
2024-01-05 and 05.01.2024 and 01/05/2024
2024-01-05T10:15:30Z, 2026-11-22 06:20:41.123456+00:00
1,000,000 robots and 1 000 000 km and 1.000.000 €
52.520008, 13.404954 and -33.8688, +151.2093
48°51'29.6"N 2°17'40.2"E
section 1.2.3.4 and chapter 10.12.3
version 3.13.0rc1 and torch==2.4.1+cu121
127.0.0.1, 192.168.0.1 and 10.0.0.0/8
fe80::1ff:fe23:4567:890a
F = G m1 m2 / r^2 with G = 6.67430e-11
v(t) = v0 + a*t, x += 12345678
c = 299792458 m/s; N_A = 6.02214076e23
joint limits -1.57 +1.57 -3.14 +3.14 0.25 1000.5
<limit lower="-1.57" upper="1.57" effort="1000.0" velocity="0.5"/>
0x7fffffffe4d0 and 0b0010110101110110
0010 1101 0111 0011
1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597 2584
chmod 0755 0644 0600
123e4567-e89b-12d3-a456-426614174000
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
1763792383000 and 1763792383000123 and 1700000000000000000
10.1000/182 and doi:10.1038/s41586-020-2649-2
arXiv:1706.03762v5
lodash@4.17.21 and react@18.2.0
git clone git@github.com:ros2/rclpy.git
@app.get("/items") and @dataclass
user@host and robot@192.168.0.1
https://example.org/docs/ch1#what-is-physical-ai
What is a token, and how long is the key of AES-256?
The password is stored hashed; a passphrase is longer.
password: str = getpass(), api_key=os.environ["OPENAI_API_KEY"]
secret: bytes, token: float32, access_token: Optional[str]
What are sk-learn-compatible-estimators and risk-averse-planners?
the bearer of bad news; a Bearer token; bearer authentication-mechanism
The public key begins with -----BEGIN PUBLIC KEY-----
Fuel cell 12, cell phone networks of 1990, mobile robots 3 and 4
telephone exchanges handled 2.5 million calls
5,678 of 1,234 (56.78 %) 4/5 3:2 16:9
pages 123-145 and 300-4000
RFC 2119, ISO 8373:2021, IEEE 802.11
DE EU US 27 states; AT 20 %, NO 15 kg
Luhn's 4111 1111 1111 1112 is wrong
GB82 WEST 1234 5698 7654 33 is wrong
(1984) 123 4567
int x[] = {4000, 4250, 4500};
1234567890 and 9876543210
20240105101530 and 20240105 101530
the year (2024) 100-2000
x @ self.weight + b @ w.T, and return @app.get
look at crates.io or at doc.rust-lang.org; what is there at example.org?
My name is not in the list; the name is used; this is Rust; I am Groot-like
Yours is the Signed Response; a student: Python; name: CI
10² + 4² = 116, ½ of 5⅓
ICD-10 code J45.909; CAS 7732-18-5
t = 00:01:30.500, 12:34:56
AKIA is a prefix, ghp_ as well, and eyJ begins a token
""".strip().splitlines()


@pytest.mark.parametrize("text", TEXTBOOK)
def test_passes_what_a_textbook_says(text: str) -> None:
    assert find_personal_data(text) == ()
    assert mask_personal_data(text) is text


@pytest.mark.parametrize(("kind", "value"), PERSONAL)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "Is {} right?",
        "({})",
        "“{}”.",
        "x\n{}\ny",
        "{}, and so on",
        "<b>{}</b>",
        "a;{};b",
        "docs/{}",
        "?me={}&you=1",
        "#{}",
        "{}/x",
    ],
)
def test_masks_each_kind_wherever_it_stands(kind: str, value: str, around: str) -> None:
    masked = mask_personal_data(around.format(value))
    assert masked == around.format(f"[{kind}]")
    assert has_personal_data(value)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("my password is swordfish, why?", "my password is [key], why?"),
        ("password=hunter2", "password=[key]"),
        ('{"password": "correct horse"}', '{"password": "[key]"}'),
        ("api_key = 'abcdef'", "api_key = '[key]'"),
        ("the API key is q8Zt5Lk2", "the API key is [key]"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [key]"),
        ("Bearer a1b2c3d4e5f6a7b8c9d0", "Bearer [key]"),
        ("postgresql://ada:s3cret@db.example/x", "postgresql://[key]@db.example/x"),
        ("Phone: 555 1234567", "Phone: [phone]"),
        ("my mobile number is 5551234567.", "my mobile number is [phone]."),
        ("mailto:ada@example.org?x=1", "mailto:[e-mail]?x=1"),
        ("a@example.org,b@example.org", "[e-mail],[e-mail]"),
        ("ada [at] example.org", "[e-mail]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK", "[key]"),
        ("de89370400440532013000", "[iban]"),
    ],
)
def test_masks_the_value_and_leaves_what_says_what_it_is(text: str, masked: str) -> None:
    assert mask_personal_data(text) == masked


def test_masks_nearly_all_of_three_hundred_published_forms() -> None:
    found = evaluate_redaction([])
    assert found["n_samples"] == 300
    assert min(found["recall_tuned"], found["recall_held"]) >= 0.95
    assert all(kind["recall"] >= 0.9 for kind in found["by_kind"].values()), found["by_kind"]


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("john.doe \uff20 example\uff0eorg", "[e-mail]"),
        ("a\u200bda@exam\u00adple.org, x\u00b2", "[e-mail], x\u00b2"),
        ("½ of ada [at] example [dot] org", "½ of [e-mail]"),
        ("\u202eDE89.3704.0044.0532.0130.00", "\u202e[iban]"),
        ("my name is bob and I ask", "my name is [name] and I ask"),
        ("pass: hunter2", "pass: [key]"),
        ("५५५ १२३ ४५६७", "[phone]"),
    ],
)
def test_masks_the_original_where_its_plain_characters_match(text: str, masked: str) -> None:
    assert mask_personal_data(text) == masked


def test_masks_several_kinds_in_one_text() -> None:
    text = " ".join(value for _, value in PERSONAL)
    assert mask_personal_data(text) == " ".join(f"[{kind}]" for kind, _ in PERSONAL)


def test_masks_every_text_of_plain_data_and_leaves_the_rest() -> None:
    given = {"a": ["ada@example.org", 1, None, 2.5, True], "b": {"c": "none"}}
    assert mask_all(given) == {"a": ["[e-mail]", 1, None, 2.5, True], "b": {"c": "none"}}


def test_tells_the_values_of_texts() -> None:
    assert values_in(["I am ada@example.org", "none"]) == {"ada@example.org": "e-mail"}


numbers = st.from_regex(r"[0-9]{1,3}([.,:/ -][0-9]{1,4}){0,5}", fullmatch=True)


# The first draw in a fresh clone reads all of Unicode: seconds on a busy machine.
@settings(suppress_health_check=[HealthCheck.too_slow])
@example("0049 170 1234567/0049 170 7654321")
@given(st.text(st.characters(categories=None)) | st.lists(numbers).map(" ".join))
def test_masking_twice_changes_nothing_more(text: str) -> None:
    masked = mask_personal_data(text)
    assert mask_personal_data(masked) == masked


@given(st.text(), st.sampled_from(PERSONAL), st.text())
def test_personal_data_between_blanks_is_found_in_any_text(
    before: str, sample: tuple[str, str], after: str
) -> None:
    assert sample[1] not in mask_personal_data(f"{before}\n{sample[1]}\n{after}")


@given(st.floats(-1e6, 1e6), st.integers(0, 12))
def test_passes_every_decimal_number(value: float, places: int) -> None:
    assert not has_personal_data(f"It is {value:.{places}f} or {value:+.{places}f} or {value:e}.")


@given(st.dates(), st.times())
def test_passes_every_date_and_time(day: object, time: object) -> None:
    assert not has_personal_data(f"On {day} at {time}, {day}T{time}Z")


@given(st.uuids(), st.binary(min_size=4, max_size=32))
@example(UUID("1ca506ec-b4ee-ee18-feca-b1031572e0d5"), bytes(4))  # as if of an account in Estonia
@example(UUID("be427dbc-677e-42e6-a553-083cae9dedf2"), bytes(4))  # and in Belgium
def test_passes_every_id_and_hash(one: object, data: bytes) -> None:
    assert not has_personal_data(f"{one} {data.hex()}x")


@given(st.integers(0, 10**6), st.sampled_from([",", " ", "."]))
def test_passes_every_quantity_up_to_a_million(number: int, mark: str) -> None:
    assert not has_personal_data(f"{number:,}".replace(",", mark))


@given(st.text("0123456789", min_size=15, max_size=15).map(lambda rest: f"4{rest}"))
def test_one_of_ten_last_digits_makes_a_card_number(digits: str) -> None:
    assert sum(is_card_number(digits[:-1] + str(last)) for last in range(10)) == 1


@given(st.sampled_from(sorted(IBAN_LENGTHS.items())), st.data())
def test_one_pair_of_check_digits_makes_an_account_number(
    form: tuple[int, str], data: st.DataObject
) -> None:
    country = data.draw(st.sampled_from(form[1].split()))
    account = data.draw(st.text("0123456789ABCXYZ", min_size=form[0] - 4, max_size=form[0] - 4))
    numbers = (f"{country}{pair:02}{account}" for pair in range(2, 99))
    good = [number for number in numbers if is_iban(number)]
    assert len(good) == 1
    assert mask_personal_data(f"to {good[0]} now") == "to [iban] now"
    spaced = " ".join(good[0][at : at + 4] for at in range(0, len(good[0]), 4))
    assert mask_personal_data(f"to {spaced}.") == "to [iban]."


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1",
        "0",
        "4",
        " ",
        "@",
        "a@",
        "a.",
        "+1 ",
        "4111 ",
        "DE12",
        "-",
        "eyJa.",
        "sk-",
        "password is ",
        "my a ",
        "-----BEGIN PRIVATE KEY-----",
        "://a:",
        "tel 1 ",
        "(",
        "a at b dot ",
        "a dot ",
        "[at]",
        " (at) a (dot) ",
        "my name is A ",
        "I'm A B ",
        "\u200b",
        "a\u200b@",
        "0170 ",
        "(0",
        "12.",
        "4111/",
        "DE12.3456.",
        "+1 (2) ",
        "pass ",
        "my pin ",
        "regards,\n",
        '"a',
        "\u00a0",
    ],
)
def test_time_grows_no_faster_than_the_text(piece: str) -> None:
    def took(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.process_time()
        mask_personal_data(text)
        return time.process_time() - started

    took(1_000)
    assert took(40_000) < 40 * max(took(4_000), 0.005)
