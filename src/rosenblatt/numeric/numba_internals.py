"""All code that uses Numba's private interface: compilers, the disk cache, and a clock of the compile time.

`compiling` imports this module only for the versions of Numba in `compiling.TESTED`; for other versions it
uses only the public interface.

Most functions are parts of loops, for example a rule's step or a row's score. By default, Numba generates
separate machine code for each of these functions, and a Python wrapper for some of them, although nothing
calls this code. This module prevents that, which saves a quarter of the compile time of a loop.
"""

from __future__ import annotations

import gc
import hashlib
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llvmlite
import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from rosenblatt.numeric.code_cache import LISTENERS, folder_of
from rosenblatt.numeric.private_folders import read_private_file, write_private_file

DIGEST_SIZE = hashlib.sha256().digest_size


class ForPython(Compiler):
    """Compile a function that Python calls."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        with _compile_time_reported(), _garbage_collection_paused():
            code = super().compile_extra(function)
        for constants in code._find_referenced_environments():  # the constants of its parts
            code.library.codegen.set_env(constants.env_name, constants)
        return code


class ForCallers(Compiler):
    """Compile a function that only compiled functions call."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = _Part(codegen, function.__qualname__, bool(self.state.flags.fastmath))
        return super().compile_extra(function)


class _Part(JITCodeLibrary):
    """Hold the LLVM code of a function, which is linked into its callers and optimised there.

    Functions with reordered sums are an exception: they are optimised here, so the order of summation is
    the same in all callers.
    """

    def __init__(self, codegen: Any, name: str, has_free_sums: bool) -> None:
        super().__init__(codegen, name)
        self._has_free_sums = has_free_sums

    @property
    def codegen(self) -> Any:
        return SimpleNamespace(set_env=lambda name, constants: None)  # the callers hold the constants

    def _optimize_final_module(self) -> None:
        if self._has_free_sums:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


FOR_PYTHON = {"no_cfunc_wrapper": True, "pipeline_class": ForPython}
FOR_CALLERS = {"no_cfunc_wrapper": True, "pipeline_class": ForCallers}


class CodeCache:
    """Replace Numba's disk cache for one function, with one file per signature.

    A file contains the machine code after its digest. A damaged file is compiled again and replaced. A file
    that another user could have written is not read.
    """

    def __init__(self, dispatcher: Any, folder: Path, module: str) -> None:
        self.cache_path = str(folder)
        self._stem = folder / f"{module}.{dispatcher.py_func.__qualname__}"
        self._extend = dispatcher._compilation_chain_init_hook
        dispatcher._compilation_chain_init_hook = lambda: None  # `load_overload` calls it

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the stored code, or None if the cache lacks code for this signature.

        Numba loads its NumPy and Python support before it reads its cache, which takes longer than training
        on a small file. Here that support is loaded only when something must be compiled.
        """
        rtsys.initialize(context)  # for arrays created by compiled code
        code = self._read_code(signature, context)
        if code is None:
            self._extend()
            context.refresh()
        return code

    def save_overload(self, signature: Any, code: Any) -> None:
        """Store the code, unless it contains addresses of this process; ignore a full disk."""
        if code.lifted or code.library.has_dynamic_globals:
            return
        content = dumps((tuple(signature), code._reduce()))
        with suppress(OSError):
            write_private_file(
                self._file(signature, code.codegen), hashlib.sha256(content).digest() + content
            )

    def _read_code(self, signature: Any, context: Any) -> Any:
        try:
            content = read_private_file(self._file(signature, context.codegen()))
            if hashlib.sha256(content[DIGEST_SIZE:]).digest() != content[:DIGEST_SIZE]:
                return None
            stored, parts = pickle.loads(content[DIGEST_SIZE:])
            return CompileResult._rebuild(context, *parts) if stored == tuple(signature) else None
        except Exception:  # an unusable file may raise any error
            return None

    def _file(self, signature: Any, codegen: Any) -> Path:
        versions = numba.__version__, llvmlite.__version__, sys.version_info[:2], sys.abiflags
        key = repr(([_full_name(kind) for kind in signature], codegen.magic_tuple(), versions))
        digest = hashlib.sha256(key.encode()).hexdigest()
        return self._stem.with_name(f"{self._stem.name}-{digest[:24]}.nbc")


def with_disk_cache(dispatcher: Any) -> Any:
    """Attach a `CodeCache` to a compiled function of the package, if there is a folder for it."""
    if found := folder_of(dispatcher.py_func):
        dispatcher._cache = CodeCache(dispatcher, *found)
    return dispatcher


def _full_name(kind: Any) -> str:
    """Return a unique name of a type: it includes the modules of the NamedTuples in it."""
    cls = getattr(kind, "instance_class", None)
    inner = [_full_name(each) for each in kind.types] if isinstance(kind, types.BaseTuple) else []
    return f"{kind} {cls and (cls.__module__, cls.__qualname__)} {inner}"


@contextmanager
def _compile_time_reported() -> Iterator[None]:
    for listener in LISTENERS:
        listener.on_start()
    try:
        yield
    finally:
        for listener in LISTENERS:
            listener.on_end()


@contextmanager
def _garbage_collection_paused() -> Iterator[None]:
    """Pause the garbage collector, since a compiler creates many objects that stay alive."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
