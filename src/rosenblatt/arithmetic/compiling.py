"""How hot loops become machine code: options and dispatch.

* `compiled`: Numba's ``njit`` with the options every loop of the package uses, stored on disk
  (`code_cache`).
* `chosen_by_class`: a function whose body is chosen by the class of its first argument, at compile
  time in compiled code and at call time in interpreted code. Rules, keepers and row layouts are
  NamedTuples; a loop that calls ``step(rule, ...)`` is compiled once per rule and stays cacheable,
  which it would not with functions passed as arguments or closures.

Faster compiling and loading need the private interface of Numba (`numba_internals`), which is used for
tested versions only. Any other version compiles the same functions by the public interface, to the same
results.
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

from rosenblatt.arithmetic.code_cache import folder_of

TESTED = ("0.68",)
"""Versions of Numba whose private interface has been tested."""

USES_INTERNALS = (
    ".".join(numba.__version__.split(".")[:2]) in TESTED and os.environ.get("ROSENBLATT_NUMBA") != "public"
)

if USES_INTERNALS:
    from rosenblatt.arithmetic.numba_internals import FOR_CALLERS, FOR_PYTHON, with_disk_cache
else:
    FOR_CALLERS, FOR_PYTHON = {}, {}

REASSOCIATED = {"reassoc", "contract", "nsz"}
"""Sum in any order, with FMA; NaN and infinity keep their meaning. Only for sums whose sign is
checked against their rounding error."""


LOOP = {**FOR_PYTHON, "error_model": "numpy", "nogil": True}
PART = {**FOR_CALLERS, "error_model": "numpy"}
INTO_ITS_CALLER = {**PART, "forceinline": True}


def with_default(stub: Callable[..., Any]) -> Any:
    """Return a `chosen_by_class` whose stub is the body for classes without a body of their own."""
    return chosen_by_class(stub, has_default=True)


def compiled(function: Callable[..., Any]) -> Any:
    """Compile `function` on first use, release the GIL in it, store the machine code on disk."""
    return _stored(function, LOOP)


def compiled_sums(function: Callable[..., Any]) -> Any:
    """Compile like `compiled`, with sums in any order: only where the last bits do not matter."""
    return _stored(function, {**LOOP, "fastmath": REASSOCIATED})


def compiled_with_lock(function: Callable[..., Any]) -> Any:
    """Compile like `compiled`, without releasing the GIL: for functions that read objects of Python."""
    return _stored(function, {**LOOP, "nogil": False})


def compiled_with_fma(function: Callable[..., Any]) -> Any:
    """Compile like `compiled`; a product and the sum that it goes into may be rounded once or twice."""
    return _stored(function, {**LOOP, "fastmath": {"contract"}})


def _from_disk(dispatcher: Any) -> Any:
    """Load machine code from the disk without what only compiling needs.

    Numba would first load all that it knows of NumPy and Python, which takes longer than learning a small
    file. A full disk must not stop a loop whose machine code would only be stored for the next process.
    """
    if not hasattr(dispatcher, "_cache"):  # interpreted code has none
        return dispatcher
    cache = dispatcher._cache
    save = cache.save_overload
    extend = dispatcher._compilation_chain_init_hook


def _stored_by_numba(function: Callable[..., Any], options: dict[str, Any], folder: Path) -> Any:
    """Compile `function` with Numba's own cache in a folder that is named after the digest of the sources.

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


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a `part` that is inlined into its callers: for the few functions that every row calls."""
    return _for_callers(function, INTO_ITS_CALLER)


def part(function: Callable[..., Any]) -> Any:
    """Compile `function` with each loop that calls it, and only there: Python runs it interpreted."""
    return _for_callers(function, PART)


def _for_callers(function: Callable[..., Any], options: dict[str, Any]) -> Callable[..., Any]:
    @overload(function, strict=False, jit_options=options)
    def itself(*argument_types: types.Type) -> Callable[..., Any]:
        return function

    return function


def compiled_fresh(function: Callable[..., Any]) -> Any:
    """Compile like `compiled`, without the disk cache: for rules that a user wrote outside the package."""
    return njit(**LOOP)(function)


def machine_code(function: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the compiled code of `function` for arguments of these types, without the look-up by type.

    Numba determines the types of all arguments at each call, which takes longer than one step on an
    example. The returned code must be called with arguments of exactly the same types; a writable array
    may replace a read-only one, and a plain tuple a NamedTuple.
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
    """Return a function with one body per class of its first argument, registered with ``.of(cls)``.

    With `has_default`, the function itself is the body for every other NamedTuple.

    Examples
    --------
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
    """Return the group of the compiled functions of a module.

    Examples
    --------
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
    r"""Return the syntax tree of a source as text, without comments, docstrings and line numbers.

    >>> _syntax(b"x = 1  # one") == _syntax(b"\n'One.'\nx = 1")
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
