"""Clients of the load script: requests made beforehand, sent over connections that stay open."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[2]


@dataclass
class Load:
    """The result of a load: examples or predictions per second, and request times in milliseconds."""

    rate: float
    median: float
    p99: float

    def __str__(self) -> str:
        return f"{self.rate:>9,.0f}/s   median {self.median:6.2f} ms   p99 {self.p99:6.2f} ms"


def http(path: str, body: bytes, port: int, kind: str = "application/json") -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: {kind}\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def ask(connection: socket.socket, request: bytes) -> bytes:
    """Send one request and return its complete reply."""
    connection.sendall(request)
    answer = connection.recv(65536)
    while b"\r\n\r\n" not in answer:
        if not (more := connection.recv(65536)):
            raise ConnectionError("closed")
        answer += more
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(answer[:500].decode(errors="replace"))
    lower = head.lower()
    length = int(lower.split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65536)
    return body


def load(
    port: int, requests: Sequence[bytes], connections: int, seconds: float, each: int, of: Any = None
) -> Load:
    """Send requests over several connections for a time; `each` is the number of examples per request.

    One thread waits for all of them, so that the clients take as little of the two cores as can be: what
    is measured is the server.
    """
    times: list[float] = []
    poll = select.epoll()
    open_ones: dict[int, Connection] = {}
    for number in range(connections):
        one = (of or Connection)(port)
        open_ones[one.socket.fileno()] = one
        poll.register(one.socket.fileno(), select.EPOLLIN)
        one.send(requests[number % len(requests)])
    place, began = connections, time.perf_counter()
    end = began + seconds
    while open_ones:
        for number, _ in poll.poll():
            one = open_ones[number]
            if not one.has_answer():
                continue
            now = time.perf_counter()
            times.append(now - one.began)
            if now < end:
                one.send(requests[place % len(requests)])
                place += 1
            else:
                poll.unregister(number)
                open_ones.pop(number).socket.close()
    taken, n = time.perf_counter() - began, len(times)
    times.sort()
    return Load(n * each / taken, 1e3 * times[n // 2], 1e3 * times[int(0.99 * n)])


class Connection:
    """A connection that stays open, with one request in progress."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, request: bytes) -> None:
        self.began, self._answer, self._length = time.perf_counter(), b"", 0
        self.socket.sendall(request)

    def has_answer(self) -> bool:
        """Receive data; return whether the reply is complete."""
        if not (more := self.socket.recv(65536)):
            raise ConnectionError("closed")
        self._answer = answer = self._answer + more if self._answer else more
        if not self._length and (head := answer.find(b"\r\n\r\n")) > 0:
            if not answer.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(answer[:500].decode(errors="replace"))
            at = answer.index(b"content-length:") + 15
            self._length = head + 4 + int(answer[at : answer.index(b"\r\n", at)])
        return len(answer) == self._length


class LineConnection(Connection):
    """A connection to Vowpal Wabbit's daemon: one reply per line."""

    def send(self, request: bytes) -> None:
        self._left = request.count(b"\n")
        super().send(request)

    def has_answer(self) -> bool:
        if not (more := self.socket.recv(65536)):
            raise ConnectionError("closed")
        self._left -= more.count(b"\n")
        return self._left == 0


class Server:
    """A server process on `port`, which ends with the block."""

    def __init__(self, words: Sequence[str], port: int, ready: str | None = "/health") -> None:
        self.port = port
        sources = os.pathsep.join([str(HERE / "src"), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": sources}
        self.process = subprocess.Popen([sys.executable, *words], env=environment, cwd=HERE)
        self.seconds = self._wait(ready)

    def _wait(self, ready: str | None) -> float:
        """Wait until it replies, or, without a path, until it accepts connections."""
        began = time.perf_counter()
        request = f"GET {ready} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\n\r\n".encode()
        while time.perf_counter() - began < 120:
            if self.process.poll() is not None:
                raise RuntimeError("the server ended")
            try:
                with socket.create_connection(("127.0.0.1", self.port), 2) as connection:
                    if ready is not None:
                        self.health = json.loads(ask(connection, request))
                return time.perf_counter() - began
            except (OSError, RuntimeError):
                time.sleep(0.02)
        raise RuntimeError("the server did not begin")

    def learned(self) -> int:
        """Return the number of examples in its weights."""
        self._wait("/health")
        return int(self.health["learned"])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])
