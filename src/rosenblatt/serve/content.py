"""Digests of what clients send, by which an id or a key that comes again with other content is noticed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any


def content_digest(x: Any, y: Any = None) -> str:
    """Return a digest of an example and its label, whatever the format they came in.

    >>> import numpy as np
    >>> content_digest({"a": 1, "b": 2.0}, "ham") == content_digest({"b": 2, "a": 1.0}, "ham")
    True
    >>> content_digest([1, 2.5]) == content_digest(np.array([1.0, 2.5]))
    True
    >>> content_digest({"a": 1}, 1) == content_digest({"a": 1}, True)
    False
    """
    text = json.dumps([_as_floats(x), y], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:32]


def request_digest(examples: Sequence[Any], labels: Sequence[Any], ids: Sequence[Any] | None) -> str:
    """Return a digest of all examples of a request, in their order."""
    pairs = zip(examples, labels, strict=True)
    parts = [json.dumps(ids), *(content_digest(x, y) for x, y in pairs)]
    return sha256("".join(parts).encode()).hexdigest()[:32]


def _as_floats(x: Any) -> Any:
    """Replace integers by floats: formats differ in how they write the same number."""
    if isinstance(x, dict):
        return {name: float(value) if type(value) is int else value for name, value in x.items()}
    if isinstance(x, str):
        return x
    return [
        float(value) if type(value) is int else value
        for value in (x if isinstance(x, list) else x.tolist())
    ]
