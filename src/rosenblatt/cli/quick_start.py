"""Make commands start fast: skip optional imports and garbage collections.

pyarrow imports pandas when it creates its first array. This import takes as long as training on a small
file. The command line does not use pandas, so it blocks the import. (In Python, where the user may want
pandas, the import is allowed.) Imported modules are never garbage, but Python would scan them hundreds of
times while they load, and once more at exit.
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
    """Collect garbage rarely, in a process that runs one short command."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        yield
    finally:
        gc.freeze()


def collect_as_ever() -> None:
    """Restore normal garbage collection for a long-running command; existing objects are exempt."""
    gc.freeze()
    gc.set_threshold(*AS_EVER)


class _NoPandas(MetaPathFinder):
    """An import hook that makes pandas appear not to be installed."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


@contextmanager
def no_pandas() -> Iterator[None]:
    """Block the import of pandas in the `with` block; pyarrow does not import it afterwards either."""
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        yield
        if "pyarrow" in sys.modules:
            sys.modules["pyarrow"].array([0.0])  # pyarrow looks for pandas only once
    finally:
        sys.meta_path.remove(finder)
