"""`Client`: a service with the methods of `Learner`."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
import uuid
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from rosenblatt.errors import BadInput

TRIES = 5
FULL = (429, 503)


class Client:
    """A learner that is served elsewhere, by `rosenblatt serve`: the methods of `Learner`, by HTTP.

    Each request is tried up to five times; what it teaches has an id of its own, so that it is learned once
    however often it is sent. A `BadInput` has the sentence of the service; what cannot be reached is a
    `ConnectionError`. A client may be used by several threads, each of which has a connection of its own.

    url: where the service is. token: where it wants one. timeout: seconds for each try. context: an
    ``ssl.SSLContext`` for certificates that are not the system's.

    `answer` remembers its challenge until `reveal`, here as with `Learner`, and in the service's log;
    `challenge` and `reveal_later` are the same for many at a time: by ids, in any order, at any time.

    >>> from rosenblatt import Client
    >>> Client("ftp://somewhere")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: url: expected one such as http://127.0.0.1:8766, got 'ftp://somewhere'
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        timeout: float = 30.0,
        context: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(f"url: expected one such as http://127.0.0.1:8766, got {url!r}")
        self.url, self._parts, self._timeout, self._context = url, parts, timeout, context
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"
        self._own = threading.local()
        self._challenge: str | None = None

    # ------------------------------------------------------------ the protocol

    def answer(self, x: Any) -> Any:
        """The answer to a challenge, which is remembered until its label is revealed."""
        ((self._challenge, answer),) = self.challenge([x])
        return answer

    def reveal(self, y: Any) -> bool:
        """The true label of the last challenge; True if the answer was a mistake."""
        if self._challenge is None:
            raise BadInput("reveal: there is no challenge to reveal the label of; call answer(x) first")
        mistakes = self.reveal_later({self._challenge: y})
        self._challenge = None
        return mistakes > 0

    def challenge(self, X: Iterable[Any]) -> list[tuple[str, Any]]:
        """An id and an answer for each example."""
        examples = [{"x": _plain(x), "id": uuid.uuid4().hex} for x in X]
        told = self._post("/answer", {"examples": examples})
        return list(zip(told["ids"], told["answers"], strict=True))

    def reveal_later(self, labels: dict[str, Any]) -> int:
        """The labels of challenges by their ids; how many answers were mistakes."""
        examples = [{"id": name, "y": _plain(y)} for name, y in labels.items()]
        return int(self._post("/reveal", {"examples": examples})["mistakes"])

    def learn(self, x: Any, y: Any) -> bool:
        """Learn one example; True if the answer was a mistake."""
        return bool(self.learn_many([x], [y])["mistakes"])

    def learn_many(self, X: Iterable[Any], y: Sequence[Any]) -> dict[str, Any]:
        """Learn examples in their order: what the service says of them, with `mistakes` and `position`."""
        pairs = zip(X, y, strict=True)
        examples = [{"x": _plain(x), "y": _plain(label)} for x, label in pairs]
        return self._post("/learn", {"examples": examples}, name=uuid.uuid4().hex)

    def predict(self, x: Any) -> Any:
        """The answer, of which nothing is remembered."""
        return self.predict_many([x])[0]

    def predict_many(self, X: Iterable[Any]) -> list[Any]:
        """`predict` of each."""
        return list(self._asked(X)["answers"])

    def decide(self, x: Any) -> Any:
        """The decision value; of many classes, the value of each."""
        told = self._asked([x])
        if "classes" in told:
            return dict(zip(told["classes"], told["scores"][0], strict=True))
        return told["scores"][0]

    def _asked(self, X: Iterable[Any]) -> dict[str, Any]:
        return self._post("/answer", {"examples": [{"x": _plain(x)} for x in X], "remember": False})

    # ------------------------------------------------------------ what it knows

    @property
    def health(self) -> dict[str, Any]:
        """What the service says of itself."""
        return json.loads(self._request("GET", "/health", None, {}))

    @property
    def examples_seen(self) -> int:
        """Examples in the weights, since the log began."""
        return int(self.health["learned"])

    @property
    def mistakes(self) -> int:
        """Answers that were wrong, as they were given."""
        return int(self.state["mistakes"])

    @property
    def classes(self) -> list[Any]:
        """The classes, as texts."""
        return list(self.state["classes"])

    @property
    def state(self) -> dict[str, Any]:
        """What the page shows."""
        return json.loads(self._request("GET", "/state", None, {}))

    def model(self, path: str) -> Any:
        """Write the model of this moment to a file, and load it."""
        from rosenblatt.data.whole_files import replacing
        from rosenblatt.models.saving import load

        content = self._request("GET", "/model", None, {})
        with replacing(path) as fresh, open(fresh, "wb") as file:
            file.write(content)
        return load(path)

    def log(self, first: int = 1) -> Iterable[dict[str, Any]]:
        """What was learned from position `first` on, example by example."""
        while lines := self._request("GET", f"/log?from={int(first)}", None, {}).splitlines():
            for line in lines:
                told = json.loads(line)
                yield told
            first = told["position"] + 1

    def close(self) -> None:
        """Let the connection of this thread go."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()
            self._own.connection = None

    # ------------------------------------------------------------ requests

    def _post(self, path: str, told: dict[str, Any], name: str | None = None) -> dict[str, Any]:
        try:
            body = json.dumps(told, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise BadInput(f"x: this cannot be sent as JSON ({error}); give numbers and texts") from error
        extra = {} if name is None else {"idempotency-key": name}
        return json.loads(self._request("POST", path, body, extra))

    def _request(self, method: str, path: str, body: bytes | None, extra: dict[str, str]) -> bytes:
        trouble: Exception | None = None
        for tried in range(TRIES):
            wait = 0.1 * 2**tried
            try:
                connection = self._connection()
                connection.request(method, path, body, {**self._headers, **extra})
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.close()
                trouble = error
            else:
                if answer.status == 200:
                    return content
                said = _sentence(content)
                if answer.status not in FULL:
                    raise BadInput(f"{self.url}: {said}")
                trouble = ConnectionError(said)
                wait = max(wait, float(answer.headers.get("retry-after", "0")))
            if tried + 1 < TRIES:
                time.sleep(wait)
        raise ConnectionError(
            f"{self.url} does not answer ({trouble}); is the service running?"
        ) from trouble

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                context = self._context or ssl.create_default_context()
                connection = http.client.HTTPSConnection(host, port, timeout=self._timeout, context=context)
            else:
                connection = http.client.HTTPConnection(host, port, timeout=self._timeout)
            self._own.connection = connection
        return connection


def _plain(value: Any) -> Any:
    """A value that JSON has, of one that numpy has."""
    if hasattr(value, "tocsr"):
        value = value.toarray().ravel()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def _sentence(content: bytes) -> str:
    try:
        return str(json.loads(content)["error"])
    except (ValueError, KeyError, TypeError):
        return content[:200].decode(errors="replace")
