"""A small cache that discards the least recently used entry."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

Kind = TypeVar("Kind")


class Latest(Generic[Kind]):
    """Store values by name; discard the least recently used value if there are too many.

    >>> latest = Latest(2)
    >>> for name in "abc":
    ...     latest.put(name, name.upper())
    >>> latest.get("a"), latest.get("c")
    (None, 'C')
    """

    def __init__(self, most: int) -> None:
        self._things: OrderedDict[str, Kind] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()

    def get(self, name: str) -> Kind | None:
        with self._lock:
            if name in self._things:
                self._things.move_to_end(name)
            return self._things.get(name)

    def put(self, name: str, thing: Kind) -> None:
        with self._lock:
            self._things[name] = thing
            self._things.move_to_end(name)
            while len(self._things) > self._most:
                self._things.popitem(last=False)
