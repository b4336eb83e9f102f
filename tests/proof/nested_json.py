"""All paths in a nested JSON value, and copies of the value with one place changed."""

from __future__ import annotations

import copy
import math


def places(plain, path=()):
    yield path
    if isinstance(plain, dict | list):
        for key, child in plain.items() if isinstance(plain, dict) else enumerate(plain):
            yield from places(child, (*path, key))


def at(plain, path):
    for key in path:
        plain = plain[key]
    return plain


def replace_at(plain, path, value):
    if not path:
        return value
    plain = copy.deepcopy(plain)
    at(plain, path[:-1])[path[-1]] = value
    return plain


def without(plain, path):
    plain = copy.deepcopy(plain)
    del at(plain, path[:-1])[path[-1]]
    return plain


def changes(value):
    """Other values of the same JSON type, and near to it."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, -value - 7, 10**40)
    elif isinstance(value, str) and value.lstrip("-").startswith("0x"):
        if "p" in value:
            number = float.fromhex(value)
            yield from (math.nextafter(number, math.inf).hex(), math.nextafter(number, -math.inf).hex())
            if number:
                yield (-number).hex()
        else:
            yield from (hex(int(value, 16) + 1), hex(int(value, 16) - 1), "0x0", hex(-int(value, 16) or 5))
    elif isinstance(value, str):
        yield from (value[:-1], value + "0", "")
    elif isinstance(value, list):
        if value:
            yield from (value[:-1], value[1:], [*value, value[-1]])
        if len(value) > 1 and value[0] != value[-1]:
            yield value[::-1]
    elif isinstance(value, dict):
        yield {}
