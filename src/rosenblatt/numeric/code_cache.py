"""The folder that stores machine code, and the sources that the machine code depends on.

The name of the folder is the digest of the compiled sources of a group: of their syntax without docstrings,
comments and line numbers. Numba's cache watches only the file that contains a loop: it would run stale
machine code after a change in a rule, and compile loops again after a change in a comment.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import config

from rosenblatt.numeric.private_folders import (
    HAS_OWNERS,
    private_folder,
    read_private_file,
    write_private_file,
)

PACKAGE = Path(__file__).parents[1]

COMPILED_SOURCES = {
    "parsers": ("numeric/compiling.py", "numeric/numba_internals.py", "data/sources/parsing"),
    "loops": (
        "numeric", "rules", "averaging", "kernels", "budgets", "loops",
    ),
}  # fmt: skip
"""The files and folders of each group. Compiled functions of a group call nothing outside it, so a change
in one group leaves the machine code of the other valid."""

LISTENERS: list[Any] = []
"""Objects with on_start() and on_end(), called when a function for Python begins and ends to compile."""


def group_of(module: str) -> str:
    """Return the group ("parsers" or "loops") of a module, given its path in the package.

    >>> group_of("data/sources/parsing/letters.py"), group_of("loops/walk.py")
    ('parsers', 'loops')
    """
    return "parsers" if module.startswith("data/sources/parsing/") else "loops"


@functools.cache
def sources_digest(group: str, package: Path = PACKAGE) -> str:
    """Return the SHA-256 of the names and the syntax of all compiled sources of a group.

    Parsing the sources takes a quarter of a second, so the digest is stored on disk, with the sizes and
    modification times of the files as its key.
    """
    sources = [source for name in COMPILED_SOURCES[group] for source in _python_files(package / name)]
    stats = [(str(source), (stat := source.stat()).st_size, stat.st_mtime_ns) for source in sources]
    root = cache_root()
    folder = root and private_folder(root / "digests")
    note = folder and folder / hashlib.sha256(repr(stats).encode()).hexdigest()
    if note:
        with suppress(OSError, ValueError):
            stored = read_private_file(note).decode("ascii")
            if re.fullmatch("[0-9a-f]{64}", stored):
                return stored
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(_syntax(source.read_bytes()).encode())
    if note:
        with suppress(OSError):
            write_private_file(note, digest.hexdigest().encode())
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


@functools.cache
def cache_root() -> Path | None:
    """Return the cache folder of the package, or None if no folder is safe.

    The candidates are `rosenblatt` in $NUMBA_CACHE_DIR or in the user's cache folder, and `rosenblatt-<user
    id>` in the temporary folder. The first one that no other user can write to is returned.
    """
    user = os.geteuid() if HAS_OWNERS else "user"
    candidates = [Path(tempfile.gettempdir()) / f"rosenblatt-{user}"]
    with suppress(RuntimeError):  # the user has no home directory
        candidates.insert(0, _user_caches() / "rosenblatt")
    return next(filter(None, map(private_folder, candidates)), None)


@functools.cache
def code_folder(group: str) -> Path | None:
    """Return the folder for the machine code of a group, or None if machine code cannot be stored."""
    root = cache_root()
    return root and private_folder(root / sources_digest(group)[:16])


def folder_of(function: Callable[..., Any]) -> tuple[Path, str] | None:
    """Return the folder for the machine code of a function, and the name of the function's module.

    Return None if machine code cannot be stored, or if the function is not part of the package.
    """
    file = Path(inspect.getfile(function))
    if not file.is_relative_to(PACKAGE):
        return None
    module = file.relative_to(PACKAGE).as_posix()
    folder = code_folder(group_of(module))
    return (folder, module.removesuffix(".py").replace("/", ".")) if folder else None


def _user_caches() -> Path:
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
