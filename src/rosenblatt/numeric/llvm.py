"""Small pieces of LLVM code that several intrinsic functions need."""

from __future__ import annotations

from typing import Any

from llvmlite import ir


def declared_function(builder: Any, kind: Any, name: str) -> Any:
    """Return the external function with this name, and declare it on first use in a module."""
    try:
        return builder.module.get_global(name)
    except KeyError:
        return ir.Function(builder.module, kind, name)


def stack_slot(builder: Any, kind: Any) -> Any:
    """Return the address of a stack slot with initial value 0; a slot in a loop is allocated only once."""
    with builder.goto_entry_block():
        place = builder.alloca(kind)
        builder.store(kind(None), place)
    return place


def stack_slot_of(builder: Any, value: Any) -> Any:
    """Return the address of a stack slot that holds `value`."""
    place = stack_slot(builder, value.type)
    builder.store(value, place)
    return place
