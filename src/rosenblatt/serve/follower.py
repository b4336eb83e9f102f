"""A follower: reads the leader's log, learns it in the same order, and answers from the same bits.

It begins with the leader's model of some moment and reads the log from there. It keeps nothing: started
again it does the same. What is to be learned goes to the leader; a follower says so.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import ssl
import tempfile
import threading
import time
from typing import Any
from urllib.parse import urlsplit

from rosenblatt.errors import BadInput
from rosenblatt.serve.log import Mark
from rosenblatt.serve.recovery import Recovered
from rosenblatt.serve.served import open_served
from rosenblatt.serve.told import Frame, frames_in
from rosenblatt.serve.work import Ask, Refused, Work

WAIT = 1  # seconds that the leader holds a question for new examples
AGAIN = 1.0  # seconds after which a leader that did not answer is asked again
PATIENCE = 60.0


class Upstream:
    """The leader, asked over one connection at a time. A certificate that cannot be verified is refused."""

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise BadInput(f"follow: got {url!r}, expected an address such as http://127.0.0.1:8766")
        self.url, self._parts = url.rstrip("/"), parts
        self._headers = {"authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str, accept: str = "*/*") -> tuple[bytes, Mark]:
        """Return the content, and the place in the log that the leader has reached."""
        host, port = self._parts.hostname or "", self._parts.port
        kind: Any = http.client.HTTPConnection
        extra: dict[str, Any] = {}
        if self._parts.scheme == "https":
            kind, extra = http.client.HTTPSConnection, {"context": ssl.create_default_context()}
        connection = kind(host, port, timeout=PATIENCE, **extra)
        try:
            connection.request("GET", path, headers={**self._headers, "accept": accept})
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != 200:
                raise BadInput(
                    f"{self.url}{path}: {answer.status}: {content[:300].decode(errors='replace')}"
                )
            return content, mark_in(answer.headers)
        except http.client.HTTPException as error:
            raise OSError(f"{self.url}{path}: {error!r}") from error
        finally:
            connection.close()


def mark_in(headers: Any) -> Mark:
    """Return the place in a log that an answer's headers state."""
    try:
        return Mark(*json.loads(headers["x-log-end"]))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput("the leader does not state where its log ends; is it of this version?") from error


class Follower:
    """Answers as the leader does, so many examples behind it; as the routes want it."""

    role = "follower"

    def __init__(self, url: str, token: str | None = None) -> None:
        self._upstream = Upstream(url, token)
        self.trouble: str | None = None
        self.marks: list[Any] = []
        self._turn, self._ends = threading.Lock(), threading.Event()
        self.began, self.answered, self.commits = time.time(), 0, 0
        self.last: list[Any] = []
        try:
            self._begin()
        except OSError as error:
            raise BadInput(f"follow: {url} cannot be reached ({error}); start the leader first") from error
        self._thread = threading.Thread(target=self._follow, name="following", daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        content, end = self._upstream.get("/model")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            with open(path, "wb") as file:
                file.write(content)
            recovered = Recovered(open_served(path), end.position)
        self._recovered, self._end = recovered, end
        self.names: list[str] = recovered.served.names_from(0)
        # the model's classes need not have the numbers of the log; a frame has the labels that it needs
        self.labels: list[Any] = [None] * end.n_labels
        self.position = end.position

    # ------------------------------------------------------------ reading the log

    def _follow(self) -> None:
        while not self._ends.is_set():
            self._read_once()

    def _read_once(self) -> None:
        """Read what the leader has learned since, or begin again with its model."""
        from rosenblatt.serve.app import BINARY

        path = f"/log?from={self.learned + 1}&wait={WAIT}&limit=100000"
        try:
            content, end = self._upstream.get(path, BINARY)
            self.position = end.position
            if end.position < self.learned:
                raise BadInput("the leader has learned less than its follower: it was restored")
            if end.position == self.learned and end.digest != self._end.digest:
                raise BadInput("the leader has learned other examples than its follower: it was restored")
            for frame in frames_in(content):
                with self._turn:
                    self._learn(frame)
            self.trouble = None
        except BadInput as error:  # another history, or one that was cut
            self.trouble = f"{error}; beginning again with the leader's model"
            self._ends.wait(AGAIN)
            with contextlib.suppress(OSError, BadInput), self._turn:
                self._begin()
        except OSError as error:
            self.trouble = f"{self._upstream.url} does not answer ({error})"
            self._ends.wait(AGAIN)

    def _learn(self, frame: Frame) -> None:
        entry = frame.entry
        if entry.position != self.learned + 1:
            raise BadInput(f"the leader's log has position {entry.position}, expected {self.learned + 1}")
        if frame.before != self._end:
            raise BadInput("the leader has learned other examples than its follower: it was restored")
        self.labels[entry.n_labels - len(frame.labels) :] = frame.labels
        self.names[entry.n_names - len(frame.names) :] = frame.names
        if entry.digest_after(frame.before, self.names, self.labels) != entry.digest:
            raise BadInput(f"the leader's entry at position {entry.position} came with other content")
        self._recovered.learn([entry], self)  # type: ignore[arg-type]
        self._end = entry.mark

    # ------------------------------------------------------------ what the routes ask

    @property
    def service(self) -> Follower:
        return self

    @property
    def served(self) -> Any:
        return self._recovered.served

    @property
    def statistics(self) -> Any:
        return self._recovered.statistics

    @property
    def learned(self) -> int:
        return self._recovered.learned

    def call(self, function: Any) -> Any:
        with self._turn:
            return function()

    def submit(self, work: Work) -> None:
        if not isinstance(work, Ask):
            raise Refused(
                403, f"a follower learns nothing itself; send the request to {self._upstream.url}"
            )
        with self._turn:
            rows = self.served.read(work.examples, grows=False)
            answers, values = self.served.answer(rows)
            self.answered += work.size
            told = {"answers": answers, "scores": values.tolist(), "learned": self.learned}
            if values.ndim == 2:
                told["classes"] = self.served.classes
        work.result = told
        work.settle()

    def health(self) -> dict[str, Any]:
        return {
            "status": "ok",
            "role": self.role,
            "learned": self.learned,
            "position": self.position,
            "behind": max(0, self.position - self.learned),
            "waiting": 0,
            "not_learned": self._recovered.not_learned,
            "trouble": self.trouble,
        }

    def state(self) -> dict[str, Any]:
        from rosenblatt.serve.shown import shown

        return shown(self)

    def model_file(self, path: str) -> Mark:
        with self._turn:
            served, end = self.served.copy(), self._end
        served.save(path)
        return end

    async def wait_for(self, position: int, seconds: float) -> None:
        raise Refused(403, f"a follower has no log; request it from {self._upstream.url}")

    def end(self) -> None:
        self._ends.set()
