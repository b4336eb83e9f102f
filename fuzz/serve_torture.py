"""SIGKILL to a service at random moments under load: ``python -m fuzz.serve_torture [KILLS]``.

Several clients send examples, request predictions and reveal labels, each with its own ids, and record
which examples were acknowledged. The process is killed. After a restart it must have learned every
acknowledged example exactly once and the others at most once, and its weights must equal, bit for bit,
those of a learner that learned the examples of the log one by one. A client repeats requests without a
reply, with the same ids.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from rosenblatt import Learner
from rosenblatt.storage.learners import save_learner

HERE = Path(__file__).parents[1]
WORDS = [f"word{j}" for j in range(400)]
PATIENCE = 200.0  # seconds in which a service must begin, and learn an example, on a busy machine too


class Process:
    """The service, started by the command line."""

    def __init__(self, log: str, options: list[str]) -> None:
        words = [sys.executable, "-m", "rosenblatt", "serve", "--log", log, "--port", "0", *options]
        environment = {**os.environ, "PYTHONPATH": str(HERE / "src")}
        self._said = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(words, env=environment, stdout=self._said, stderr=self._said)
        end = time.monotonic() + PATIENCE
        while not (ready := re.search(r"127\.0\.0\.1:(\d+) is ready", self.said())):
            if self.process.poll() is not None or time.monotonic() > end:
                reason = self.said()
                self.kill()
                raise AssertionError(f"the service ended, or did not begin: {reason}")
            time.sleep(0.02)
        self.port = int(ready[1])

    def said(self) -> str:
        self._said.seek(0)
        return self._said.read().decode(errors="replace")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._said.close()


def get(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    except http.client.HTTPException as error:
        raise OSError(repr(error)) from error
    finally:
        connection.close()


class Client:
    """Send requests until the service ends; `open` holds the requests without a reply."""

    def __init__(self, number: int, seed: int) -> None:
        self.number, self._draw = number, random.Random(seed)
        self.counter = 0
        self.port = 0
        self.acknowledged: dict[str, tuple[Any, Any]] = {}
        self.sent: dict[str, tuple[Any, Any]] = {}
        self.open: tuple[str, dict[str, Any]] | None = None
        self.waiting: dict[str, Any] = {}  # challenges and their examples
        self.refusals: list[str] = []

    def begin(self, port: int) -> None:
        """Send to the process at this port."""
        self.port, self._thread = port, threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            while True:
                path, told = self.open or self._next()
                self.open = path, told
                connection.request("POST", path, json.dumps(told), {"content-type": "application/json"})
                answer = connection.getresponse()
                content = answer.read()
                self._heard(path, told, answer.status, content)
                self.open = None
        except (OSError, http.client.HTTPException):
            connection.close()

    def _next(self) -> tuple[str, dict[str, Any]]:
        what = self._draw.random()
        if what < 0.2 and self.waiting:
            names = list(self.waiting)[: self._draw.randint(1, 5)]
            told = [{"id": name, "y": self._draw.choice([-1, 1])} for name in names]
            self.sent.update({each["id"]: (self.waiting[each["id"]], each["y"]) for each in told})
            return "/reveal", {"examples": told}
        examples = [
            {"id": self._name(), "x": self._x(), "y": self._draw.choice([-1, 1])}
            for _ in range(1 if what < 0.7 else self._draw.randint(2, 40))
        ]
        if what < 0.4:
            return "/answer", {"examples": [{"id": each["id"], "x": each["x"]} for each in examples]}
        self.sent.update({each["id"]: (each["x"], each["y"]) for each in examples})
        return "/learn", {"examples": examples}

    def _name(self) -> str:
        self.counter += 1
        return f"client{self.number}-{self.counter}"

    def _x(self) -> dict[str, float]:
        chosen = self._draw.sample(WORDS[: 20 + self.counter // 4], 5)
        return {word: round(self._draw.gauss(0, 1), 3) for word in chosen}

    def _heard(self, path: str, told: dict[str, Any], status: int, content: bytes) -> None:
        if status in (429, 503):
            time.sleep(0.05)
            return
        if status != 200:
            self.refusals.append(f"{path} {status} {content[:200]!r}")
            return
        for each in told["examples"]:
            if path == "/answer":
                self.waiting[each["id"]] = each["x"]
            else:
                self.acknowledged[each["id"]] = self.sent[each["id"]]
                self.waiting.pop(each["id"], None)


class Twin:
    """A learner that learns the examples of the log one by one."""

    def __init__(self, folder: str) -> None:
        self.learner, self.position, self.seen = Learner(), 0, dict[str, tuple[Any, Any]]()
        self._path = os.path.join(folder, "twin.safetensors")

    def read(self, port: int) -> None:
        while True:
            status, content = get(port, f"/log?from={self.position + 1}&limit=100000")
            assert status == 200, content
            lines = content.splitlines()
            if not lines:
                return
            for line in lines:
                told = json.loads(line)
                assert told["position"] == self.position + 1, "the log has a gap"
                assert told["id"] not in self.seen, f"{told['id']} was learned twice"
                self.seen[told["id"]] = told["x"], told["y"]
                self.learner.learn(told["x"], told["y"])
                self.position += 1

    def compare(self, port: int, clients: list[Client]) -> None:
        self.read(port)
        for client in clients:
            assert not client.refusals, client.refusals[:3]
            for name, (x, y) in client.acknowledged.items():
                assert self.seen.get(name) == (x, y), (
                    f"{name} was acknowledged and is not in the log as sent"
                )
        known = {name for client in clients for name in client.sent}
        assert set(self.seen) <= known, "the log has examples that nobody sent"
        if self.position:
            save_learner(self.learner, self._path)
            status, model = get(port, "/model")
            assert status == 200
            assert model == Path(self._path).read_bytes(), "the weights are not those of the log"


def n_acknowledged(clients: list[Client]) -> int:
    return sum(len(client.acknowledged) for client in clients)


def torture(
    kills: int, n_clients: int = 4, seed: int = 0, longest: float = 1.5,
    options: tuple[str, ...] = ("--every", "1s"),
) -> int:  # fmt: skip
    """How many examples were learned in the end; an AssertionError says what went wrong. longest: seconds
    of load before a kill. Between two kills, at least one example is acknowledged."""
    draw = random.Random(seed)
    clients = [Client(number, draw.getrandbits(32)) for number in range(n_clients)]
    with tempfile.TemporaryDirectory() as folder:
        log, twin = os.path.join(folder, "log"), Twin(folder)
        for kill in range(kills + 1):
            service = Process(log, list(options))
            try:
                twin.compare(service.port, clients)
                if kill == kills:
                    break
                for client in clients:
                    client.begin(service.port)
                known, end = n_acknowledged(clients), time.monotonic() + PATIENCE
                time.sleep(draw.uniform(0.02, longest))
                while n_acknowledged(clients) == known and time.monotonic() < end:
                    time.sleep(0.01)
            finally:
                service.kill()
            for client in clients:
                client.end()
            if kills > 10:
                print(f"\r{kill + 1} kills, {twin.position:,} examples", end="", flush=True)
        return twin.position


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began = time.monotonic()
    learned = torture(given.kills, seed=given.seed)
    print(f"\n{given.kills} kills, {learned:,} examples, each once; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
