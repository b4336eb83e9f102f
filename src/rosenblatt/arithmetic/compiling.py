"""How hot loops become machine code: options, dispatch and the disk cache.

Three things live here, and nowhere else:

* `compiled`: Numba's ``njit`` with the options every loop of the package uses.
* `chosen_by_class`: a function whose body is chosen by the class of its first argument, at compile
  time in compiled code and at call time in interpreted code. Rules, keepers and row layouts are
  NamedTuples; a loop that calls ``step(rule, ...)`` is compiled once per rule and stays cacheable,
  which it would not with functions passed as arguments or closures.
* the disk cache, keyed on what the compiled sources of a group say: their syntax without docstrings,
  comments and line numbers. Numba alone watches only the file that holds the loop: a changed rule would run
  as stale machine code, and a new comment would compile that file's loops again.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import config, njit, typeof, types
from numba.core.caching import CacheImpl, _CacheLocator
from numba.core.runtime import rtsys
from numba.extending import overload

from rosenblatt.arithmetic.parts import ForCallers, ForPython

PACKAGE = Path(__file__).parents[1]

COMPILED_SOURCES = {
    "parsers": ("arithmetic/compiling.py", "arithmetic/parts.py", "data/sources/parsing"),
    "loops": (
        "arithmetic", "rules", "keepers", "kernels", "budgets", "engine",
    ),
}  # fmt: skip
"""Groups of files and folders that decide whether machine code on disk is still true: a group's code calls
nothing outside it, so a change in one leaves the machine code of the other as it is."""

REASSOCIATED = {"reassoc", "contract", "nsz"}
"""Sum in any order, with FMA; NaN and infinity keep their meaning. Only for sums whose sign is
checked against their rounding error."""


FOR_PYTHON = {"error_model": "numpy", "no_cfunc_wrapper": True, "nogil": True, "pipeline_class": ForPython}
"""No door for C, which Numba would compile for each function: nobody comes by it."""

FOR_CALLERS = {"error_model": "numpy", "no_cfunc_wrapper": True, "pipeline_class": ForCallers}
INTO_ITS_CALLER = {**FOR_CALLERS, "forceinline": True}


def with_default(stub: Callable[..., Any]) -> Any:
    """`chosen_by_class`, where what is decorated is the body for classes that have none of their own."""
    return chosen_by_class(stub, has_default=True)


def compiled(function: Callable[..., Any]) -> Any:
    """Compile `function` on first use, release the GIL in it, keep the machine code on disk."""
    return _from_disk(njit(cache=True, **FOR_PYTHON)(function))


def compiled_sums(function: Callable[..., Any]) -> Any:
    """Like `compiled`, with sums in any order: only where a few last bits are of no account."""
    return _from_disk(njit(cache=True, fastmath=REASSOCIATED, **FOR_PYTHON)(function))


def compiled_with_lock(function: Callable[..., Any]) -> Any:
    """Like `compiled`, without releasing the GIL: for what reads objects of Python."""
    return _from_disk(njit(cache=True, **{**FOR_PYTHON, "nogil": False})(function))


def compiled_with_fma(function: Callable[..., Any]) -> Any:
    """Like `compiled`, where a product and the sum that it goes into may be rounded once, or twice."""
    return _from_disk(njit(cache=True, fastmath={"contract"}, **FOR_PYTHON)(function))


def _from_disk(dispatcher: Any) -> Any:
    """Machine code from the disk is taken without what only compiling needs: Numba would first load all
    that it knows of NumPy and Python, which takes longer than a small file to learn. A full disk must not
    stop a loop whose machine code is only to be kept for the next process."""
    if not hasattr(dispatcher, "_cache"):  # interpreted code has none
        return dispatcher
    cache = dispatcher._cache
    save = cache.save_overload
    extend = dispatcher._compilation_chain_init_hook

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)  # arrays that compiled code makes
        known = cache._load_overload(signature, context)
        if known is None:
            extend()
            context.refresh()
        return known

    def save_if_possible(*signature_and_code: Any) -> None:
        with suppress(OSError):
            save(*signature_and_code)

    cache.load_overload, cache.save_overload = load, save_if_possible
    dispatcher._compilation_chain_init_hook = lambda: None  # extensions of Numba wait until `load` asks
    return dispatcher


def inlined(function: Callable[..., Any]) -> Any:
    """A `part` that is put into its callers: for the few functions that every row passes through."""
    return _for_callers(function, INTO_ITS_CALLER)


def part(function: Callable[..., Any]) -> Any:
    """Compile `function` with each loop that calls it, and only there: from Python it runs as it is."""
    return _for_callers(function, FOR_CALLERS)


def _for_callers(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    @overload(function, strict=False, jit_options=options)
    def itself(*argument_types: types.Type) -> Callable[..., Any]:
        return function

    return function


def compiled_fresh(function: Callable[..., Any]) -> Any:
    """Like `compiled`, without the disk cache: for rules that a user wrote outside the package."""
    return njit(**FOR_PYTHON)(function)


def machine_code(function: Any, arguments: tuple[Any, ...]) -> Any:
    """The compiled code of `function` for arguments of these types, without the look-up by type.

    Numba finds out the types of all arguments at each call, which takes longer than one look at an
    example. What is returned here must be called with arguments of exactly the same types; a writable
    array may stand for a read-only one, and a plain tuple for a NamedTuple.
    """
    if not hasattr(function, "get_overload"):  # interpreted: there is no code, and classes must be true
        return lambda *others: function(
            *(type(known)(*other) if isinstance(known, tuple) else other
              for known, other in zip(arguments, others, strict=True))
        )  # fmt: skip
    types_of_arguments = tuple(typeof(argument) for argument in arguments)
    function.compile(types_of_arguments)
    return function.get_overload(types_of_arguments)


def chosen_by_class(stub: Callable[..., Any], has_default: bool = False) -> Any:
    """A function with one body per class of its first argument, registered with ``.of(cls)``.

    Where `has_default`, the function itself is the body for every other NamedTuple.

    >>> from typing import NamedTuple
    >>> class Metre(NamedTuple):
    ...     length: float
    >>> @chosen_by_class
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
    def chosen(*arguments: Any) -> Any:
        kind = type(arguments[0])
        return (bodies.get(kind, stub) if has_default else bodies[kind])(*arguments)

    if has_default:

        @overload(chosen, strict=False, jit_options=INTO_ITS_CALLER)
        def default_for(*argument_types: types.Type) -> Callable[..., Any] | None:
            cls = getattr(argument_types[0], "instance_class", None)
            return stub if cls is not None and cls not in bodies else None

    def of(cls: type, **jit_options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(body: Callable[..., Any]) -> Callable[..., Any]:
            bodies[cls] = body

            @overload(chosen, strict=False, jit_options={**INTO_ITS_CALLER, **jit_options})
            def body_for(*argument_types: types.Type) -> Callable[..., Any] | None:
                first = argument_types[0]
                return body if getattr(first, "instance_class", None) is cls else None

            return body

        return register

    chosen.of = of  # type: ignore[attr-defined]
    chosen.bodies = bodies  # type: ignore[attr-defined]
    return chosen


def group_of(module: str) -> str:
    """The group that the compiled functions of a module of the package belong to.

    >>> group_of("data/sources/parsing/letters.py"), group_of("engine/walk.py")
    ('parsers', 'loops')
    """
    return "parsers" if module.startswith("data/sources/parsing/") else "loops"


@functools.cache
def sources_digest(group: str, package: Path = PACKAGE) -> str:
    """SHA-256 over the names and the syntax of every compiled source of a group.

    Reading syntax takes a quarter of a second, so the digest is remembered under the sizes and times of
    change of the files.
    """
    sources = [source for name in COMPILED_SOURCES[group] for source in _python_files(package / name)]
    stats = [(str(source), (stat := source.stat()).st_size, stat.st_mtime_ns) for source in sources]
    note = _cache_root() / "digests" / hashlib.sha256(repr(stats).encode()).hexdigest()
    with suppress(OSError):
        remembered = note.read_text()
        if len(remembered) == 64:  # a note that was cut short is no digest
            return remembered
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(_syntax(source.read_bytes()).encode())
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(digest.hexdigest())
    return digest.hexdigest()


def _python_files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def _syntax(source: bytes) -> str:
    """What a source says to the compiler: no comments, docstrings, places of lines.

    >>> _syntax(b"x = 1  # one") == _syntax(b"\\n'One.'\\nx = 1")
    True
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [child for child in body if not _is_text(child)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _cache_root() -> Path:
    """Where the package keeps what it may lose: $NUMBA_CACHE_DIR, else the user's cache folder."""
    if config.CACHE_DIR:
        root = Path(config.CACHE_DIR)
    elif sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "rosenblatt"


class _PackageCache(_CacheLocator):
    """Numba's question "where is this function cached, and is it fresh?", answered for the package."""

    def __init__(self, file: str, root: Path) -> None:
        module = Path(file).relative_to(PACKAGE)
        self._module = module.with_suffix("").as_posix().replace("/", ".")
        self._digest = sources_digest(group_of(module.as_posix()))
        self._folder = root / self._digest[:16]

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return self._module  # with the function's name, which Numba adds: no line, which a comment moves

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _PackageCache | None:
        if not Path(file).is_relative_to(PACKAGE):
            return None
        user = os.getuid() if hasattr(os, "getuid") else "user"
        fallback = Path(tempfile.gettempdir()) / f"rosenblatt-{user}"
        for root in (_cache_root(), fallback):
            locator = cls(file, root)
            try:
                locator.ensure_cache_path()
            except OSError:  # a read-only home: machine code goes to the temporary folder
                continue
            return locator
        return None


CacheImpl._locator_classes.insert(0, _PackageCache)
