"""Signed tickets: only this book's own are known, whatever is done to them."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.lifecycle.tickets import VALIDITY_S, InvalidTicket, Kind, Tickets

KEY = "a key of thirty-two characters, or more"
NOW = 1_790_000_000.0
TICKETS = Tickets(KEY)
kinds = st.sampled_from(["queued", "deferred"])


@given(st.uuids(), kinds, st.integers(0, 2**36))
def test_a_ticket_says_what_was_signed(id: uuid.UUID, kind: Kind, given_at: int) -> None:
    read = TICKETS.read(f"  {TICKETS.sign(str(id), kind, given_at).upper()} ")
    assert (read.query_id, read.kind, read.given_at) == (str(id), kind, given_at)


@given(st.uuids(), kinds, st.data())
def test_a_changed_ticket_is_none(id: uuid.UUID, kind: Kind, data: st.DataObject) -> None:
    ticket = TICKETS.sign(str(id), kind, NOW)
    at = data.draw(st.integers(0, len(ticket) - 1))
    other = data.draw(st.sampled_from("0123456789abcdefqd.-"))
    changed = ticket[:at] + other + ticket[at + 1 :]
    if changed != ticket:
        with pytest.raises(InvalidTicket):
            TICKETS.read(changed)


@given(st.uuids(), kinds)
def test_another_key_or_no_key_does_not_know_it(id: uuid.UUID, kind: Kind) -> None:
    ticket = TICKETS.sign(str(id), kind, NOW)
    for other in (Tickets(f"{KEY}."), Tickets()):
        with pytest.raises(InvalidTicket) as told:
            other.read(ticket)
        assert told.value.forged


@given(st.text(max_size=120))
def test_any_other_text_is_no_ticket(text: str) -> None:
    for tickets in (TICKETS, Tickets()):
        with pytest.raises(InvalidTicket):
            tickets.read(f"{text}!")


@given(st.uuids())
def test_without_a_key_the_id_is_the_ticket_and_holds_only_by_the_database(id: uuid.UUID) -> None:
    unsigned = Tickets()
    assert unsigned.sign(str(id), "queued", NOW) == str(id)
    assert unsigned.read(str(id)).is_valid(NOW) is False
    with pytest.raises(InvalidTicket) as told:
        TICKETS.read(str(id))
    assert told.value.forged


def test_a_ticket_holds_for_a_day() -> None:
    ticket = TICKETS.read(TICKETS.sign(str(uuid.uuid4()), "deferred", NOW))
    assert ticket.is_valid(NOW + VALIDITY_S - 1)
    assert not ticket.is_valid(NOW + VALIDITY_S)


def test_a_pseudonym_tells_nothing_without_the_key() -> None:
    own = TICKETS.pseudonym("lea@school.example")
    assert own == TICKETS.pseudonym("lea@school.example")
    assert own != Tickets(f"{KEY}.").pseudonym("lea@school.example")
    assert "lea" not in own.removeprefix("late-")
