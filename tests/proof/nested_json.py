"""Every place in a nested JSON value, and the same value with another one there."""

from __future__ import annotations

import copy


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
