"""A plain reading of a line of Vowpal Wabbit text, as its documentation and its own parser have it, less
what that one guesses at."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from sklearn.utils import murmurhash3_32

DECIMAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Row(NamedTuple):
    label: float  # NaN: none
    importance: float | None
    features: dict[int, float]


class Unreadable(Exception):
    """A line that is refused."""


def demand(truth: object) -> None:
    if not truth:
        raise Unreadable


def number(token: bytes) -> float:
    demand(DECIMAL.fullmatch(token))
    demand(math.isfinite(float(token)))
    return float(token)


def name_hash(name: bytes, seed: int) -> int:
    name = name.strip(bytes(range(33)))
    if all(48 <= letter <= 57 for letter in name):
        return (int(name or b"0") + seed) % 2**64
    return murmurhash3_32(name, seed % 2**32, positive=True)


def is_word(value: bytes) -> bool:
    """Neither what C's strtof finds a number at the beginning of, nor half a number."""
    if re.match(rb"[+-]?(\.?[0-9]|inf|nan)", value, re.IGNORECASE):
        return False
    return not re.fullmatch(rb"[+-]?\.?([eE][+-]?[0-9]*)?", value.partition(b"|")[0])


def read_line(line: bytes, bits: int) -> Row | None:
    """The row of a line without its newline; None where it is blank."""
    if not line.strip(b" \t\v\f\r"):
        return None
    line = line.removesuffix(b"\r")
    head, bar, body = line.partition(b"|")
    demand(bar and b"\r" not in line)
    label, importance = read_head(head)
    features: dict[int, float] = {}
    for index, value in read_body(bar + body):
        if value != 0:
            features[index % 2**bits] = features.get(index % 2**bits, 0.0) + value
    demand(all(map(math.isfinite, features.values())))
    return Row(label, importance, dict(sorted(features.items())))


def read_head(head: bytes) -> tuple[float, float | None]:
    demand(b"\t" not in head)
    words = [word for word in head.split(b" ") if word]
    if words and (words[-1].startswith(b"'") or not head.endswith(b" ")):
        words.pop()  # the tag
    demand(len(words) <= 3)
    numbers = [number(word) for word in words]
    demand(len(numbers) < 2 or numbers[1] >= 0)
    demand(len(numbers) < 3 or numbers[2] == 0)
    return (numbers[0] if numbers else math.nan), (numbers[1] if len(numbers) > 1 else None)


def read_body(body: bytes):
    """Yields (hash, value) of each feature."""
    space = scale = nameless = 0
    while body:
        if body[:1] in b" \t":
            body = body[1:]
            continue
        new_space = body[:1] == b"|"
        name = re.match(rb"[^ \t|:]*", body[new_space:]).group()
        body = body[new_space + len(name) :]
        value = None
        if body[:1] == b":":
            value = re.match(rb"[^ \t]*", body[1:]).group()
            if new_space or not is_word(value):
                value = value.partition(b"|")[0]
            body = body[1 + len(value) :]
        if new_space:
            demand(name or value is None)
            space, scale, nameless = name_hash(name, 0), (1.0 if value is None else number(value)), 0
        elif value is None:
            yield name_hash(name, space), scale
        elif is_word(value):
            yield name_hash(value, name_hash(name, space)), 1.0
        else:
            product = scale * number(value)
            demand(math.isfinite(product))
            yield name_hash(name, space) + (0 if name else nameless), product
            nameless += not name
