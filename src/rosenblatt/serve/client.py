"""`Client`: a Python client of a service, with the methods of `Learner`."""

from __future__ import annotations

import json
import ssl
import threading
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from email.message import Message
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from rosenblatt.errors import BadInput

TRIES = 5
FULL = (429, 503)


class Connection:
    """Keep one persistent HTTP connection per thread to a service."""

    def __init__(
        self, url: str, token: str | None, timeout: float, context: ssl.SSLContext | None = None
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(f"url: expected an address such as http://127.0.0.1:8766, got {url!r}")
        kind: Any = HTTPConnection
        if parts.scheme == "https":
            kind = partial(HTTPSConnection, context=context or ssl.create_default_context())
        self._open = partial(kind, parts.hostname, parts.port, timeout=timeout)
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._own = threading.local()

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Message, bytes]:
        """Send a request and return the status, headers and content of the response.

        Raise `OSError` if the service does not respond.
        """
        if not hasattr(self._own, "connection"):
            self._own.connection = self._open()
        connection = self._own.connection
        try:
            connection.request(method, path, body, {**self._headers, **(headers or {})})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        except HTTPException as error:
            self.close()
            raise OSError(repr(error)) from error
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close this thread's connection; the next request opens it again."""
        if hasattr(self._own, "connection"):
            self._own.connection.close()


class Client:
    """Use a learner behind `rosenblatt serve` through the methods of `Learner`.

    A failed request is retried up to four times. Each request has an id, so its examples are learned only
    once. The service stores an answered example until its label is revealed. Several threads may share a
    client; each thread has its own connection.

    Parameters
    ----------
    url : str
        Address of the service, such as ``"http://127.0.0.1:8766"``.
    token : str, optional
        Access token, if the service requires one.
    timeout : float, default=30.0
        Time limit for each attempt in seconds.
    context : ssl.SSLContext, optional
        TLS context for certificates that the system does not trust.

    Raises
    ------
    BadInput
        If the service rejects a request (with the message of the service), for example because an id was
        used before with a different example.
    ConnectionError
        If the service does not respond.

    Examples
    --------
    >>> from rosenblatt import Client
    >>> Client("ftp://somewhere")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: url: expected an address such as http://127.0.0.1:8766, got 'ftp://somewhere'
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
        """Return the predicted class of an example, which the service stores until `reveal`.

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
        """Reveal the label of the last answered example, so that it is learned.

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
        """Return an id and a predicted class for each example; labels may be revealed by id at any time.

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
        """Reveal labels of examples answered by `challenge`, so that they are learned.

        Parameters
        ----------
        labels : dict
            The true class for each id that `challenge` returned.

        Returns
        -------
        int
            The number of wrong answers.
        """
        examples = [{"id": name, "y": _plain(y)} for name, y in labels.items()]
        return int(self._post("/reveal", {"examples": examples})["mistakes"])

    def learn(self, x: Any, y: Any) -> bool:
        """Learn one labelled example.

        Parameters
        ----------
        x : dict, list or str
            The example, as `Learner` accepts it.
        y : int or str
            The true class.

        Returns
        -------
        bool
            Whether the prediction that the learner made before learning the example was wrong.
        """
        return bool(self.learn_many([x], [y])["mistakes"])

    def learn_many(self, X: Iterable[Any], y: Sequence[Any]) -> dict[str, Any]:
        """Learn labelled examples in the given order.

        Parameters
        ----------
        X : iterable
            Examples, as `Learner` accepts them.
        y : sequence
            The true class of each example.

        Returns
        -------
        dict
            The response of the service, including ``mistakes`` and ``position``.
        """
        pairs = zip(X, y, strict=True)
        examples = [{"x": _plain(x), "y": _plain(label)} for x, label in pairs]
        return self._post("/learn", {"examples": examples}, name=uuid.uuid4().hex)

    def predict(self, x: Any) -> Any:
        """Return the predicted class of an example, which the service does not store.

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
        """Return the predicted class of each example; the service stores none of them.

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
            With two classes, one score, which is positive for the second class; with more classes, a score
            for each class.
        """
        reply = self._answer_without_memory([x])
        if "classes" in reply:
            return dict(zip(reply["classes"], reply["scores"][0], strict=True))
        return reply["scores"][0]

    def _answer_without_memory(self, X: Iterable[Any]) -> dict[str, Any]:
        return self._post("/answer", {"examples": [{"x": _plain(x)} for x in X], "remember": False})

    # ------------------------------------------------------------ state of the service

    @property
    def health(self) -> dict[str, Any]:
        """Status of the service, as returned by ``GET /health``."""
        return json.loads(self._get("/health"))

    @property
    def examples_seen(self) -> int:
        """Number of examples that the current model has learned, counted from the start of the log."""
        return int(self.health["learned"])

    @property
    def mistakes(self) -> int:
        """Number of wrong answers, counted from the start of the log."""
        return int(self.state["mistakes"])

    @property
    def classes(self) -> list[Any]:
        """Classes, as strings."""
        return list(self.state["classes"])

    @property
    def state(self) -> dict[str, Any]:
        """Data of the status page."""
        return json.loads(self._get("/state"))

    def model(self, path: str) -> Any:
        """Download the current model to a file and return it.

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
            Position of the first example.

        Yields
        ------
        dict
            Position, time, ``x`` and ``y`` of an example and, if present, its id and answer.
        """
        while lines := self._get(f"/log?from={int(first)}").splitlines():
            for line in lines:
                example = json.loads(line)
                yield example
            first = example["position"] + 1

    def close(self) -> None:
        """Close this thread's connection."""
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
    """Convert a NumPy or SciPy value into a JSON value."""
    if hasattr(value, "tocsr"):
        value = value.toarray().ravel()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def error_message(content: bytes) -> str:
    """Return the message of an error response."""
    try:
        return str(json.loads(content)["error"])
    except (ValueError, KeyError, TypeError):
        return content[:200].decode(errors="replace")
