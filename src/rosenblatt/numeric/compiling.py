"""Compile hot loops: compiler options and dispatch by class.

* `jit`: Numba's ``njit`` with the options that every loop of the package uses; the machine code is
  stored on disk (`code_cache`).
* `dispatch_by_class`: a function whose body is selected by the class of its first argument, at compile
  time in compiled code and at call time in interpreted code. Rules, averaging strategies and row
  layouts are NamedTuples, so a loop that calls ``step(rule, ...)`` is compiled once per rule and can be
  stored on disk; functions passed as arguments and closures could not be stored.

Faster compiling and loading need Numba's private interface (`numba_internals`), which is used only for the
tested versions of Numba. For any other version the same functions are compiled by the public interface,
with the same results.
"""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import config, njit, typeof, types
from numba.core.errors import NumbaError
from numba.extending import overload

from rosenblatt.numeric.code_cache import folder_of

TESTED = ("0.68",)
"""Versions of Numba whose private interface has been tested."""

USES_INTERNALS = (
    ".".join(numba.__version__.split(".")[:2]) in TESTED and os.environ.get("ROSENBLATT_NUMBA") != "public"
)

if USES_INTERNALS:
    from rosenblatt.numeric.numba_internals import FOR_CALLERS, FOR_PYTHON, with_disk_cache
else:
    FOR_CALLERS, FOR_PYTHON = {}, {}

REASSOCIATED = {"reassoc", "contract", "nsz"}
"""Allow sums in any order and FMA; NaN and infinity keep their meaning. Only for sums whose sign is
checked against their rounding error."""


LOOP = {**FOR_PYTHON, "error_model": "numpy", "nogil": True}
PART = {**FOR_CALLERS, "error_model": "numpy"}
INTO_ITS_CALLER = {**PART, "forceinline": True}


def with_default(stub: Callable[..., Any]) -> Any:
    """Return a `dispatch_by_class` function; classes without a registered body use `stub`."""
    return dispatch_by_class(stub, has_default=True)


def jit(function: Callable[..., Any]) -> Any:
    """Compile `function` on first use; it releases the GIL, and its machine code is stored on disk."""
    return _jit_with_cache(function, LOOP)


def jit_sums(function: Callable[..., Any]) -> Any:
    """Compile like `jit`, but allow sums in any order.

    Use it only where the last bits do not matter.
    """
    return _jit_with_cache(function, {**LOOP, "fastmath": REASSOCIATED})


def jit_with_gil(function: Callable[..., Any]) -> Any:
    """Compile like `jit`, but keep the GIL, for functions that read Python objects."""
    return _jit_with_cache(function, {**LOOP, "nogil": False})


def jit_with_fma(function: Callable[..., Any]) -> Any:
    """Compile like `jit`, but allow fused multiply-add (one rounding instead of two)."""
    return _jit_with_cache(function, {**LOOP, "fastmath": {"contract"}})


def _jit_with_cache(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    if config.DISABLE_JIT:
        return function
    if USES_INTERNALS:
        return with_disk_cache(njit(**options)(function))
    place = folder_of(function)
    return (
        njit(**options)(function) if place is None else _jit_with_numba_cache(function, options, place[0])
    )


def _jit_with_numba_cache(function: Callable[..., Any], options: dict[str, Any], folder: Path) -> Any:
    """Compile `function` with Numba's public cache, in a folder named after the digest of the sources.

    A cache that cannot be read or written is removed, and the function is compiled without it.
    """
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder / "numba")
    try:
        dispatcher = njit(cache=True, **options)(function)
    finally:
        config.CACHE_DIR = before
    cache, compile_for = Path(dispatcher.stats.cache_path), dispatcher.compile
    if not cache.is_relative_to(folder):  # Numba chose another folder, whose code may be stale
        return njit(**options)(function)

    def compile_or_replace(signature: Any) -> Any:
        try:
            return compile_for(signature)
        except NumbaError:  # an error of the function, not of its cache
            raise
        except Exception:
            shutil.rmtree(cache, ignore_errors=True)
            return compile_for(signature)

    dispatcher.compile = compile_or_replace
    return dispatcher


def inline(function: Callable[..., Any]) -> Any:
    """Compile `function` as an inlined `part`, for the few functions that run for every row."""
    return _for_callers(function, INTO_ITS_CALLER)


def part(function: Callable[..., Any]) -> Any:
    """Compile `function` together with each loop that calls it; calls from Python run it interpreted."""
    return _for_callers(function, PART)


def _for_callers(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    @overload(function, strict=False, jit_options=options)
    def itself(*argument_types: types.Type) -> Callable[..., Any]:
        return function

    return function


@functools.cache
def jit_uncached(function: Callable[..., Any]) -> Any:
    """Compile a function (or recompile a `jit` loop) without the disk cache, for rules written by users."""
    return njit(**LOOP)(getattr(function, "py_func", function))


def machine_code(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the compiled code of `function` for the types of `arguments`, without type dispatch.

    Numba determines the types of all arguments at each call, which takes longer than one step of learning.
    Call the returned code only with arguments of exactly the same types, with two exceptions: a writable
    array may replace a read-only one, and a plain tuple may replace a NamedTuple.
    """
    if not hasattr(function, "get_overload"):  # interpreted: classes select the bodies, so restore them
        return lambda *others: function(
            *(
                type(known)(*other) if isinstance(known, tuple) else other
                for known, other in zip(arguments, others, strict=True)
            )
        )
    types_of_arguments = tuple(typeof(argument) for argument in arguments)
    function.compile(types_of_arguments)
    return function.get_overload(types_of_arguments)


def dispatch_by_class(stub: Callable[..., Any], has_default: bool = False) -> Any:
    """Return a function with one body per class of its first argument, registered with ``.of(cls)``.

    If `has_default`, `stub` is the body for every other NamedTuple.

    >>> from typing import NamedTuple
    >>> class Metre(NamedTuple):
    ...     length: float
    >>> @dispatch_by_class
    ... def in_feet(quantity):
    ...     "The same length in feet."
    >>> @in_feet.of(Metre)
    ... def _(quantity):
    ...     return quantity.length / 0.3048
    >>> in_feet(Metre(0.3048))
    1.0
    """
    bodies: dict[type, Callable[..., Any]] = {}

    @functools.wraps(stub)
    def dispatch(*arguments: Any) -> Any:
        kind = type(arguments[0])
        return (bodies.get(kind, stub) if has_default else bodies[kind])(*arguments)

    if has_default:

        @overload(dispatch, strict=False, jit_options=INTO_ITS_CALLER)
        def default_for(*argument_types: types.Type) -> Callable[..., Any] | None:
            cls = getattr(argument_types[0], "instance_class", None)
            return stub if cls is not None and cls not in bodies else None

    def of(cls: type, **jit_options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(body: Callable[..., Any]) -> Callable[..., Any]:
            bodies[cls] = body

            @overload(dispatch, strict=False, jit_options={**INTO_ITS_CALLER, **jit_options})
            def body_for(*argument_types: types.Type) -> Callable[..., Any] | None:
                first = argument_types[0]
                return body if getattr(first, "instance_class", None) is cls else None

            return body

        return register

    dispatch.of = of  # type: ignore[attr-defined]
    dispatch.bodies = bodies  # type: ignore[attr-defined]
    return dispatch
