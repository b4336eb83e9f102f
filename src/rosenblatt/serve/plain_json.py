"""JSON by orjson where it is installed, three times as fast; the numbers are the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def _constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON; give finite numbers")


def _decoded(text: bytes) -> Any:
    told = json.loads(text, parse_constant=_constant)
    if b"\\u" in text:
        json.dumps(told, ensure_ascii=False).encode()  # half of a pair is no letter, and no disk takes it
    return told


def _encoded(told: Any) -> bytes:
    return json.dumps(told, separators=(",", ":")).encode()


loaded: Callable[[bytes], Any] = _decoded
dumped: Callable[[Any], bytes] = _encoded
try:
    import orjson
except ImportError:
    pass
else:
    loaded, dumped = orjson.loads, orjson.dumps
