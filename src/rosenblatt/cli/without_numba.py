"""A stand-in for Numba that compiles nothing: Numba loads slower than a few rows are predicted without it.

Every loop of the package also runs as plain Python and decides the same, since decisions are exact. Its
sums may differ in their last bits, so requests for scores use the compiled loops.
"""

from __future__ import annotations

import os
import sys
import warnings
from types import ModuleType, SimpleNamespace
from typing import Any

MOST_BYTES = 1 << 12  # of rows: some tenths of a second, interpreted
LARGEST_MODEL = 1 << 18


def are_few(model: str, files: tuple[str, ...]) -> bool:
    """Return whether these are a small model and a few lines of text."""
    try:
        if os.path.getsize(model) > LARGEST_MODEL or not all(map(os.path.isfile, files)):
            return False
        if sum(map(os.path.getsize, files)) > MOST_BYTES:
            return False
        for path in files:
            with open(path, "rb") as file:
                if b"\0" in file.read().decode().encode():  # compressed modules are not text
                    return False
    except (OSError, ValueError):
        return False
    return True


def interpret() -> None:
    """Replace Numba, so that loops are interpreted, if it is not loaded yet and this process runs only our
    command."""
    program = os.path.split(sys.argv[0])
    is_ours = program[1] == "rosenblatt" or (os.path.basename(program[0]), program[1]) == (
        "rosenblatt", "__main__.py",
    )  # fmt: skip
    if "numba" in sys.modules or not is_ours:
        return
    warnings.simplefilter("ignore", RuntimeWarning)  # numbers that wrap around, in all threads
    stand_ins: dict[str, dict[str, Any]] = {
        "numba": {
            "config": SimpleNamespace(DISABLE_JIT=True, CACHE_DIR=""),
            "njit": _as_it_is, "typeof": type, "types": None, "__version__": "0",  # no internals
        },
        "numba.core": {"cgutils": None},
        "numba.core.caching": {"CacheImpl": SimpleNamespace(_locator_classes=[]), "_CacheLocator": object},
        "numba.core.codegen": {"JITCodeLibrary": object},
        "numba.core.compiler": {"Compiler": object},
        "numba.core.runtime": {"rtsys": None},
        "numba.core.errors": {"NumbaError": Exception},
        "numba.core.event": {"Listener": object, "register": _as_it_is},
        "numba.extending": {
            "overload": _as_it_is, "intrinsic": _as_it_is, "get_cython_function_address": None,
        },
        "llvmlite": {"ir": None},
    }  # fmt: skip
    for name, held in stand_ins.items():
        module = ModuleType(name)
        vars(module).update(held)
        sys.modules[name] = module


def _as_it_is(*given: Any, **options: Any) -> Any:
    """Return a decorator, with or without arguments, that leaves functions unchanged."""
    if len(given) == 1 and not options and callable(given[0]):
        return given[0]
    return lambda function: function
