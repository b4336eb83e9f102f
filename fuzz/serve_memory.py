"""The memory of a service under an hour of load: ``python -m fuzz.serve_memory [MINUTES]``.

Clients send labelled examples (JSON and Arrow), request predictions, and reveal labels late or never.
Other clients read slowly or not at all, send bodies that are endless, too large or deeply nested, and
open idle connections. The rate of requests is limited, to find memory that grows over time. The resident
memory of the process is sampled; at the end the curve is printed, and the maximum is compared with the
limit.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa

from fuzz.serve_torture import Process

BOUND = 1_000  # MB
WORDS = [f"word{j}" for j in range(5000)]
ARROW = "application/vnd.apache.arrow.stream"


class Load:
    """Clients of one service, each in its own thread."""

    def __init__(self, port: int, seed: int) -> None:
        self.port, self._draw, self._is_over = port, random.Random(seed), threading.Event()
        self.counts: dict[str, int] = {}
        self._waiting: list[tuple[str, float]] = []  # challenges, and when they will be revealed

    def run(self, seconds: float) -> None:
        jobs: list[tuple[Callable[[], None], float]] = [
            (self.teach, 0.4), (self.teach_arrow, 1.0), (self.ask, 0.05), (self.reveal, 1.0),
            (self.read_slowly, 20.0), (self.never_finish, 10.0), (self.too_large, 15.0),
            (self.large, 30.0), (self.deep, 5.0), (self.look, 5.0),
        ]  # fmt: skip
        threads = [threading.Thread(target=self._again, args=job, daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        self._is_over.wait(seconds)
        self._is_over.set()

    def _again(self, job: Callable[[], None], every: float) -> None:
        while not self._is_over.wait(every * self._draw.uniform(0.5, 1.5)):
            with suppress(OSError, http.client.HTTPException):
                job()

    def _request(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body or None, {"content-type": kind})
            answer = connection.getresponse()
            content = answer.read()
            name = f"{path.split('?')[0]} {answer.status}"
            self.counts[name] = self.counts.get(name, 0) + 1
            return content
        finally:
            connection.close()

    def _x(self) -> dict[str, float]:
        return {word: round(self._draw.gauss(0, 1), 3) for word in self._draw.sample(WORDS, 20)}

    def teach(self) -> None:
        examples = [{"x": self._x(), "y": self._draw.choice([-1, 1])} for _ in range(100)]
        self._request("POST", "/learn", json.dumps({"examples": examples}).encode())

    def teach_arrow(self) -> None:
        columns = {word: np.random.default_rng(0).normal(size=100) for word in WORDS[:20]}
        table = pa.table({**columns, "y": np.where(columns["word0"] > 0, 1, -1)})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        self._request("POST", "/learn", sink.getvalue().to_pybytes(), ARROW)

    def ask(self) -> None:
        told = json.loads(self._request("POST", "/answer", json.dumps({"x": self._x()}).encode()))
        if "ids" in told and self._draw.random() < 0.7:  # the others are never revealed
            self._waiting.append((told["ids"][0], time.monotonic() + self._draw.uniform(0, 120)))

    def reveal(self) -> None:
        now = time.monotonic()
        ripe = [name for name, at in self._waiting if at <= now]
        self._waiting = [each for each in self._waiting if each[1] > now]
        if ripe:
            told = {"examples": [{"id": name, "y": self._draw.choice([-1, 1])} for name in ripe]}
            self._request("POST", "/reveal", json.dumps(told).encode())

    def _open(self, text: str) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), 60)
        connection.sendall(text.replace("\n", "\r\n").format(port=self.port).encode())
        return connection

    def read_slowly(self) -> None:
        """The log and the model, of which only a little is ever read."""
        for path in ("/log?limit=100000", "/model"):
            connection = self._open(f"GET {path} HTTP/1.1\nhost: 127.0.0.1:{{port}}\n\n")
            connection.recv(1000)
            threading.Timer(self._draw.uniform(30, 300), connection.close).start()

    def never_finish(self) -> None:
        head = "POST /learn HTTP/1.1\nhost: 127.0.0.1:{port}\ncontent-type: application/json\n"
        for text in (
            head + "content-length: 4000000\n\n",
            head[: self._draw.randint(1, 60)].split("{")[0],
            "",
        ):
            connection = self._open(text)
            with suppress(OSError):
                connection.sendall(b" " * 2_000_000 if "length" in text else b"")
            threading.Timer(self._draw.uniform(10, 100), connection.close).start()

    def too_large(self) -> None:
        self._request("POST", "/learn", b" " * 17_000_000)

    def large(self) -> None:
        """Just within the limits: refused only when it has been parsed, or even answered."""
        self._request("POST", "/learn", b'{"x": [' + b"[]," * 5_000_000 + b'1], "y": 1}')
        self._request("POST", "/learn", b'{"x": ["' + b'ab","' * 3_000_000 + b'"], "y": 1}')
        names = ",".join(f'"name{j}":1' for j in range(1_000_000))
        self._request("POST", "/answer", f'{{"x": {{{names}}}, "remember": false}}'.encode())

    def deep(self) -> None:
        self._request("POST", "/learn", b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b', "y": 1}')

    def look(self) -> None:
        for path in ("/state", "/metrics", "/health"):
            self._request("GET", path)


def resident(pid: int) -> float:
    """MB of a process that are in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1000
    return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float, nargs="?", default=60.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        service = Process(f"{folder}/log", ["--every", "30s"])
        load, curve = Load(service.port, 0), list[tuple[float, float]]()
        began = time.monotonic()
        thread = threading.Thread(target=load.run, args=(60 * given.minutes,), daemon=True)
        thread.start()
        told = 0.0
        while thread.is_alive():
            time.sleep(1.0)
            minutes = (time.monotonic() - began) / 60
            curve.append((minutes, resident(service.process.pid)))
            if minutes >= told:
                print(f"{minutes:5.1f} min  {curve[-1][1]:6.0f} MB", flush=True)
                told += max(1.0, given.minutes / 12)
        health = json.loads(load._request("GET", "/health"))
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
        service.kill()
    most = max(memory for _, memory in curve)
    medians = [float(np.median([m for _, m in part])) for part in np.array_split(np.array(curve), 6)]
    print(f"{health['learned']:,} examples learned, {size:.0f} MB on the disk; answers: {load.counts}")
    print("medians of six parts:", ", ".join(f"{m:.0f}" for m in medians), f"MB; most {most:.0f} MB")
    assert most < BOUND, f"{most:.0f} MB, where {BOUND} are promised"


if __name__ == "__main__":
    main()
