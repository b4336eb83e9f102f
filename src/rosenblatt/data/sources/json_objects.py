"""Detect repeated keys in JSON objects; parsers silently use the last value."""

from __future__ import annotations

from typing import Any

from rosenblatt.errors import BadInput

HALF_OF_A_PAIR = r"has half of a surrogate pair (\ud800 to \udfff); write both halves"


def distinct_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dict of the pairs, for `json.loads`; raise `BadInput` if a key occurs twice.

    >>> distinct_pairs([("y", "ham"), ("y", "spam")])
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: an object has 'y' twice; give each name once
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise BadInput(f"an object has {name[:80]!r} twice; give each name once")
            seen.add(name)
    return found
