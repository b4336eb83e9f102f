"""Requests as jobs of the worker: answer examples, learn examples, reveal labels.

The worker calls `prepare` before anything is written, and `finish` after the examples of all jobs have been
learned.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from rosenblatt.loops.one_by_one import NOT_LEARNED
from rosenblatt.serve.http_schema import Answered, Learned
from rosenblatt.serve.log_records import Challenge, Known

if TYPE_CHECKING:
    from rosenblatt.serve.transaction import Transaction

MOST_INDICES = 1000  # the most mistakes that a response lists
MOST_ON_PAGE = 120  # characters of an example shown on the status page
COME_AGAIN = 1.0  # seconds


class Refusal(Exception):
    """Refuse a request with an HTTP status and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.wait = COME_AGAIN if status == 503 else 0.0  # seconds until the client should retry

    @staticmethod
    def busy() -> Refusal:
        return Refusal(503, "too many examples are waiting; retry later")


class Job:
    """A unit of work in the queue; `size` is its number of examples."""

    loop: asyncio.AbstractEventLoop | None = None  # event loop of the future, if it is an asyncio future

    def __init__(self, size: int) -> None:
        self.size = size
        self.future: Any = Future()
        self.result: Any = None
        self.error: BaseException | None = None

    def bind_to_loop(self) -> asyncio.Future[Any]:
        """Attach the job to this thread's event loop, and return a future to await there."""
        self.loop = asyncio.get_running_loop()
        self.future = self.loop.create_future()
        return self.future

    def prepare(self, transaction: Transaction) -> None:
        """Check ids and add the job's examples to the transaction."""

    def finish(self, transaction: Transaction) -> None:
        """Set the result, after the transaction's examples have been learned."""

    def set_future(self) -> None:
        if self.future.done():  # the client has disconnected
            return
        if isinstance(self.error, StopIteration):  # no future accepts it: the client would wait for ever
            self.error = RuntimeError(f"{type(self.error).__name__}: {self.error}")
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Call(Job):
    """A function for the worker to call."""

    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__(0)
        self._function = function

    def execute(self) -> None:
        try:
            self.result = self._function()
        except Exception as error:
            self.error = error


class Answer(Job):
    """Answer the examples of a POST to /answer.

    `remembers` states whether the examples are stored as challenges until their labels are revealed.
    """

    def __init__(self, examples: Sequence[Any], ids: Sequence[str | None] | None, remembers: bool) -> None:
        super().__init__(len(examples))
        self.examples, self.remembers = examples, remembers
        self._given_ids: list[str | None] = list(ids) if ids is not None else [None] * len(examples)

    def prepare(self, transaction: Transaction) -> None:
        self.ids, self._known = self._given_ids, dict[str, Challenge]()
        named = {name: x for name, x in zip(self.ids, self.examples, strict=True) if name is not None}
        if not self.remembers or not named:
            return
        if len(named) < sum(name is not None for name in self.ids):
            raise Refusal(422, "ids: an id occurs twice in the request; give each example its own id")
        for name, x in named.items():
            if (challenge := transaction.log.challenge(name)) is not None:
                if content_digest(challenge.x) != content_digest(x):
                    raise Refusal(
                        409, f"id {name!r}: waits for the label of another example; give another id"
                    )
                self._known[name] = challenge
            elif (known := transaction.find_id(name)) is not None:
                raise Refusal(
                    409, f"id {name!r}: its label was revealed before, at position {known.position}"
                )
            elif name in transaction.new_challenges:
                raise Refusal(409, f"id {name!r}: another request with it is in progress; send it again")
        transaction.new_challenges.update(named)

    def set_answers(self, answers: list[Any], scores: list[Any]) -> None:
        """Store the answers; an example that is already a challenge keeps its first answer."""
        for place, name in enumerate(self.ids if self._known else ()):
            if name in self._known:
                answers[place], scores[place] = self._known[name].answer, self._known[name].score
        self.answers, self.scores = answers, scores

    def new_challenges(self, learned: int) -> list[tuple[str | None, int, str]]:
        """Return the database rows of the challenges that are not in the log yet."""
        rows = zip(self.ids, self.examples, self.answers, self.scores, strict=True)
        return [
            (name, learned, msgspec.json.encode((plain_x(x), answer, score)).decode())
            for name, x, answer, score in rows
            if name not in self._known
        ]

    def set_ids(self, new: Iterator[str]) -> None:
        """Store the ids of all challenges, including the new ones that the log assigned."""
        self.ids = [name if name in self._known else next(new) for name in self.ids]

    def finish(self, transaction: Transaction) -> None:
        service = transaction.service
        self.result = Answered(
            self.answers,
            self.scores,
            service.learned,
            self.ids if self.remembers else msgspec.UNSET,
            service.model.classes if isinstance(self.scores[0], list) else msgspec.UNSET,
        )
        service.answered += self.size
        x, answer = abbreviate(self.examples[-1]), self.answers[-1]
        service.last.append({"kind": "answer", "id": self.ids[-1], "x": x, "answer": answer})


