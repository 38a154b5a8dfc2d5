"""The way to a part, which can be cut or swallow everything while the part and its clients run, and
which counts."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class Wire:
    """Carries TCP to a port of this machine.

    `connections` counts those made; `turns` how often a client spoke after having been answered:
    the round trips, when one client uses it.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._answered = True
        self._swallowed: bytes | None = None
        self._hangs = False
        self.connections = 0
        self.turns = 0
        self._listener = _listen(0)
        self.port: int = self._listener.getsockname()[1]
        self._accept()

    @classmethod
    def to(cls, url: str) -> Wire:
        return cls(urlsplit(url).port or 80)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lead_to(self, port: int) -> None:
        """Carry what is connected from now on to another port: the part came back there."""
        self._target = port

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Nothing gets through while the block runs; what was connected is disconnected."""
        self.close()
        try:
            yield
        finally:
            self._listener = _listen(self.port)
            self._accept()

    @contextmanager
    def hanging(self, on: bytes = b"") -> Iterator[None]:
        """Nothing gets through, and nobody is told, from the first that clients say with `on` in
        it. What was connected is disconnected when the block ends."""
        self._swallowed = on
        try:
            yield
        finally:
            self.close()
            self._swallowed, self._hangs = None, False
            self._listener = _listen(self.port)
            self._accept()

    @contextmanager
    def unroutable(self) -> Iterator[None]:
        """No connection comes about, and nobody is told, while the block runs."""
        self.close()
        listener = _listen(self.port, 0)
        full = [_begin_to_connect(self.port) for _ in range(4)]
        try:
            yield
        finally:
            for one in (*full, listener):
                one.close()
            self._listener = _listen(self.port)
            self._accept()

    def close(self) -> None:
        self._closed.set()
        _end(self._listener)
        self._acceptor.join(10)
        with self._lock:
            opened, self._open = self._open, []
        for one in opened:
            _end(one)

    def _accept(self) -> None:
        self._closed = threading.Event()
        self._acceptor = threading.Thread(target=self._run, args=(self._listener,), daemon=True)
        self._acceptor.start()

    def _run(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target), 10)
            except OSError:  # the part is gone: so is whoever called it
                _end(client)
                continue
            server.settimeout(None)
            with self._lock:
                self.connections += 1
                self._open += [client, server]
            for side in (client, server):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for pair in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, asks: bool) -> None:
        closed = self._closed
        with suppress(OSError):
            while data := source.recv(65_536):
                if asks and self._swallowed is not None and self._swallowed in data:
                    self._hangs = True
                if self._hangs:
                    closed.wait()
                    break
                with self._lock:
                    self.turns += asks and self._answered
                    self._answered = not asks
                target.sendall(data)
        _end(source)
        _end(target)


def _begin_to_connect(port: int) -> socket.socket:
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(("127.0.0.1", port))
    return one


def _listen(port: int, backlog: int = 64) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(backlog)
    return listener


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
