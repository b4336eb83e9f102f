"""What a command need not wait for: packages loaded only to see whether they are there, and garbage
that is none.

pyarrow asks for pandas when it makes its first array. On the command line no table is made for pandas,
which takes as long to load as a small file does to be learned. (In Python it is loaded as ever: the user
may want it.) Modules are no garbage either, among which Python would look for cycles some hundred times
while they load, and once more when all is over.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Any

OBJECTS_BETWEEN_COLLECTIONS = 50_000
AS_EVER = gc.get_threshold()


@contextmanager
def few_collections() -> Iterator[None]:
    """For a process that does this and ends."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        yield
    finally:
        gc.freeze()


def collect_as_ever() -> None:
    """For a command that lasts: what is loaded stays, what comes is looked through as Python does."""
    gc.freeze()
    gc.set_threshold(*AS_EVER)


class _Unseen(MetaPathFinder):
    """Finds nothing, and says that there is nothing to be found."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname == self._name:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


@contextmanager
def unseen(name: str) -> Iterator[None]:
    """While this lasts, the package of that name seems not to be installed, unless it is loaded already.

    >>> with unseen("wave"):
    ...     import wave
    Traceback (most recent call last):
    ModuleNotFoundError: No module named 'wave'
    >>> import wave
    """
    finder = _Unseen(name)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@contextmanager
def no_pandas() -> Iterator[None]:
    """Modules that load now load no pandas; nor does pyarrow later, if it is among them."""
    with unseen("pandas"):
        yield
        if "pyarrow" in sys.modules:
            sys.modules["pyarrow"].array([0.0])  # asks once, and remembers the answer
