"""Hostile lines of text: `NUMBA_BOUNDSCHECK=1 python -m fuzz.parsers 1000000`.

Lines are made up of random bytes, of likely pieces, of whole rows, and of rows that were changed, and read
many at a time. Each must give the row that a plain reading of the grammar gives, bit for bit, or be refused
where that refuses it, with a column of the line and a sentence.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from rosenblatt.data.sources.chunk import MOST_EXPLAINED
from rosenblatt.data.sources.svmlight import SvmlightText
from rosenblatt.data.sources.vw import VwText

LINES = MOST_EXPLAINED  # in a block: each bad line is explained

Row = tuple[float, float, list[tuple[int, float]]]  # label, importance, entries


def naive_reading() -> ModuleType:
    """Return the reference parser for Vowpal Wabbit text, which is part of the tests."""
    path = Path(__file__).parents[1] / "tests" / "data" / "sources" / "naive_vw.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAIVE = naive_reading()


# ---------------------------------------------------------------- lines


WORDS = [
    b"a", b"spam", b"colour", b"x1", b"\xc3\xa9", b"\xff", b"\x00", b"_", b"qid", b"e5", b"inf", b"navy",
    b"12",
]  # fmt: skip
NUMBERS = [
    b"0", b"1", b"-1", b"+3", b"17", b"0.5", b"-.25", b"5.", b"1e5", b"1E-3", b"1e-30", b"1e400",
    b"-1e-400", b"0.1000000000000000055511151231257827", b"9007199254740993", b"2147483647", b"2147483648",
    b"1e308", b"18446744073709551617", b"nan", b"-inf", b"1_0", b"0x1f", b"1e", b".", b"-", b"",
]  # fmt: skip
GLUE = [
    b" ", b" ", b" ", b"  ", b"\t", b":", b":", b"|", b"| ", b"|n ", b"|n:2 ", b"'", b"#", b"\r", b"\v",
    b",", b"qid:",
]  # fmt: skip
PIECES = WORDS + NUMBERS + GLUE + GLUE


def number(draw: random.Random) -> bytes:
    """A number, as a rule."""
    kind = draw.random()
    if kind < 0.3:
        return b"%d" % draw.randrange(-9, 300)
    if kind < 0.9:
        return repr(draw.gauss(0, 10 ** draw.randrange(-3, 5))).encode()
    return draw.choice(NUMBERS)


def svmlight_row(draw: random.Random) -> bytes:
    """A line as files have it."""
    indices = sorted(draw.sample(range(1, 60), draw.randrange(12)), key=lambda _: draw.random() < 0.1)
    pairs = [b"%d:%s" % (index, number(draw)) for index in indices]
    return b" ".join([draw.choice([b"1", b"-1", b"+1", number(draw)]), *pairs])


def vw_row(draw: random.Random) -> bytes:
    """A line as files have it."""
    head = draw.choice([b"", b"1 ", b"-1 ", b"1 2 ", b"0 0.5 0 ", b"1 'tag ", b"1 tag"])
    parts = []
    for _ in range(draw.randrange(1, 4)):
        features = [
            draw.choice([draw.choice(WORDS), b"%d" % draw.randrange(99)])
            + draw.choice([b"", b":" + number(draw)])
            for _ in range(draw.randrange(12))
        ]
        parts.append(b" ".join([draw.choice([b"|", b"|n", b"|n:3", b"|" + draw.choice(WORDS)]), *features]))
    return head + b" ".join(parts)


def changed(line: bytes, draw: random.Random) -> bytes:
    """Return a line with a few bytes or pieces inserted, removed or overwritten."""
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(len(line) + 1)
        put = draw.choice([b"", draw.choice(PIECES), draw.randbytes(1)])
        line = line[:at] + put + line[at + draw.randrange(3) :]
    return line


def hostile_line(row: Callable[[random.Random], bytes], draw: random.Random) -> tuple[str, bytes]:
    """The kind of a line, and a line of that kind."""
    kind = draw.choice(("bytes", "pieces", "pieces", "rows", "changed", "changed"))
    if kind == "bytes":
        line = draw.randbytes(draw.randrange(30))
    elif kind == "pieces":
        line = b"".join(draw.choices(PIECES, k=draw.randrange(16)))
        line = draw.choice([b"", b"1 ", b"1 | "]) + line
    else:
        line = row(draw)
        line = changed(line, draw) if kind == "changed" else line
    return kind, line.replace(b"\n", b"")


# ---------------------------------------------------------------- plain readings


def plain_svmlight(line: bytes, first_index: int) -> Row | None:
    """Return the row of a line of svmlight text, or None if it is blank."""
    tokens = line.partition(b"#")[0].translate(bytes.maketrans(b"\t\v\f\r", b"    ")).split(b" ")
    label, *pairs = [token for token in tokens if token] or [b""]
    if not label:
        return None
    entries = {}
    for pair in pairs:
        index, colon, value = pair.partition(b":")
        if index == b"qid" and colon:
            continue
        NAIVE.demand(index.isdigit() and colon and first_index <= int(index) < 2**31)
        NAIVE.demand(int(index) - first_index not in entries)
        entries[int(index) - first_index] = NAIVE.number(value)
    return NAIVE.number(label), 1.0, sorted(entries.items())


def plain_vw(line: bytes, bits: int) -> Row | None:
    """Return the row of a line of Vowpal Wabbit text, or None if it is blank."""
    row = NAIVE.read_line(line, bits)
    if row is None:
        return None
    return row.label, 1.0 if row.importance is None else row.importance, list(row.features.items())


# ---------------------------------------------------------------- the run


def rows_of(chunk: Any) -> list[Row]:
    """The rows of a chunk as plain numbers."""
    starts, indices, values = (
        part.tolist() for part in (chunk.rows.starts, chunk.rows.indices, chunk.rows.values)
    )
    weights = chunk.importance.tolist() or [1.0] * len(chunk)
    pairs = list(zip(indices, values, strict=True))
    return [
        (label, weight, pairs[begin:end])
        for label, weight, (begin, end) in zip(chunk.y.tolist(), weights, pairwise(starts), strict=True)
    ]


def same(row: Row, other: Row) -> bool:
    """Return whether two rows have the same bits, except for a missing label."""
    labels = row[0] == other[0] or (math.isnan(row[0]) and math.isnan(other[0]))
    return labels and repr(row[1:]) == repr(other[1:])  # repr distinguishes −0 and 0


def attempt(lines: list[bytes], parser: Any, plain: Callable[[bytes], Row | None]) -> list[str]:
    """Read the lines at once: whether each was "read", "refused" or "blank"."""
    chunk = parser.parse(np.frombuffer(b"".join(line + b"\n" for line in lines), np.uint8))
    rows, bad = iter(rows_of(chunk)), {line.line: line for line in chunk.bad}
    ends = []
    for place, line in enumerate(lines):
        try:
            expected = plain(line)
        except NAIVE.Unreadable:
            problem = bad.pop(place, None)
            if problem is None or not 1 <= problem.column <= len(line) + 1 or ";" not in problem.problem:
                raise AssertionError(f"{parser}: {line!r} is to be refused: {problem}") from None
            ends.append("refused")
            continue
        if place in bad:
            raise AssertionError(f"{parser}: {line!r} is refused: {bad[place]}")
        ends.append("blank" if expected is None else "read")
        if expected is not None and not same(found := next(rows), expected):
            raise AssertionError(f"{parser}: {line!r} is {expected}, read as {found}")
    assert not bad
    assert next(rows, None) is None
    chunk.release()
    return ends


def fuzz(n: int, seed: int = 0) -> Counter[str]:
    """n hostile lines, and how many were read and refused, by format and kind."""
    draw = random.Random(seed)
    formats: list[tuple[str, Callable[[random.Random], bytes], Any, Callable[[bytes], Row | None]]] = [
        (
            "svmlight",
            svmlight_row,
            SvmlightText(first),
            lambda line, first=first: plain_svmlight(line, first),
        )
        for first in (0, 1)
    ]
    formats += [
        ("vw", vw_row, VwText(bits), lambda line, bits=bits: plain_vw(line, bits)) for bits in (3, 18, 31)
    ]
    counts: Counter[str] = Counter()
    while n > 0:
        name, row, parser, plain = draw.choice(formats)
        kinds, lines = zip(*(hostile_line(row, draw) for _ in range(min(n, LINES))), strict=True)
        for kind, end in zip(kinds, attempt(list(lines), parser, plain), strict=True):
            counts[f"{name} {kind} {end}"] += 1
        n -= len(lines)
    return counts


if __name__ == "__main__":
    faulthandler.enable()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    began = time.perf_counter()
    result = fuzz(count, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    seconds = time.perf_counter() - began
    print(f"{count:,} hostile lines in {seconds:.0f} s, {count / seconds:,.0f} a second: all as expected")
    for what, times in sorted(result.items()):
        print(f"{what:>25} {times:>9,}")
