"""The networks that readers ask from, and how many readers each may bring. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

MOST_READERS = 100_000
IPV6_PREFIX = 64
"""What one household gets: a machine may use any address in it."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network whose readers share limits: `readers` may begin a minute, None for the default."""

    name: str
    readers: int | None = None


@cache
def read_networks(text: str) -> dict[IPv4Network | IPv6Network, int]:
    """Read `203.0.113.0/24=300,2001:db8::/48=600`: readers by network. Raises ValueError."""
    found = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, _, readers = entry.partition("=")
        if not readers.strip().isdecimal() or not 0 < int(readers) <= MOST_READERS:
            raise ValueError(f"{entry}: write network=readers, at most {MOST_READERS:,} readers")
        found[ip_network(name.strip())] = int(readers)
    return found


def network_of(address: str, networks: str) -> Network:
    """The network of an IP address: the smallest of `networks` that holds it, else an IPv4 address
    itself, and the /64 of an IPv6 one."""
    given = ip_address(address)
    given = getattr(given, "ipv4_mapped", None) or given
    known = [(each, n) for each, n in read_networks(networks).items() if given in each]
    if known:
        network, readers = max(known, key=lambda pair: pair[0].prefixlen)
        return Network(str(network), readers)
    if given.version == 4:
        return Network(str(given))
    return Network(str(ip_network((int(given), IPV6_PREFIX), strict=False)))
