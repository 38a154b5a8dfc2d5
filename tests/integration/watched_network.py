"""Runs a command in a network of its own, and records what of it would have left the machine.

The network has one interface, loopback, and every address leads there. A packet socket outside the
command sees each packet the kernel routes, whichever library or system call sent it. Names go to a
resolver that records them and answers with an address, so that what would follow is seen too.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

RESOLVER, ANSWER, END = "192.0.2.53", "192.0.2.80", "192.0.2.99"
"""Addresses kept for documentation (RFC 5737). A packet to the last one ends the watch."""
ENTER = ("unshare", "--net", "--mount", "--propagation", "private") + (
    () if os.geteuid() == 0 else ("--user", "--map-current-user", "--keep-caps")
)
ETH_P_ALL, ETH_P_IP, ETH_P_IPV6 = 0x0003, 0x0800, 0x86DD
SO_ATTACH_FILTER, SOL_PACKET, PACKET_STATISTICS, PACKET_OUTGOING = 26, 263, 6, 4
ETHERNET = 14
KEPT_BYTES = 256
SYN, SYN_ACK = 0x02, 0x12
PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmp"}
ECHO_REQUESTS = {8, 128}


@dataclass(frozen=True)
class Watched:
    """What a command did. `left` has a line for each name it looked up and address it sent to;
    `unseen` counts packets that came too fast to be read."""

    returncode: int
    output: str
    left: list[str]
    unseen: int


def can_watch() -> bool:
    """Whether this machine lets us make a network."""
    try:
        made = subprocess.run(
            [*ENTER, "ip", "route", "show"], capture_output=True, timeout=30, check=False
        )
    except OSError:
        return False
    return made.returncode == 0


def watch(command: list[str], seconds: float, **environment: str) -> Watched:
    """Run a command to its end, at most so many seconds, and tell what would have left."""
    with tempfile.TemporaryDirectory(prefix="quoth-watch-") as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            [*ENTER, sys.executable, "-m", __name__, str(report), *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | environment,
            timeout=seconds,
            check=False,
        )
        assert report.exists(), done.stdout
        return Watched(done.returncode, done.stdout, **json.loads(report.read_text()))


def main() -> None:
    """Inside the new network: `REPORT COMMAND …`."""
    _make_network()
    left: dict[str, None] = {}
    packets = _packet_socket()
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind((RESOLVER, 53))
    threading.Thread(target=_answer_names, args=(names, left), daemon=True).start()
    reader = threading.Thread(target=_read_packets, args=(packets, left), daemon=True)
    reader.start()
    done = subprocess.run(sys.argv[2:], check=False)
    names.sendto(b"", (END, 9))
    reader.join(30)
    _, unseen = struct.unpack("II", packets.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    Path(sys.argv[1]).write_text(json.dumps({"left": list(left), "unseen": unseen}))
    sys.exit(done.returncode)


def _make_network() -> None:
    for arguments in (
        "link set lo up",
        "route add local 0.0.0.0/0 dev lo",
        "-6 route add local ::/0 dev lo",
    ):
        subprocess.run(["ip", *arguments.split()], check=True)
    for path, text in (
        ("/etc/resolv.conf", f"nameserver {RESOLVER}\n"),
        ("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    ):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            Path(file.name).chmod(0o644)
            subprocess.run(["mount", "--bind", file.name, path], check=True)
    if (cache := Path("/var/run/nscd")).is_dir():  # it would look names up for the command
        subprocess.run(["mount", "-t", "tmpfs", "none", cache], check=True)


def _packet_socket() -> socket.socket:
    """Every packet whose IPv4 destination is not loopback, and all of IPv6, cut short."""
    code = (
        (0x28, 0, 0, 12),  # its kind
        (0x15, 0, 2, ETH_P_IP),
        (0x30, 0, 0, ETHERNET + 16),  # the first byte of the destination
        (0x15, 1, 0, 127),
        (0x06, 0, 0, KEPT_BYTES),
        (0x06, 0, 0, 0),
    )
    buffer = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in code))
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    program = struct.pack("HL", len(code), ctypes.addressof(buffer))
    made.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
    made.bind(("lo", ETH_P_ALL))
    return made


def _read_packets(packets: socket.socket, left: dict[str, None]) -> None:
    told = ""
    while told != f"udp {END} 9":
        if told:
            left[told] = None
        packet, (_, kind, direction, *_) = packets.recvfrom(KEPT_BYTES)
        told = _told(kind, packet[ETHERNET:]) if direction == PACKET_OUTGOING else ""


def _told(kind: int, packet: bytes) -> str:
    """A line for a packet that leaves; none for what the watch and the kernel send themselves."""
    source: IPv4Address | IPv6Address
    target: IPv4Address | IPv6Address
    if kind == ETH_P_IP:
        protocol, rest = packet[9], packet[(packet[0] & 15) * 4 :]
        source, target = IPv4Address(packet[12:16]), IPv4Address(packet[16:20])
    elif kind == ETH_P_IPV6:
        protocol, rest = packet[6], packet[40:]
        source, target = IPv6Address(packet[8:24]), IPv6Address(packet[24:40])
    else:
        return f"frame {kind:#06x}"
    name = PROTOCOLS.get(protocol, f"protocol {protocol}")
    to_resolver = str(target) == str(source) == RESOLVER  # told by its names
    replies = (name == "icmp" and rest[0] not in ECHO_REQUESTS) or (
        name == "tcp" and rest[13] & SYN_ACK != SYN
    )
    if target.is_loopback or to_resolver or replies:
        return ""
    return f"{name} {target} {struct.unpack('!H', rest[2:4])[0] if name != 'icmp' else ''}".strip()


def _answer_names(names: socket.socket, left: dict[str, None]) -> None:
    """Record each name and answer it: an IPv4 address where one is asked for, else nothing."""
    while True:
        asked, client = names.recvfrom(512)
        labels, at = [], 12
        while length := asked[at]:
            labels.append(asked[at + 1 : at + 1 + length].decode(errors="replace"))
            at += 1 + length
        question = asked[12 : at + 5]
        left[f"name {'.'.join(labels)}"] = None
        answer = b""
        if question[-4:-2] == b"\0\x01":
            answer = b"\xc0\x0c" + question[-4:] + struct.pack("!IH", 60, 4)
            answer += IPv4Address(ANSWER).packed
        counts = struct.pack("!HHHH", 1, 1 if answer else 0, 0, 0)
        names.sendto(asked[:2] + b"\x81\x80" + counts + question + answer, client)


if __name__ == "__main__":
    main()
