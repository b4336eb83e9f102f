"""Matrix products inside compiled loops, by scipy's BLAS, without the interpreter lock."""

from __future__ import annotations

from functools import cache

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import get_cython_function_address, intrinsic

from rosenblatt.numeric.compiling import inline
from rosenblatt.numeric.llvm import stack_slot_of


@cache
def gemm_address(dtype: np.dtype[np.floating]) -> int:
    """Return the address of BLAS's matrix product for float32 or float64, for `multiply`."""
    name = "sgemm" if dtype.itemsize == 4 else "dgemm"
    return int(get_cython_function_address("scipy.linalg.cython_blas", name))


@intrinsic
def _gemm(typing_context, address, rows, row_stride, weights, stride, out):
    """Write weights[:, :d]·rowsᵀ to `out`, for rows of d numbers.

    `row_stride` and `stride` are the distances between consecutive rows in `rows` and in `weights`.
    """

    def generate(context, builder, signature, arguments):
        integer, number = ir.IntType(32), context.get_data_type(signature.args[1].dtype)
        text, size = ir.IntType(8).as_pointer(), ir.IntType(32).as_pointer()
        place = number.as_pointer()
        kinds = [text, text, size, size, size, place, place, size, place, size, place, place, size]
        function = builder.inttoptr(arguments[0], ir.FunctionType(ir.VoidType(), kinds).as_pointer())
        x, w, s = (context.make_array(signature.args[k])(context, builder, arguments[k]) for k in (1, 3, 5))
        n, d = (builder.extract_value(x.shape, k) for k in range(2))
        columns = builder.extract_value(w.shape, 0)

        def slot(value):
            return stack_slot_of(builder, value)

        def short(value):
            return slot(builder.trunc(value, integer))

        # BLAS reads column-major arrays, in which our rows are columns: outᵀ = rowsᵀᵀ·weightsᵀ
        builder.call(function, [
            slot(ir.IntType(8)(ord("T"))), slot(ir.IntType(8)(ord("N"))),
            short(n), short(columns), short(d),
            slot(number(1.0)), x.data, short(arguments[2]), w.data, short(arguments[4]),
            slot(number(0.0)), s.data, short(n),
        ])  # fmt: skip
        return context.get_dummy_value()

    return types.void(address, rows, row_stride, weights, stride, out), generate


@inline
def _multiply(address, rows, weights, out):
    _gemm(address, rows, rows.shape[1], weights, weights.shape[1], out)


def _multiply_in_python(address, rows, weights, out):
    np.matmul(weights[:, : rows.shape[1]], rows.T, out=out)


multiply = _multiply_in_python if config.DISABLE_JIT else _multiply
"""multiply(address, rows, weights, out): out[c, k] ← w_c·x_k. weights may be wider than the rows. All
arrays are C-ordered with the same dtype, and the address is `gemm_address` for that dtype."""
