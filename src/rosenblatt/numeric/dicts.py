"""Read the numbers of a dict with known keys in compiled code.

In Python, comparing the keys needs a list of keys, and copying the values needs a list of values. For 35
features this takes longer than all other work of a learning step. Here Python's C functions read the dict
in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import jit_with_gil
from rosenblatt.numeric.llvm import declared_function, stack_slot, stack_slot_of

# C sees an object as its address, an integer
_compare = types.ExternalFunction("PyUnicode_Compare", types.intc(types.intp, types.intp))
_as_double = types.ExternalFunction("PyFloat_AsDouble", types.float64(types.intp))
_error = types.ExternalFunction("PyErr_Occurred", types.intp())
_forget_error = types.ExternalFunction("PyErr_Clear", types.void())


@intrinsic
def _next_item(typing_context, x, place):
    """Call PyDict_Next; return (whether there is an item, the position after it, its key, its value)."""

    def generate(context, builder, signature, arguments):
        number = context.get_value_type(types.intp)
        kind = ir.FunctionType(ir.IntType(32), [arguments[0].type, *[number.as_pointer()] * 3])
        function = declared_function(builder, kind, "PyDict_Next")
        found = [stack_slot_of(builder, arguments[1])]
        found += [stack_slot(builder, number) for _ in range(2)]
        is_there = builder.call(function, [arguments[0], *found])
        return context.make_tuple(builder, signature.return_type, [is_there, *map(builder.load, found)])

    return types.Tuple((types.intc, types.intp, types.intp, types.intp))(x, place), generate


@jit_with_gil
def _read(x, names, values):
    """Implement `reader`; clear a Python error, because the slow path raises it again."""
    place = 0
    for k in range(values.size):
        is_there, place, name, value = _next_item(x, place)
        if not is_there:
            return False
        if name != names[k] and _compare(name, names[k]) != 0:  # nonzero also if one is not a str
            _forget_error()
            return False
        values[k] = _as_double(value)
        if values[k] == -1.0 and _error() != 0:
            _forget_error()
            return False
    return not _next_item(x, place)[0]


@cache
def reader() -> Any:
    """Return a function read(x, addresses, values) that copies the numbers of the dict x to `values`.

    The function returns True if the keys of x are the names at the addresses, in that order, and all values
    are numbers. Otherwise it returns False, and the content of `values` must not be used.

    Examples
    --------
    >>> names, values = ["a", "b"], np.empty(2)
    >>> reader()({"a": 1, "b": 2.5}, addresses(names), values), values
    (True, array([1. , 2.5]))
    >>> reader()({"b": 2.5, "a": 1}, addresses(names), values)
    False
    """
    if config.DISABLE_JIT:
        return lambda x, names, values: False
    kinds = (types.Object(object), types.Array(types.intp, 1, "C"), types.Array(types.float64, 1, "C"))
    _read.compile(kinds)
    return _read.get_overload(kinds)


def addresses(names: Sequence[Any]) -> NDArray[np.intp]:
    """Return the memory addresses of the names; the caller must keep the names alive."""
    return np.fromiter(map(id, names), np.intp, len(names))