class Lesson(Job):
    """A job with labelled examples; examples that are already in the log are left out."""

    kind = "learn"
    examples: Sequence[Any] = ()
    labels: Sequence[Any] = ()
    ids: Sequence[str | None] | None = None
    contents: Sequence[str] = ()  # digests of the examples that have ids
    given_answers: Sequence[Any] | None = None  # given before the labels were known, each in a list of one
    repeated = 0
    _first = 0  # place of the first example among those of the transaction
    position = 0  # of the last example, including repeated ones

    def add_to(self, transaction: Transaction) -> None:
        """Append the examples to the transaction, at the next positions of the log."""
        n, self._first = len(self.labels), len(transaction.labels)
        if not n:
            return
        first, contents = transaction.position + 1, iter(self.contents)
        for place, name in enumerate(self.ids or ()):
            if name is not None:
                transaction.new_ids[name] = Known(first + place, self.labels[place], next(contents))
        transaction.lessons.append(self)
        transaction.labels += self.labels
        transaction.ids += self.ids or [None] * n
        transaction.answers += self.given_answers or [None] * n
        transaction.position += n
        self.position = max(self.position, transaction.position)

    def finish(self, transaction: Transaction) -> None:
        n = len(self.labels)
        own = slice(self._first, self._first + n)
        wrong = np.flatnonzero(transaction.wrong[own]).tolist()
        lost = int((transaction.outcomes[own] == NOT_LEARNED).sum())
        self.result = Learned(
            n - lost,
            self.repeated,
            len(wrong),
            wrong[:MOST_INDICES],
            self.position or transaction.log.position,
            lost or msgspec.UNSET,
        )
        if n:
            transaction.service.last.append(
                {
                    "kind": self.kind,
                    "id": self.ids[-1] if self.ids is not None else None,
                    "x": abbreviate(self.examples[-1]),
                    "y": self.labels[-1],
                    "position": self.position,
                    "wrong": bool(wrong) and wrong[-1] == n - 1,
                }
            )


