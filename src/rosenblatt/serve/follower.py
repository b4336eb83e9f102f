"""A follower: a read-only replica that learns the examples of the leader's log in the same order.

The weights of a follower equal the leader's weights bit for bit. A follower starts with a copy of the
leader's model, reads the log from the position of that copy on, and writes nothing to disk. One thread
reads the log, and only the worker changes the model.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from rosenblatt.errors import BadInput
from rosenblatt.models.loaded import LoadedModel, open_learner
from rosenblatt.serve.client import Connection, error_message
from rosenblatt.serve.http_schema import LOG_FRAMES, Answered, Health
from rosenblatt.serve.jobs import Answer, Call, Job, Refusal
from rosenblatt.serve.log_export import Frame, parse_frames
from rosenblatt.serve.log_records import Mark
from rosenblatt.serve.recovery import Recovered
from rosenblatt.serve.worker import Worker

WAIT = 1  # seconds that the leader may wait for new examples before it responds
AGAIN = 1.0  # seconds before a retry if the leader does not respond
PATIENCE = 60.0
RESTORED = "the leader has learned other examples than its follower: it was restored"


class Leader:
    """HTTP access to the leader; TLS certificates that cannot be verified are refused."""

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise BadInput(f"follow: got {url!r}, expected an address such as http://127.0.0.1:8766")
        self.url = url.rstrip("/")
        self._connection = Connection(url, token, PATIENCE)

    def get(self, path: str, accept: str = "*/*") -> tuple[bytes, Mark]:
        """Return the content of a path, and the mark at the end of the leader's log."""
        try:
            status, headers, content = self._connection.send("GET", path, None, {"accept": accept})
        finally:
            self._connection.close()
        if status != 200:
            raise BadInput(f"{self.url}{path}: {status}: {error_message(content)}")
        try:
            return content, Mark(*json.loads(headers["x-log-end"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(
                "the leader does not state where its log ends; is it the same version of rosenblatt?"
            ) from error


class Follower(Worker):
    """Answer requests as the leader does, possibly some examples behind it."""

    role: Final = "follower"

    def __init__(self, url: str, token: str | None = None) -> None:
        self._leader = Leader(url, token)
        self.trouble: str | None = None
        self._is_over = threading.Event()
        try:
            model, end = self._load_model()
        except OSError as error:
            raise BadInput(f"follow: {url} cannot be reached ({error}); start the leader first") from error
        super().__init__(Recovered(model, end.position), end)
        self._begin(model, end)

    def start(self) -> None:
        super().start()
        threading.Thread(target=self._follow, name="following", daemon=True).start()

    def _load_model(self) -> tuple[LoadedModel, Mark]:
        content, end = self._leader.get("/model")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            with open(path, "wb") as file:
                file.write(content)
            return open_learner(path), end

    def _begin(self, model: LoadedModel, end: Mark) -> None:
        self.recovered, self.end = Recovered(model, end.position), end
        self.names: list[str] = model.names_from(0)
        # the log's label numbers may differ from the model's; frames contain the labels that they need
        self.labels: list[Any] = [None] * end.n_labels
        self.position = end.position

    # ------------------------------------------------------------ reading the log

    def _follow(self) -> None:
        while not self._is_over.is_set():
            self.read_once()

    def read_once(self) -> None:
        """Learn new examples of the leader's log; restart from the leader's model if the logs disagree."""
        path = f"/log?from={self.learned + 1}&wait={WAIT}&limit=100000"
        try:
            content, end = self._leader.get(path, LOG_FRAMES)
            self.position = end.position
            if end.position < self.learned:
                raise BadInput("the leader has learned less than its follower: it was restored")
            if end.position == self.learned and end.digest != self.end.digest:
                raise BadInput(RESTORED)
            for frame in parse_frames(content):
                self._call_worker(self._learn, frame)
            self.trouble = None
        except BadInput as error:  # the logs disagree, or the leader's log was cut
            self.trouble = f"{error}; starting again with the leader's model"
            self._is_over.wait(AGAIN)
            with suppress(OSError, BadInput):
                self._call_worker(self._begin, *self._load_model())
        except OSError as error:
            self.trouble = f"{self._leader.url} does not answer ({error})"
            self._is_over.wait(AGAIN)

    def _call_worker(self, function: Callable[..., None], *arguments: Any) -> None:
        with suppress(Refusal):  # the queue is full or the worker has stopped; the log is read again
            self.call(lambda: function(*arguments))

    def _learn(self, frame: Frame) -> None:
        entry = frame.entry
        if entry.position != self.learned + 1:
            raise BadInput(f"the leader's log has position {entry.position}, expected {self.learned + 1}")
        if frame.before != self.end:
            raise BadInput(RESTORED)
        self.labels[entry.n_labels - len(frame.labels) :] = frame.labels
        self.names[entry.n_names - len(frame.names) :] = frame.names
        if entry.compute_digest(frame.before, self.names, self.labels) != entry.digest:
            raise BadInput(f"the leader's entry at position {entry.position} came with other content")
        self.recovered.learn_entries([entry], self.names, self.labels)
        self.end = entry.mark

    # ------------------------------------------------------------ called by the worker

    def handle(self, jobs: list[Job]) -> None:
        for job in jobs:
            try:
                assert isinstance(job, Answer)
                job.result = self._answer(job.examples)
            except Exception as error:
                job.error = error

    def _answer(self, examples: Sequence[Any]) -> Answered:
        answers, values = self.model.answer(self.model.read(examples, grows=False))
        self.answered += len(answers)
        classes = self.model.classes if values.ndim == 2 else msgspec.UNSET
        return Answered(answers, values.tolist(), self.learned, classes=classes)

    # ------------------------------------------------------------ called by other threads

    def submit(self, job: Job) -> None:
        if not isinstance(job, (Answer, Call)):
            raise Refusal(403, f"a follower learns nothing itself; send the request to {self._leader.url}")
        super().submit(job)

    def health(self) -> Health:
        return Health(
            status="ok",
            role=self.role,
            learned=self.learned,
            position=self.position,
            waiting=0,
            not_learned=self.recovered.not_learned,
            trouble=self.trouble,
            behind=max(0, self.position - self.learned),
        )

    async def wait_for(self, position: int, seconds: float) -> None:
        raise Refusal(403, f"a follower has no log; request it from {self._leader.url}")

    def stop(self) -> None:
        self._is_over.set()
        super().stop()
