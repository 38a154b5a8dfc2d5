"""Which network an address belongs to, and what an institution is given."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.runtime.networks import MOST_READERS, Network, network_of
from functions.runtime.settings import MissingSettings, read_settings

SCHOOLS = "203.0.113.0/24=300, 203.0.113.64/26=40,2001:db8:7::/48=600"


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.9", Network("203.0.113.0/24", 300)),
        ("203.0.113.70", Network("203.0.113.64/26", 40)),
        ("::ffff:203.0.113.9", Network("203.0.113.0/24", 300)),
        ("2001:db8:7:1::5", Network("2001:db8:7::/48", 600)),
        ("203.0.114.9", Network("203.0.114.9")),
        ("2001:db8:8:1:aaaa::5", Network("2001:db8:8:1::/64")),
    ],
)
def test_the_smallest_listed_network_counts_else_the_address(
    address: str, network: Network
) -> None:
    assert network_of(address, SCHOOLS) == network


@given(st.ip_addresses(v=6), st.integers(0, 2**64 - 1))
def test_every_address_of_a_64_is_one_network(address: ipaddress.IPv6Address, host: int) -> None:
    other = ipaddress.IPv6Address(int(address) >> 64 << 64 | host)
    if address.ipv4_mapped is None and other.ipv4_mapped is None:
        assert network_of(str(address), "") == network_of(str(other), "")


@pytest.mark.parametrize(
    "wrong",
    [
        "203.0.113.0/24", "203.0.113.0/24=", "203.0.113.0/24=0", "203.0.113.0/24=many",
        "203.0.113.9/24=300", "school=300", f"10.0.0.0/8={MOST_READERS + 1}",
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_read_is_named(wrong: str) -> None:
    with pytest.raises(MissingSettings, match="QUOTH_NETWORKS"):
        read_settings({"QUOTH_NETWORKS": wrong})
