"""Prefetch the memory of the next rows while the current row is processed."""

from __future__ import annotations

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from rosenblatt.numeric.llvm import declared_function

AHEAD = 8  # rows; measured flat between 4 and 16
CACHE_LINE = 64


@intrinsic
def _prefetch(typing_context, array, index):
    """Prefetch the cache line of array.ravel()[index]; it never faults and changes nothing."""

    def generate(context, builder, signature, arguments):
        memory = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.bitcast(builder.gep(memory.data, [arguments[1]]), ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        instruction = declared_function(
            builder, ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag]), "llvm.prefetch.p0i8"
        )
        read, keep_near, data = flag(0), flag(3), flag(1)
        builder.call(instruction, [address, read, keep_near, data])
        return context.get_dummy_value()

    return types.void(array, index), generate


def _no_prefetch(array, index):
    """Do nothing, since interpreted code has no use for prefetching."""


prefetch = _no_prefetch if config.DISABLE_JIT else _prefetch
