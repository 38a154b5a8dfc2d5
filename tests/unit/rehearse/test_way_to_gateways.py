"""The way by which a script reaches a gateway whose name only browsers find."""

from __future__ import annotations

import socket
from pathlib import Path

from tools.rehearse.deploy import way_to_gateways


def test_a_program_is_led_to_this_machine_whatever_name_it_calls() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as gateway,
        way_to_gateways(Path("certificate.pem")) as way,
    ):
        proxy = way["HTTPS_PROXY"].rsplit(":", 1)[1]
        port = gateway.getsockname()[1]
        with socket.create_connection(("127.0.0.1", int(proxy)), timeout=10) as program:
            program.sendall(f"CONNECT a1.execute-api.localhost:{port} HTTP/1.1\r\n\r\n".encode())
            with gateway.accept()[0] as near, program.makefile("rb") as answer:
                assert b" 200 " in answer.readline()
                while answer.readline().strip():
                    pass
                program.sendall(b"asked")
                assert near.recv(100) == b"asked"
                near.sendall(b"answered")
                assert answer.read(8) == b"answered"
    assert way["SSL_CERT_FILE"] == "certificate.pem"
