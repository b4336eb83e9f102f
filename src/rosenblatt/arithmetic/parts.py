"""How Numba compiles a function: for Python, or as a part of the loops that call it.

Most functions are parts: a rule's step, a row's score. Numba would make machine code of each by itself, and
for some a door for Python, which nobody comes by; that was a quarter of the time to compile a loop.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class ForPython(Compiler):
    """Compiles a function that Python calls."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile without garbage collection, and set the environments of the parts."""
        with _nothing_collected():
            code = super().compile_extra(function)
        for constants in code._find_referenced_environments():  # those of its parts
            code.library.codegen.set_env(constants.env_name, constants)
        return code


class ForCallers(Compiler):
    """Compiles a function that only compiled functions call."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile into a library that callers link."""
        codegen = self.state.targetctx.codegen()
        self.state.library = _Part(codegen, function.__qualname__, bool(self.state.flags.fastmath))
        return super().compile_extra(function)


class _Part(JITCodeLibrary):
    """LLVM's code of a part, which is linked into its callers and optimised there.

    Sums in any order are the exception: they get their order here, so that it is the same for all callers.
    """

    def __init__(self, codegen: Any, name: str, has_free_sums: bool) -> None:
        super().__init__(codegen, name)
        self._has_free_sums = has_free_sums

    @property
    def codegen(self) -> Any:
        return SimpleNamespace(set_env=lambda name, constants: None)  # its callers have them

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


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Compilers make many objects that stay; Python would go through them again and again for garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