class Learn(Lesson):
    """Learn the examples of a POST to /learn; `key` identifies a request that is sent again."""

    def __init__(
        self,
        examples: Sequence[Any],
        labels: Sequence[Any],
        ids: Sequence[str | None] | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(len(labels))
        self._request, self._key = (examples, labels, ids), key

    def prepare(self, transaction: Transaction) -> None:
        self.examples, self.labels, self.ids = self._request
        self.repeated = self.position = 0
        content = ""
        if self._key is not None:
            parts = (json.dumps(self.ids), *map(content_digest, self.examples, self.labels))
            content = sha256("".join(parts).encode()).hexdigest()[:32]
            known = transaction.new_requests.get(self._key) or transaction.log.request(self._key)
            if known is not None:
                if known.content != content:
                    raise Refusal(
                        409,
                        f"Idempotency-Key {self._key!r}: was used before with other examples; give another",
                    )
                self.repeated, self.position = len(self.labels), known.position + known.value - 1
                self.examples, self.labels, self.ids = (), (), None
                return
        if self.ids is not None and any(self.ids):
            self._leave_out_repeated(transaction, self.ids)
        if self._key is not None:
            n = len(self.labels)  # 0 if all ids are known: then `position` is that of the last one
            first = transaction.position + 1 if n else self.position + 1
            transaction.new_requests[self._key] = Known(first, n, content)
        self.add_to(transaction)

    def _leave_out_repeated(self, transaction: Transaction, ids: Sequence[str | None]) -> None:
        new, contents = [], dict[str, str]()
        for place, name in enumerate(ids):
            if name is not None:
                content = content_digest(self.examples[place], self.labels[place])
                known = transaction.find_id(name)
                before = known.content if known is not None else contents.get(name)
                if before is not None and before != content:
                    where = f"at position {known.position}" if known else "earlier in this request"
                    raise Refusal(
                        409, f"id {name!r}: was used {where} with another example or label; give another id"
                    )
                if before is not None:
                    self.repeated += 1
                    self.position = max(self.position, known.position if known else 0)
                    continue
                if transaction.log.challenge(name) is not None:
                    raise Refusal(409, f"id {name!r}: waits for its label; send it to /reveal")
                contents[name] = content
            new.append(place)
        self.contents = list(contents.values())
        if len(new) < len(ids):
            self.examples = [self.examples[place] for place in new]
            self.labels = [self.labels[place] for place in new]
            self.ids = [ids[place] for place in new]


class Reveal(Lesson):
    """Learn the examples whose labels a POST to /reveal contains."""

    kind = "reveal"

    def __init__(self, ids: Sequence[str], labels: Sequence[Any]) -> None:
        super().__init__(len(ids))
        self._request = ids, labels

    def prepare(self, transaction: Transaction) -> None:
        self.repeated = self.position = 0
        found, seen = list[tuple[Challenge, Any]](), dict[str, Any]()
        for name, label in zip(*self._request, strict=True):
            known = transaction.find_id(name)
            if known is None and name in seen:
                known = Known(0, seen[name], "")
            if known is not None:
                if known.value != label or type(known.value) is not type(label):
                    raise Refusal(
                        409, f"id {name!r}: was revealed before as {known.value!r}, and now as {label!r}"
                    )
                self.repeated += 1
                self.position = max(self.position, known.position)
                continue
            challenge = transaction.log.challenge(name)
            if challenge is None:
                raise Refusal(404, f"id {name!r}: no example with that id waits for its label")
            seen[name] = label
            found.append((challenge, label))
        self.ids = list(seen)
        self.contents = [content_digest(challenge.x, label) for challenge, label in found]
        self.examples = [challenge.x for challenge, _ in found]
        self.labels = [label for _, label in found]
        self.given_answers = [[challenge.answer] for challenge, _ in found]
        transaction.revealed.extend(challenge for challenge, _ in found)
        self.add_to(transaction)


def abbreviate(x: Any) -> str:
    """Return the beginning of an example as one line of text.

    >>> abbreviate({"says": "free money", "sizes": [1, 2]}), len(abbreviate("free " * 1000))
    ('{"says": "free money", "sizes": [1, 2]}', 120)
    """
    x = dict(islice(x.items(), MOST_ON_PAGE)) if isinstance(x, dict) else plain_x(x[: MOST_ON_PAGE + 1])
    text = x if isinstance(x, str) else json.dumps(x, ensure_ascii=False)
    return text if len(text) <= MOST_ON_PAGE else f"{text[: MOST_ON_PAGE - 1]}…"


def plain_x(x: Any) -> Any:
    """Return an example as a JSON value."""
    return x.tolist() if isinstance(x, np.ndarray) else x


def content_digest(x: Any, y: Any = None) -> str:
    """Return a digest of an example and its label that does not depend on the format of the request.

    >>> content_digest({"a": 1, "b": 2.0}, "ham") == content_digest({"b": 2, "a": 1.0}, "ham")
    True
    >>> content_digest([1, 2.5]) == content_digest(np.array([1.0, 2.5]))
    True
    >>> content_digest({"a": 1}, 1) == content_digest({"a": 1}, True)
    False
    """
    # values that only Arrow has, such as dates, are written as a challenge stores them
    text = json.dumps([_with_floats(x), y], sort_keys=True, default=msgspec.to_builtins)
    return sha256(text.encode()).hexdigest()[:32]


def _with_floats(x: Any) -> Any:
    """Replace integers by floats, because formats differ in which of the two they use."""
    if isinstance(x, dict):
        return {name: float(value) if type(value) is int else value for name, value in x.items()}
    if isinstance(x, str):
        return x
    return [float(value) if type(value) is int else value for value in plain_x(x)]
