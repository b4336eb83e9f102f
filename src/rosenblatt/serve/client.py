"""`Client`: the methods of `Learner`, answered by a service."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

from rosenblatt.errors import BadInput

TRIES = 5
FULL = (429, 503)


class Connection:
    """HTTP connections to a service, one for each thread, which stay open."""

    def __init__(
        self, url: str, token: str | None, timeout: float, context: ssl.SSLContext | None = None
    ) -> None:
        self._parts, self._timeout, self._context = urlsplit(url), timeout, context
        if self._parts.scheme not in ("http", "https") or not self._parts.hostname:
            raise BadInput(f"url: expected one such as http://127.0.0.1:8766, got {url!r}")
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._own = threading.local()

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Message, bytes]:
        """Return the status, the headers and the content of the reply; `OSError` if there is none."""
        try:
            connection = self._open()
            connection.request(method, path, body, {**self._headers, **(headers or {})})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        except http.client.HTTPException as error:
            self.close()
            raise OSError(repr(error)) from error
        except OSError:
            self.close()
            raise

    def _open(self) -> http.client.HTTPConnection:
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

    def close(self) -> None:
        """Close the connection of this thread."""
        connection = getattr(self._own, "connection", None)
        if connection is not None:
            connection.close()
            self._own.connection = None


class Client:
    """A learner behind `rosenblatt serve`, with the methods of `Learner`.

    A failed request is sent up to five times; it has an id, so that its examples are learned once. The
    service remembers an answered example until its label is revealed. A client may be used by several
    threads, each of which has its own connection.

    Parameters
    ----------
    url : str
        Address of the service, such as ``"http://127.0.0.1:8766"``.
    token : str, optional
        Access token, if the service requires one.
    timeout : float, default=30.0
        Seconds for each try.
    context : ssl.SSLContext, optional
        TLS context for certificates that the system does not know.

    Raises
    ------
    BadInput
        If the service refuses a request, with its message; also if an id or key was used before with
        other content.
    ConnectionError
        If the service does not answer.

    Examples
    --------
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
        self.url, self._connection = url, Connection(url, token, timeout, context)
        self._challenge: str | None = None

    # ------------------------------------------------------------ the protocol

    def answer(self, x: Any) -> Any:
        """Return the answer to an example, which is remembered until `reveal`.

        Parameters
        ----------
        x : dict, list or str
            The example, as `Learner` accepts it.

        Returns
        -------
        int or str
            The predicted class.
        """
        ((self._challenge, answer),) = self.challenge([x])
        return answer

    def reveal(self, y: Any) -> bool:
        """Learn the label of the example that was answered last.

        Parameters
        ----------
        y : int or str
            The true class.

        Returns
        -------
        bool
            Whether the answer was a mistake.
        """
        if self._challenge is None:
            raise BadInput("reveal: there is no challenge to reveal the label of; call answer(x) first")
        mistakes = self.reveal_later({self._challenge: y})
        self._challenge = None
        return mistakes > 0

    def challenge(self, X: Iterable[Any]) -> list[tuple[str, Any]]:
        """Return an id and an answer for each example; labels are revealed by id, at any time.

        Parameters
        ----------
        X : iterable
            Examples, as `Learner` accepts them.

        Returns
        -------
        list of tuple
            Id and predicted class of each example.
        """
        examples = [{"x": _plain(x), "id": uuid.uuid4().hex} for x in X]
        reply = self._post("/answer", {"examples": examples})
        return list(zip(reply["ids"], reply["answers"], strict=True))

    def reveal_later(self, labels: dict[str, Any]) -> int:
        """Learn labels of examples that were answered before.

        Parameters
        ----------
        labels : dict
            The true class of each id that `challenge` returned.

        Returns
        -------
        int
            How many answers were mistakes.
        """
        examples = [{"id": name, "y": _plain(y)} for name, y in labels.items()]
        return int(self._post("/reveal", {"examples": examples})["mistakes"])

    def learn(self, x: Any, y: Any) -> bool:
        """Learn one example.

        Parameters
        ----------
        x : dict, list or str
            The example, as `Learner` accepts it.
        y : int or str
            The true class.

        Returns
        -------
        bool
            Whether the learner would have predicted another class.
        """
        return bool(self.learn_many([x], [y])["mistakes"])

    def learn_many(self, X: Iterable[Any], y: Sequence[Any]) -> dict[str, Any]:
        """Learn examples in their order.

        Parameters
        ----------
        X : iterable
            Examples, as `Learner` accepts them.
        y : sequence
            The true class of each.

        Returns
        -------
        dict
            The reply of the service, with ``mistakes`` and ``position``.
        """
        pairs = zip(X, y, strict=True)
        examples = [{"x": _plain(x), "y": _plain(label)} for x, label in pairs]
        return self._post("/learn", {"examples": examples}, name=uuid.uuid4().hex)

    def predict(self, x: Any) -> Any:
        """Return the class of an example; nothing is remembered.

        Parameters
        ----------
        x : dict, list or str
            The example, as `Learner` accepts it.

        Returns
        -------
        int or str
            The predicted class.
        """
        return self.predict_many([x])[0]

    def predict_many(self, X: Iterable[Any]) -> list[Any]:
        """Return the class of each example; nothing is remembered.

        Parameters
        ----------
        X : iterable
            Examples, as `Learner` accepts them.

        Returns
        -------
        list
            The predicted classes.
        """
        return list(self._answer_without_memory(X)["answers"])

    def decide(self, x: Any) -> Any:
        """Return the score of an example.

        Parameters
        ----------
        x : dict, list or str
            The example, as `Learner` accepts it.

        Returns
        -------
        float or dict
            The score, positive for the second class; of many classes, the score of each.
        """
        reply = self._answer_without_memory([x])
        if "classes" in reply:
            return dict(zip(reply["classes"], reply["scores"][0], strict=True))
        return reply["scores"][0]

    def _answer_without_memory(self, X: Iterable[Any]) -> dict[str, Any]:
        return self._post("/answer", {"examples": [{"x": _plain(x)} for x in X], "remember": False})

    # ------------------------------------------------------------ what it knows

    @property
    def health(self) -> dict[str, Any]:
        """The status of the service, as ``GET /health`` returns it."""
        return json.loads(self._get("/health"))

    @property
    def examples_seen(self) -> int:
        """Number of examples in the weights, since the log began."""
        return int(self.health["learned"])

    @property
    def mistakes(self) -> int:
        """Number of wrong answers, as they were given."""
        return int(self.state["mistakes"])

    @property
    def classes(self) -> list[Any]:
        """The classes, as strings."""
        return list(self.state["classes"])

    @property
    def state(self) -> dict[str, Any]:
        """The content of the status page."""
        return json.loads(self._get("/state"))

    def model(self, path: str) -> Any:
        """Write the current model to a file, and load it.

        Parameters
        ----------
        path : str
            The file to write (.safetensors).

        Returns
        -------
        Learner or Perceptron
            The model.
        """
        from rosenblatt.data.whole_files import replacing
        from rosenblatt.models.saving import load

        content = self._get("/model")
        with replacing(path) as fresh, open(fresh, "wb") as file:
            file.write(content)
        return load(path)

    def log(self, first: int = 1) -> Iterable[dict[str, Any]]:
        """Yield the learned examples in order.

        Parameters
        ----------
        first : int, default=1
            Position of the first one.

        Yields
        ------
        dict
            Position, time, ``x`` and ``y`` of an example, its id, and the answer that was given.
        """
        while lines := self._get(f"/log?from={int(first)}").splitlines():
            for line in lines:
                example = json.loads(line)
                yield example
            first = example["position"] + 1

    def close(self) -> None:
        """Close the connection of this thread."""
        self._connection.close()

    # ------------------------------------------------------------ requests

    def _post(self, path: str, content: dict[str, Any], name: str | None = None) -> dict[str, Any]:
        try:
            body = json.dumps(content, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise BadInput(f"x: this cannot be sent as JSON ({error}); give numbers and texts") from error
        headers = {"content-type": "application/json"}
        if name is not None:
            headers["idempotency-key"] = name
        return json.loads(self._request("POST", path, body, headers))

    def _get(self, path: str) -> bytes:
        return self._request("GET", path, None, {})

    def _request(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> bytes:
        trouble: OSError | None = None
        for tried in range(TRIES):
            wait = 0.1 * 2**tried
            try:
                status, found, content = self._connection.send(method, path, body, headers)
            except OSError as error:
                trouble = error
            else:
                if status == 200:
                    return content
                message = error_message(content)
                if status not in FULL:
                    raise BadInput(f"{self.url}: {message}")
                trouble = ConnectionError(message)
                wait = max(wait, float(found.get("retry-after", "0")))
            if tried + 1 < TRIES:
                time.sleep(wait)
        raise ConnectionError(
            f"{self.url} does not answer ({trouble}); is the service running?"
        ) from trouble


def _plain(value: Any) -> Any:
    """Return a value of JSON for one of numpy or scipy."""
    if hasattr(value, "tocsr"):
        value = value.toarray().ravel()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def error_message(content: bytes) -> str:
    """Return the message of a reply that is an error."""
    try:
        return str(json.loads(content)["error"])
    except (ValueError, KeyError, TypeError):
        return content[:200].decode(errors="replace")
